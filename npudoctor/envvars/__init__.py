"""The environment variables of an Ascend stack: what each takes, who reads it, and what is wrong with a set.

Pure: it takes variables and known versions and returns judgements. It knows of no host, so the checks of a
machine and the gate over deployment files ask the same engine.
"""

from npudoctor.envvars.describe import describe
from npudoctor.envvars.engine import judge
from npudoctor.envvars.judgement import Judgement, Kind, Variables, Versions

__all__ = ["Judgement", "Kind", "Variables", "Versions", "describe", "judge"]

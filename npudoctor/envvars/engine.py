"""The engine: everything that is wrong with a set of variables."""

from __future__ import annotations

from npudoctor.envvars.devices import judge_devices
from npudoctor.envvars.judgement import Judgement, Variables, Versions
from npudoctor.envvars.names import judge_names
from npudoctor.envvars.network import judge_network
from npudoctor.envvars.reading import judge_reading
from npudoctor.envvars.switches import judge_switches
from npudoctor.envvars.timeouts import judge_timeouts
from npudoctor.envvars.together import judge_together
from npudoctor.envvars.values import judge_values


def judge(variables: Variables, versions: Versions | None = None, arguments: str = "") -> list[Judgement]:
    """Judge a set of environment variables.

    Args:
        variables: Value and evidence by name.
        versions: What is known of the stack that reads them.
        arguments: The command line of the service that is started with them, where it is known.

    Returns:
        What is wrong, worst first. Never raises, whatever the values hold.
    """
    versions = versions or Versions()
    found = [
        *judge_names(variables),
        *judge_values(variables, versions),
        *judge_reading(variables, versions),
        *judge_switches(variables, versions),
        *judge_together(variables, versions, arguments),
        *judge_devices(variables, versions),
        *judge_network(variables),
        *judge_timeouts(variables),
    ]
    return sorted(found, key=lambda one: ("fail", "warn", "info").index(one.severity))

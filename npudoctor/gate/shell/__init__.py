"""Shell scripts read without being run: what they would execute, with their variables put in.

The syntax is tree-sitter-bash's; what a variable holds, which branch is certain and how words split is
worked out here. Whatever the text alone does not tell stays open, with the names that would tell.
"""

from npudoctor.gate.shell.events import Command, Exported, Refused, Script, Written
from npudoctor.gate.shell.script import read_script
from npudoctor.gate.shell.word import Word, hole

__all__ = ["Command", "Exported", "Refused", "Script", "Word", "Written", "hole", "read_script"]

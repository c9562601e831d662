"""The commands that exist: the name, where it lives, and one line for `npudoctor --help`.

`--help` and completion read this table and import no command. Each module has a Typer application named `app`:
of one command (`@app.command()`), or of several with a callback (`npudoctor matrix query`). A command returns
its exit code (`npudoctor.errors.Exit`).
"""

from __future__ import annotations

from dataclasses import dataclass

from npudoctor.words import N_


@dataclass(frozen=True, slots=True)
class Command:
    """One command: the module below `npudoctor.cli` that holds its `app`, and what it is for."""

    module: str
    summary: str


COMMANDS = {
    "check": Command("check", N_("Examine a machine or a bundle: what is wrong, why, and how to mend it.")),
    "collect": Command("collect", N_("Save what check reads into a redacted bundle.")),
    "facts": Command("facts", N_("The parsed facts as JSON, without a judgement.")),
    "parse": Command("parse", N_("One tool's output to JSON.")),
    "matrix": Command("matrix", N_("Ask the compatibility matrix without a host.")),
    "explain": Command("explain", N_("What a check, a matrix row or a variable means, and its source.")),
}

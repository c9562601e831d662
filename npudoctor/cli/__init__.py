"""The command line: one module a command, imported only when that command is called."""

from __future__ import annotations

from typing import NoReturn


def main() -> NoReturn:
    """Run npudoctor with the arguments of this process, and end the process."""
    import gc

    gc.set_threshold(100_000)  # a start allocates much and frees little: looking for cycles costs 1 part in 20
    from npudoctor.words import default_language, use_language

    use_language(default_language())
    from npudoctor.cli.boundary import guarded
    from npudoctor.cli.root import run

    raise SystemExit(guarded(run))

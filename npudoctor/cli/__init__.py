"""The command line: one module a command, imported only when that command is called."""

from __future__ import annotations

from typing import NoReturn


def main() -> NoReturn:
    """Run npudoctor with the arguments of this process, and end the process."""
    from npudoctor.cli.boundary import guarded

    raise SystemExit(guarded(_run))


def _run(arguments: list[str]) -> int:
    import gc

    gc.set_threshold(100_000)  # a start makes much and frees little: looking for cycles took 1 part in 20
    from npudoctor.words import default_language, use_language

    use_language(default_language())  # the texts of options are read when their module is
    from npudoctor.cli.root import run

    try:
        return run(arguments)
    finally:
        gc.freeze()  # the process ends: the interpreter need not look for cycles among all that is there

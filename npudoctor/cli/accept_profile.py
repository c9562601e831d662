"""`npudoctor accept profile PATH [PATH]`: where the time of the NPU goes, and what to do next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from npudoctor.cli import options
from npudoctor.errors import Exit, UsageError
from npudoctor.words import _, choose_language

Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATH [PATH]",
        help=_(
            "A profiler's output: the folder, a table, a trace, a database or lines of text. Two of them:"
            " before and after."
        ),
        show_default=False,
    ),
]
FORMATS = ("text", "json")
Format = Annotated[str, typer.Option(metavar="FORMAT", help=", ".join(FORMATS) + ".")]
FailOn = Annotated[
    str,
    typer.Option(
        metavar="fail|warn",
        help=_(
            "Exit with 1 at fail: the second profile is slower; or at warn: also a bottleneck other than"
            " computing, or something that stands out."
        ),
    ),
]


def profile(
    paths: Paths = None,
    fail_on: FailOn = "fail",
    format: Format = "text",
    output: options.Output = None,
    exit_zero: options.ExitZero = False,
    lang: options.Lang = None,
    verbose: options.Verbose = False,
) -> int:
    """Name the bottleneck of a profile, and the next step.

    Reads what msprof, torch_npu and MindSpore export, from CANN 5 to 9. Exits with 1 where a second profile
    is slower, with 2 where nothing can be read, with 3 where a part is damaged or cut off.
    """
    choose_language(lang)
    if not paths or len(paths) > 2:
        raise UsageError(_("give one profile, or two to compare"), "npudoctor accept profile PROF_000001_…")
    if fail_on not in ("fail", "warn"):
        raise UsageError(_("--fail-on {word}: no such status here").format(word=fail_on), "fail, warn")
    from npudoctor.accept.profile.compare import change_of
    from npudoctor.accept.profile.profile import profile_of
    from npudoctor.accept.profile.read import read
    from npudoctor.cli.output import put, style_for, targets
    from npudoctor.report import profile_json, profile_text

    wanted = targets(format, output or (), FORMATS)
    first, *rest = (profile_of(read(path)) for path in paths)
    after, before = (rest[0], first) if rest else (first, None)
    change = change_of(before, after) if before else None
    for target in wanted:
        if target.format == "json":
            put([profile_json.to_json(after, before, change)], target)
        else:
            put([profile_text.to_text(after, before, change, style_for(target, verbose))], target)
    slower = change is not None and change.slower
    stands_out = bool(after.flags) or not after.lead.word.startswith("compute-")
    problems = after.problems + (before.problems if before else ())
    return _exit(slower or (fail_on == "warn" and stands_out), problems, exit_zero)


def _exit(found: bool, problems: tuple[str, ...], exit_zero: bool) -> int:
    for problem in problems:
        typer.echo(f"npudoctor: {problem}", err=True)
    if exit_zero:
        return Exit.OK
    if found:
        return Exit.FINDINGS
    return Exit.INCOMPLETE if problems else Exit.OK

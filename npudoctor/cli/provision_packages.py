"""`npudoctor provision packages`: which files a stack needs, where they are, and which are missing."""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from npudoctor.cli import options
from npudoctor.cli.completing import complete_stack
from npudoctor.errors import Exit, UsageError
from npudoctor.words import _, choose_language, ngettext

if TYPE_CHECKING:
    from npudoctor.matrix.stacks import NamedStack
    from npudoctor.provision.packages.find import Found
    from npudoctor.provision.packages.place import Place

ARCHES = ("aarch64", "x86_64")

Stack = Annotated[
    str,
    typer.Option(
        metavar="NAME", help=_("A stack: npudoctor matrix show stacks."), autocompletion=complete_stack
    ),
]
Packages = Annotated[
    str | None,
    typer.Option(
        metavar="DIR|URL",
        help=_("A folder of packages, a store, or either over HTTP. Default: the store of this user."),
        show_default=False,
    ),
]
Arch = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A",
        help=_(
            "aarch64 or x86_64; repeatable. Default: those that files are there for, else this machine's."
        ),
        show_default=False,
    ),
]
Fetch = Annotated[
    bool,
    typer.Option("--fetch", help=_("Fetch what is missing into the folder, from where it is published.")),
]
Optional = Annotated[
    bool, typer.Option("--optional", help=_("With --fetch: wheels and images of containers too."))
]
Format = Annotated[str, typer.Option(metavar="FORMAT", help=_("text or json."))]


def packages(
    stack: Stack,
    packages: Packages = None,
    arch: Arch = None,
    fetch: Fetch = False,
    optional: Optional = False,
    matrix: options.MatrixFile = None,
    format: Format = "text",
    lang: options.Lang = None,
) -> int:
    """Say which packages a stack needs, where they are and where they are published.

    Files on a disk are hashed; what they are held against is said beside them. Nothing comes from outside
    unless --fetch is given. Exits with 0 where all that is needed is there and whole, else with 1.
    """
    choose_language(lang)
    _check_format(format)
    from npudoctor.cli.counting import Counting
    from npudoctor.matrix import load_matrix
    from npudoctor.matrix.stacks import load_stack
    from npudoctor.provision.packages.find import find

    named = load_stack(load_matrix(matrix), stack)
    where = _where(packages, fetch)
    failed = Exit.OK
    with Counting() as counting:
        place = _place(where, fetch)
        arches = chosen_arches(arch, place, named)
        found = [one for each in arches for one in find(place, named, each, tell=counting.tell)]
        if fetch:
            failed = _fetch(found, Path(where), optional, counting)
            place = _place(where, fetch)
            found = [one for each in arches for one in find(place, named, each, tell=counting.tell)]
    _show(named, arches, place.where, _once(found), format)
    return max(failed, Exit.FINDINGS if any(one.blocks for one in found) else Exit.OK, key=_RANK.index)


_RANK = (Exit.OK, Exit.INCOMPLETE, Exit.FINDINGS)


def chosen_arches(arch: list[str] | None, place: Place, stack: NamedStack) -> list[str]:
    """The architectures that were asked for, or that the place holds files for, or this machine's."""
    from npudoctor.provision.packages.find import arches_of

    wanted = list(dict.fromkeys(arch or ()))
    for one in wanted:
        if one not in ARCHES:
            raise UsageError(
                _("--arch {arch}: no such architecture").format(arch=one), _("aarch64 or x86_64")
            )
        if stack.arch not in ("", one):
            what = _("{stack} is for {arch} alone").format(stack=stack.name, arch=stack.arch)
            raise UsageError(what, _("npudoctor matrix show stacks lists the others"))
    here = platform.machine() if platform.machine() in ARCHES else "aarch64"
    return wanted or arches_of(place, stack) or [stack.arch or here]


def _where(packages: str | None, fetch: bool) -> str:
    from npudoctor.provision.packages.place import default_store

    if packages is not None:
        return packages
    store = default_store()
    return str(store if store.is_dir() and not fetch else store.with_name("packages"))


def _place(where: str, fetch: bool) -> Place:
    """The place; with --fetch a folder that need not be there yet."""
    from npudoctor.provision.packages.place import Folder, open_place

    if fetch:
        if "://" in where:
            what = _("--fetch needs a folder, not {where}").format(where=where)
            raise UsageError(what, _("give --packages DIR"))
        Path(where).expanduser().mkdir(parents=True, exist_ok=True)
    elif not Path(where).expanduser().exists() and "://" not in where:
        what = _("{where}: not there").format(where=where)
        raise UsageError(what, _("give --packages DIR or URL, or fetch with --fetch"))
    place = open_place(where)
    if fetch and not isinstance(place, Folder):
        what = _("{where}: a store takes no single files").format(where=where)
        raise UsageError(what, _("fetch into a folder, then npudoctor provision store build"))
    return place


def _fetch(found: list[Found], folder: Path, optional: bool, counting: object) -> Exit:
    """Fetch what is missing; what did not come is told on standard error."""
    from npudoctor.cli.counting import Counting
    from npudoctor.provision.packages.sources import fetch_missing

    assert isinstance(counting, Counting)
    failed = fetch_missing(found, folder.expanduser(), optional, counting.tell)
    for error in failed:
        print(f"npudoctor: {error}", file=sys.stderr)
    return Exit.INCOMPLETE if any(error.exit is Exit.INCOMPLETE for error in failed) else Exit.OK


def _once(found: list[Found]) -> list[Found]:
    """A file that both architectures need is shown once."""
    return list({(one.need.component, one.name): one for one in found}.values())


def _show(stack: NamedStack, arches: list[str], where: str, found: list[Found], format: str) -> None:
    import json

    from npudoctor.provision.packages.find import State
    from npudoctor.provision.packages.sources import origin_of
    from npudoctor.report.packages_json import packages_json
    from npudoctor.report.packages_text import packages_text

    away = [one for one in found if one.state in (State.MISSING, State.DAMAGED)]
    sources = {one.name: origin.url for one in away if (origin := origin_of(one))}
    if format == "json":
        content = packages_json(stack, arches, where, found, sources)
        typer.echo(json.dumps(content, indent=2, ensure_ascii=False))
        return
    typer.echo(
        _("{stack} on {arches}, packages in {where}").format(
            stack=stack.name, arches=", ".join(arches), where=where
        )
    )
    typer.echo("\n".join(packages_text(found, sources)))
    blocked = sum(one.blocks for one in found)
    typer.echo(
        _("all that is needed is there")
        if not blocked
        else ngettext(
            "{number} file is missing or damaged", "{number} files are missing or damaged", blocked
        ).format(number=blocked)
    )


def _check_format(format: str) -> None:
    if format not in ("text", "json"):
        raise UsageError(_("there is no format {name} here").format(name=format), _("text or json"))

"""`npudoctor provision store build|verify|import`: packages carried to sites without a network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from npudoctor.cli import options
from npudoctor.cli.commands import epilog
from npudoctor.cli.completing import complete_stack
from npudoctor.cli.provision_packages import Arch, Format, chosen_arches
from npudoctor.errors import Exit, UsageError
from npudoctor.words import _, choose_language, ngettext

if TYPE_CHECKING:
    from collections.abc import Callable

    from npudoctor.provision.packages.find import Found
    from npudoctor.provision.packages.manifest import Manifest
    from npudoctor.provision.packages.place import Place
    from npudoctor.provision.packages.planned import Wanted

app = typer.Typer(rich_markup_mode=None, add_completion=False)

StacksOption = Annotated[
    list[str] | None,
    typer.Option(
        "--stack",
        metavar="NAME",
        help=_("Store what this stack needs; repeatable."),
        autocompletion=complete_stack,
    ),
]
PlanOption = Annotated[
    Path | None,
    typer.Option(
        "--plan", metavar="FILE", help=_("Store what a plan needs, and what its hosts need to go back.")
    ),
]
From = Annotated[str, typer.Option("--packages", metavar="DIR|URL", help=_("Where the packages are now."))]
Output = Annotated[Path, typer.Option("--output", metavar="STORE", help=_("The folder of the store."))]
Missing = Annotated[
    bool, typer.Option("--allow-missing", help=_("Store what is there, where something is missing."))
]
Root = Annotated[
    Path | None,
    typer.Option(
        "--ca",
        metavar="FILE",
        help=_("Check the vendor's signatures of zips against this root certificate, PEM."),
        show_default=False,
    ),
]
Digest = Annotated[
    str | None,
    typer.Option(
        "--sha256",
        metavar="DIGEST",
        help=_("Take nothing unless the manifest has this digest; build and verify print it."),
        show_default=False,
    ),
]


@app.callback()
def store() -> None:
    """Build, verify and take in a content-addressed store of packages."""


@app.command(
    epilog=epilog(
        (
            "npudoctor provision store build --stack a2-cann8.5.0-vllm0.13.0 --packages . --output ./store",
            "npudoctor provision store build --plan plan.json --packages http://mirror/ --output ./store",
        )
    )
)
def build(
    packages: From,
    output: Output,
    stack: StacksOption = None,
    plan: PlanOption = None,
    arch: Arch = None,
    allow_missing: Missing = False,
    ca: Root = None,
    matrix: options.MatrixFile = None,
    format: Format = "text",
    lang: options.Lang = None,
) -> int:
    """Copy the packages of stacks into a store, whole and hashed; what it held before stays.

    Where a package is missing or damaged, nothing is written, and it exits with 1.
    """
    choose_language(lang)
    from npudoctor.cli.counting import Counting
    from npudoctor.provision.packages.build import Item
    from npudoctor.provision.packages.build import build as build_store
    from npudoctor.provision.packages.place import open_place

    with Counting() as counting:
        place = open_place(packages)
        wanted = _wanted(place, stack, plan, arch, matrix)
        found = [
            (each.stack.name, one) for each in wanted for one in _all_found(place, each, ca, counting.tell)
        ]
        if not _complete([one for _named, one in found], allow_missing):
            return Exit.FINDINGS
        items = [Item(one, named) for named, one in found if one.is_there]
        built = build_store(items, output, counting.tell)
    told = ngettext(
        "{output}: {added} package copied, there already: {present}",
        "{output}: {added} packages copied, there already: {present}",
        built.added,
    )
    _tell(built.manifest, told.format(output=output, added=built.added, present=built.present), format)
    return Exit.OK


@app.command(
    epilog=epilog(
        (
            "npudoctor provision store verify ./store",
            "npudoctor provision store verify /srv/npudoctor --format json",
        )
    )
)
def verify(
    store: Annotated[Path, typer.Argument(help=_("The folder of the store."))],
    format: Format = "text",
    lang: options.Lang = None,
) -> int:
    """Read every object of a store and hold it against the manifest; exits with 1 where one is damaged."""
    choose_language(lang)
    from npudoctor.cli.counting import Counting
    from npudoctor.provision.packages.verify import verify as verify_store
    from npudoctor.report.packages_text import verified_text

    with Counting() as counting:
        verified = verify_store(store, counting.tell)
    if format == "json":
        _echo(
            {
                "manifest_sha256": verified.manifest.sha256,
                "packages": [entry.as_json() for entry in verified.manifest.entries],
                "problems": [
                    {"name": one.name, "sha256": one.sha256, "what": one.what} for one in verified.problems
                ],
                "strays": list(verified.strays),
            }
        )
    else:
        typer.echo("\n".join(verified_text(verified)))
    return Exit.FINDINGS if verified.problems else Exit.OK


@app.command(
    name="import",
    epilog=epilog(
        (
            "npudoctor provision store import store.tar --output /srv/npudoctor",
            "npudoctor provision store import /media/usb/store --output /srv/npudoctor --sha256 DIGEST",
        )
    ),
)
def import_(
    source: Annotated[Path, typer.Argument(metavar="ARCHIVE|STORE", help=_("A store as a folder or a tar."))],
    output: Output,
    sha256: Digest = None,
    format: Format = "text",
    lang: options.Lang = None,
) -> int:
    """Take the packages of a carried store into the store of this site; every object is hashed.

    An import that is broken off leaves the store as it was. Damaged objects are never taken: exits with 1.
    """
    choose_language(lang)
    from npudoctor.cli.counting import Counting
    from npudoctor.provision.packages.carry import bring_in

    with Counting() as counting:
        imported = bring_in(source, output, _digest(sha256), counting.tell)
    told = ngettext(
        "{output}: {added} package taken in from {source}",
        "{output}: {added} packages taken in from {source}",
        imported.added,
    )
    _tell(imported.manifest, told.format(output=output, added=imported.added, source=source), format)
    return Exit.OK


def _digest(text: str | None) -> str:
    """The digest that was given; a variable of a shell that was never set is not "any"."""
    from npudoctor.regex import regex

    if text is not None and not regex(r"[0-9A-Fa-f]{64}").fullmatch(text):
        raise UsageError(_("--sha256: this is no digest"), _("give its 64 hex digits, or leave --sha256 out"))
    return text or ""


def _wanted(
    place: Place, stacks: list[str] | None, plan: Path | None, arch: list[str] | None, matrix: Path | None
) -> list[Wanted]:
    """What is to be stored: stacks with an architecture each, and what the hosts of a plan have now."""
    from npudoctor.matrix import load_matrix
    from npudoctor.matrix.stacks import load_stack
    from npudoctor.provision.packages.planned import Wanted, wanted_of_plan

    if not stacks and plan is None:
        raise UsageError(_("store build needs a stack or a plan"), _("give --stack NAME or --plan FILE"))
    loaded = load_matrix(matrix)
    named = [load_stack(loaded, name) for name in stacks or ()]
    wanted = [Wanted(one, each) for one in named for each in chosen_arches(arch, place, one)]
    return wanted + (wanted_of_plan(plan, loaded) if plan is not None else [])


def _all_found(place: Place, wanted: Wanted, root: Path | None, tell: Callable[[int], None]) -> list[Found]:
    """The packages of a stack, and other wheels that its Python takes; of the way back what is there."""
    from npudoctor.provision.packages.find import find
    from npudoctor.provision.packages.signature import signed
    from npudoctor.provision.packages.wheels import find_wheels

    found = find(place, wanted.stack, wanted.arch, wanted.only, tell=tell)
    found = signed(found, root) if root is not None else found
    if wanted.way_back:
        return [one for one in found if one.is_there]
    return found + find_wheels(place, wanted.stack, wanted.arch, {one.name for one in found})


def _complete(found: list[Found], allow_missing: bool) -> bool:
    """Whether all is there; what is not is told."""
    from npudoctor.provision.packages.find import State
    from npudoctor.report.packages_text import packages_text

    wrong = [one for one in found if one.blocks and not (allow_missing and one.state is State.MISSING)]
    if wrong:
        typer.echo("\n".join(packages_text(wrong, {})))
        typer.echo(_("nothing was stored"))
    return not wrong


def _tell(manifest: Manifest, told: str, format: str) -> None:
    from npudoctor.report.packages_text import entries_text

    if format == "json":
        packages = [entry.as_json() for entry in manifest.entries]
        _echo({"manifest_sha256": manifest.sha256, "packages": packages})
        return
    typer.echo("\n".join(entries_text(manifest.entries)))
    typer.echo(told)
    typer.echo(_("manifest {digest}").format(digest=manifest.sha256))


def _echo(content: Any) -> None:
    typer.echo(json.dumps(content, indent=2, ensure_ascii=False))

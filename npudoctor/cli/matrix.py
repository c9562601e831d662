"""`npudoctor matrix query|show|solve|validate`: ask the compatibility matrix without a host."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from npudoctor.cli import options
from npudoctor.cli.commands import epilog
from npudoctor.errors import Exit, UsageError
from npudoctor.matrix import Matrix, Row, Verdict, load_matrix
from npudoctor.report.width import wrap
from npudoctor.words import _, choose_language

if TYPE_CHECKING:
    from npudoctor.matrix.query import Pair, Result
    from npudoctor.matrix.solve import Solution

app = typer.Typer(rich_markup_mode=None, add_completion=False)
_WIDTH = 100
_DRIVER_HERE = "/usr/local/Ascend/driver/version.info"
_EXITS = {Verdict.UNSUPPORTED: Exit.FINDINGS, Verdict.UNKNOWN: Exit.INCOMPLETE}

Given = Annotated[
    list[str],
    typer.Argument(
        metavar="KEY=VALUE...", help=_("driver, firmware, cann, torch, torch_npu, python, chip, …")
    ),
]
Format = Annotated[str, typer.Option(metavar="FORMAT", help=_("text or json."))]


@app.callback()
def matrix() -> None:
    """Ask the compatibility matrix without a host."""


@app.command(
    epilog=epilog(
        (
            "npudoctor matrix query driver=25.0.rc1.1 cann=9.1.0 chip=910B3",
            "npudoctor matrix query cann=8.5.0 torch=2.8.0 torch_npu=2.8.0.post2 python=3.11 --format json",
        )
    )
)
def query(
    given: Given, matrix: options.MatrixFile = None, format: Format = "text", lang: options.Lang = None
) -> int:
    """Judge every pair of the given components.

    Exits with 0 for supported and caution, with 1 for unsupported, with 3 for unknown.
    """
    choose_language(lang)
    _check_format(format)
    result = load_matrix(matrix).query(_pairs_of(given))
    _put(result.as_json(), _query_text(result), format)
    return _EXITS.get(result.verdict, Exit.OK)


@app.command(
    epilog=epilog(("npudoctor matrix show driver_firmware 910B", "npudoctor matrix show 8.5.0 torch_npu"))
)
def show(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[WORD]...", help=_("What a row must hold."))
    ] = None,
    matrix: options.MatrixFile = None,
    format: Format = "text",
    lang: options.Lang = None,
) -> int:
    """List the rows that hold all these words.

    A word is a part of a section, an id, a version or a source. Without a word: the sections.
    """
    choose_language(lang)
    _check_format(format)
    loaded = load_matrix(matrix)
    rows = [row for row in loaded.rows() if _holds(row, words or ())]
    if not words and format == "text":
        typer.echo("\n".join(_sections(loaded)))
        return Exit.OK
    if not rows:
        raise UsageError(_("no row holds {words}").format(words=" ".join(words or ())), _("try fewer words"))
    _put([_row_json(row) for row in rows], (_row_text(row) for row in rows), format)
    return Exit.OK


@app.command(epilog=epilog(("npudoctor matrix validate", "npudoctor matrix validate my_matrix.yaml")))
def validate(
    file: Annotated[
        Path | None, typer.Argument(help=_("A matrix file; the one that ships where none is given."))
    ] = None,
    lang: options.Lang = None,
) -> int:
    """Check a matrix file.

    What is wrong is said with file, line and column.
    """
    from npudoctor.matrix.source import matrix_file
    from npudoctor.matrix.validate import validate_file

    choose_language(lang)
    path = file or matrix_file()
    rows = validate_file(path)
    typer.echo(_("{file}: {rows} rows, all well").format(file=path, rows=rows))
    return Exit.OK


@app.command(
    epilog=epilog(
        (
            "npudoctor matrix solve chip=910B3 vllm_ascend=0.11.0",
            "npudoctor matrix solve vllm_ascend=0.13.0 --from node1.tgz",
        )
    )
)
def solve(
    wanted: Given,
    from_: options.From = None,
    matrix: options.MatrixFile = None,
    format: Format = "text",
    lang: options.Lang = None,
) -> int:
    """Find complete sets around what is wanted, best first.

    With --from, or on a machine with an NPU driver: the fewest changes from what is installed.
    """
    from npudoctor.matrix.solve import solve as find

    choose_language(lang)
    _check_format(format)
    asked = _pairs_of(wanted)
    found = find(load_matrix(matrix), asked, _installed(from_))
    if not found and format == "text":
        typer.echo(_("No set of versions is known that holds all of this."))
    else:
        _put({"sets": [one.as_json() for one in found]}, _solutions(found), format)
    return Exit.OK if found else Exit.FINDINGS


def _pairs_of(given: Iterable[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for word in given:
        key, sign, value = word.partition("=")
        if not sign or not value:
            raise UsageError(
                _("{word} is no KEY=VALUE").format(word=word),
                _("write it like {form}").format(form="cann=8.5.0"),
            )
        name = key.strip().replace("-", "_")
        if name in pairs:
            raise UsageError(_("{name} is given twice").format(name=name), _("give each component once"))
        pairs[name] = value.strip()
    return pairs


def _check_format(format: str) -> None:
    if format not in ("text", "json"):
        raise UsageError(_("there is no format {name} here").format(name=format), _("text or json"))


def _put(content: Any, lines: Iterable[str], format: str) -> None:
    typer.echo(json.dumps(content, indent=2, ensure_ascii=False) if format == "json" else "\n".join(lines))


def _query_text(result: Result) -> Iterator[str]:
    for pair in result.pairs:
        yield from _pair_text(pair)
    if not result.pairs:
        yield _("No source speaks of any pair of these.")
    yield _("verdict: {verdict}").format(verdict=result.verdict.value)


def _pair_text(pair: Pair) -> Iterator[str]:
    left = f"{pair.left.component} {pair.left.version}"
    right = f"{pair.right.component} {pair.right.version}"
    grade = f" ({pair.grade.value})" if pair.sources else ""
    yield f"{pair.verdict.value:<12} {left} + {right}{grade}"
    yield from _indented(pair.note)
    if pair.fix:
        yield from _indented(_("take: {versions}").format(versions=_(" or ").join(pair.fix)))
    for source in pair.sources:
        yield "    " + _("source: {source}").format(source=source)


def _indented(text: str) -> list[str]:
    return wrap(text, _WIDTH, "    ", "    ") if text else []


def _holds(row: Row, words: Iterable[str]) -> bool:
    text = " ".join(
        (row.section, row.id, row.summary, str(row.content.get("note", "")), *(one.at for one in row.sources))
    )
    return all(word.lower() in text.lower() for word in words)


def _sections(matrix: Matrix) -> Iterator[str]:
    yield _("matrix of {updated}, sha256 {sha256}").format(updated=matrix.updated, sha256=matrix.sha256)
    for name, rows in matrix.content.items():
        if isinstance(rows, list):
            yield f"{name:<22}{len(rows):>4}"


def _row_json(row: Row) -> dict[str, Any]:
    return {
        **row.content,
        "section": row.section,
        "grade": row.grade.value,
        "sources": [one.at for one in row.sources],
    }


def _row_text(row: Row) -> str:
    return "\n".join([row.id, *_indented(row.summary)])


def _solutions(found: list[Solution]) -> Iterator[str]:
    for number, one in enumerate(found, 1):
        named = " " + _("(stack {stack})").format(stack=one.stack) if one.stack else ""
        yield f"{number}. {one.result.verdict.value}{named}"
        yield from _indented("  ".join(f"{key} {text}" for key, text in one.versions.items()))
        for name, old, new in one.changes:
            change = _("change: {name} {old} -> {new}")
            yield "    " + change.format(name=name, old=old or _("(none)"), new=new)
        for pair in filter(_worth, one.result.pairs):
            yield from _indented(f"{pair.verdict.value}: {_pair_line(pair)}")


def _worth(pair: Pair) -> bool:
    return pair.verdict is not Verdict.SUPPORTED


def _pair_line(pair: Pair) -> str:
    return f"{pair.left.component} + {pair.right.component}: {pair.note}"


def _installed(paths: list[Path] | None) -> dict[str, str]:
    """What is installed on the host of a bundle, or here where there is an NPU driver."""
    from npudoctor.cli.sources import chosen, reading
    from npudoctor.host import Host
    from npudoctor.host.installed import installed_of

    if not paths and not os.path.exists(_DRIVER_HERE):
        return {}
    with reading(chosen(paths, None, None, None, None)) as sources:
        return installed_of(Host(next(iter(sources)).read()))

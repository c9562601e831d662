"""`npudoctor accept compare A B`: whether a model still says the same after it was made faster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from npudoctor.cli import options
from npudoctor.errors import Exit, UsageError
from npudoctor.words import _, choose_language

if TYPE_CHECKING:
    from npudoctor.accept.compare.result import Comparison

FORMATS = ("text", "json")
KINDS = ("logits", "text", "perplexity")
First = Annotated[
    Path | None, typer.Argument(metavar="A", help=_("The original's output."), show_default=False)
]
Second = Annotated[
    Path | None,
    typer.Argument(metavar="B", help=_("The output of what was made of it."), show_default=False),
]
Kind = Annotated[str, typer.Option(metavar="KIND", help=", ".join(KINDS) + ".", show_default=False)]
Cosine = Annotated[
    float,
    typer.Option(metavar="X", min=-1, max=1, help=_("Logits: the least cosine similarity of any position.")),
]
Top5 = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        min=0,
        max=1,
        help=_("Logits: the least share of the five best tokens that both have."),
        show_default=False,
    ),
]
Bleu = Annotated[float, typer.Option(metavar="X", min=0, help=_("Text: the least ratio of BLEU-4."))]
Recall = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        min=0,
        max=1,
        help=_("Text: the least share of names and numbers that are still there."),
        show_default=False,
    ),
]
Entities = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help=_("Text: the names to look for, one a line; else what looks like one."),
        show_default=False,
    ),
]
Change = Annotated[
    float, typer.Option(metavar="X", min=0, help=_("Perplexity: the most by which it may rise, as a share."))
]
Worst = Annotated[int, typer.Option(metavar="N", min=0, help=_("How many of the worst examples are shown."))]
Format = Annotated[str, typer.Option(metavar="FORMAT", help=", ".join(FORMATS) + ".")]


def compare(
    first: First = None,
    second: Second = None,
    kind: Kind = "",
    min_cosine: Cosine = 0.999,
    min_top5: Top5 = None,
    min_bleu_ratio: Bleu = 0.995,
    min_recall: Recall = None,
    entities: Entities = None,
    max_perplexity_change: Change = 0.03,
    worst: Worst = 5,
    format: Format = "text",
    output: options.Output = None,
    exit_zero: options.ExitZero = False,
    lang: options.Lang = None,
    verbose: options.Verbose = False,
) -> int:
    """Compare the output of two models.

    Dumped logits, generated texts or perplexity, over the same input.
    Exits with 1 where a limit is not kept to, with 2 where the two cannot be compared.
    """
    choose_language(lang)
    if first is None or second is None:
        raise UsageError(_("give two outputs"), "npudoctor accept compare a.npy b.npy --kind logits")
    if kind not in KINDS:
        raise UsageError(_("--kind {kind}: no such kind").format(kind=kind or "?"), ", ".join(KINDS))
    from npudoctor.cli.output import put, style_for, targets
    from npudoctor.report import comparison

    wanted = targets(format, output or (), FORMATS)
    if kind == "logits":
        compared = _logits(first, second, min_cosine, min_top5, worst)
    elif kind == "text":
        compared = _texts(first, second, min_bleu_ratio, min_recall, entities, worst)
    else:
        compared = _perplexity(first, second, max_perplexity_change, worst)
    for target in wanted:
        if target.format == "json":
            put([comparison.to_json(compared)], target)
        else:
            put([comparison.to_text(compared, style_for(target, verbose))], target)
    return Exit.FINDINGS if compared.failed and not exit_zero else Exit.OK


def _logits(first: Path, second: Path, cosine: float, top5: float | None, worst: int) -> Comparison:
    from npudoctor.accept.compare.logits import compare_logits

    return compare_logits(first, second, cosine, top5, worst)


def _texts(
    first: Path, second: Path, ratio: float, recall: float | None, entities: Path | None, worst: int
) -> Comparison:
    from npudoctor.accept.compare.text import compare_texts
    from npudoctor.accept.compare.texts import read_rows

    names = [str(row).strip() for row in read_rows(entities) if str(row).strip()] if entities else []
    return compare_texts(first, second, ratio, recall, names, worst)


def _perplexity(first: Path, second: Path, change: float, worst: int) -> Comparison:
    from npudoctor.accept.compare.perplexity import compare_perplexity

    return compare_perplexity(first, second, change, worst)

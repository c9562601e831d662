"""`npudoctor accept memory`: will a model fit, how many requests at once, and which values to set."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from npudoctor.cli import options
from npudoctor.errors import Exit, UsageError
from npudoctor.words import _, choose_language

FORMATS = ("text", "json")
_DRIVER_HERE = "/usr/local/Ascend/driver/version.info"
Model = Annotated[
    Path | None,
    typer.Option(metavar="DIR|config.json", help=_("The model's folder, or its config."), show_default=False),
]
ChipName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help=_("The chip: 910B3, A3, …; else the one of this host."), show_default=False
    ),
]
Hbm = Annotated[
    float | None,
    typer.Option(
        metavar="GIB", min=0.1, help=_("Memory of a card, where no chip says it."), show_default=False
    ),
]
Cards = Annotated[int, typer.Option("--tp", metavar="N", min=1, help=_("Cards, with tensor parallelism."))]
Dtype = Annotated[
    str | None,
    typer.Option(
        metavar="D",
        help=_("Precision of the weights: bfloat16, int8, int4, … Default: that of the config."),
        show_default=False,
    ),
]
Concurrency = Annotated[int, typer.Option(metavar="N", min=1, help=_("Requests at once."))]
Length = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help=_("Tokens of a request, prompt and answer. Default: as long as the model can."),
        show_default=False,
    ),
]
Format = Annotated[str, typer.Option(metavar="FORMAT", help=", ".join(FORMATS) + ".")]


def memory(
    model: Model = None,
    chip: ChipName = None,
    hbm: Hbm = None,
    tp: Cards = 1,
    dtype: Dtype = None,
    concurrency: Concurrency = 1,
    length: Length = None,
    from_: options.From = None,
    sample: options.Sample = None,
    format: Format = "text",
    output: options.Output = None,
    exit_zero: options.ExitZero = False,
    lang: options.Lang = None,
) -> int:
    """Plan the memory of each card for a model.

    Weights, KV cache, activations, and what the runtime takes; what fits beside them, and the values to set.
    Exits with 1 where it does not fit, with 3 where the memory of a card is not known.
    """
    choose_language(lang)
    if model is None:
        raise UsageError(_("--model is missing"), "npudoctor accept memory --model DIR --chip 910B3")
    from npudoctor.accept.memory.plan import Wanted, plan_of, smallest_cards
    from npudoctor.accept.memory.precision import precision_of
    from npudoctor.accept.memory.read import read_model
    from npudoctor.accept.memory.shape import shape_of
    from npudoctor.cli.output import put, style_for, targets
    from npudoctor.report import memory_plan

    targeted = targets(format, output or (), FORMATS)
    read = read_model(model)
    shape = shape_of(read.config, read.name)
    precision = precision_of(read.config, dtype, read.quantisation)
    stored = None if dtype else read.stored
    memory_of_card = _bytes(hbm) if hbm else _hbm(chip, from_, sample)
    wanted = Wanted(tp, concurrency, length, memory_of_card, stored)
    plan, cards = plan_of(shape, precision, wanted), smallest_cards(shape, precision, wanted)
    for target in targeted:
        if target.format == "json":
            put([memory_plan.to_json(shape, precision, wanted, plan, cards)], target)
        else:
            put(
                [memory_plan.to_text(shape, precision, wanted, plan, cards, style_for(target, False))], target
            )
    return Exit.OK if exit_zero else _exit(plan.fits)


def _bytes(gib: float) -> int:
    """`nan`, `inf` and what no card will ever have pass the parser of options."""
    if not gib < 1 << 20:
        raise UsageError(_("{option} {value}: is no number").format(option="--hbm", value=gib), "--hbm 64")
    return int(gib * 1024**3)


def _exit(fits: bool | None) -> Exit:
    return Exit.INCOMPLETE if fits is None else Exit.OK if fits else Exit.FINDINGS


def _hbm(chip: str | None, paths: list[Path] | None, sample: str | None) -> int | None:
    """Memory of a card: of the chip that is named, of a bundle's host, or of this one if it has NPUs."""
    from npudoctor.accept.memory.card import hbm_of_chip, hbm_of_host

    if chip is not None:
        return hbm_of_chip(chip)
    if not paths and not sample and not os.path.exists(_DRIVER_HERE):
        return None
    from npudoctor.cli.sources import chosen, reading
    from npudoctor.host import Host

    with reading(chosen(paths, None, sample)) as sources:
        return hbm_of_host(Host(next(iter(sources)).read()))

"""`atc` command lines: the chip they compile for, and options that exclude each other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.finding import Status
from npudoctor.gate.rules.registry import Subject, Trouble, gate_check
from npudoctor.gate.rules.verdicts import replaced, trouble
from npudoctor.matrix.chips import chips
from npudoctor.regex import regex
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.gate.unit import Command, Where

_MORE_NAMES = (
    "Ascend310", "Ascend610", "Ascend610Lite", "Ascend910A", "Ascend910B", "Ascend910_5591", "Ascend910_9361",
    "Ascend910_9362", "Ascend910_9372", "Ascend910_9381", "Ascend910_9382", "Ascend910_9391",
    "Ascend910_9392", "Ascend310P1", "Ascend310P3", "Ascend310P5", "Ascend310P7", "Ascend910", "Ascend310B1",
    "Ascend310B2", "Ascend310B3", "Ascend310B4", "Ascend615", "SD3403", "OPTG", "TsnsC", "TsnsE",
)  # fmt: skip
_OTHER_SERIES = regex(
    r"(?i)Ascend(?:910_95|950|035|615|610)\w*|Ascend031|BS9SX\w*|MC6[12]\w*|Hi3796\w*|AS31\w*|Kirin\w*"
)
_MANUAL = "hiascend.com: ATC tool, --soc_version, --input_shape, --precision_mode, --op_select_implmode"
_PLATFORMS = "CANN 8.1.RC1 data/platform_config"
_VALUES = {
    "precision_mode": (
        "force_fp32", "force_fp16", "cube_fp16in_fp32out", "allow_fp32_to_fp16", "must_keep_origin_dtype",
        "allow_mix_precision", "allow_mix_precision_fp16", "allow_mix_precision_bf16", "allow_fp32_to_bf16",
    ),
    "precision_mode_v2": (
        "fp16", "origin", "cube_fp16in_fp32out", "mixed_float16", "mixed_bfloat16", "cube_hif8", "mixed_hif8",
    ),
    "op_select_implmode": (
        "high_precision", "high_performance", "high_precision_for_all", "high_performance_for_all",
    ),
    "framework": ("0", "1", "3", "5"),
}  # fmt: skip
_DYNAMIC = ("dynamic_batch_size", "dynamic_image_size", "dynamic_dims")


@gate_check(
    "cann.atc_soc_version",
    title=N_("atc compiles for a chip that exists"),
    sources=(_MANUAL, _PLATFORMS),
    dated="2026-08",
)
def soc_version(subject: Subject) -> Iterator[Trouble]:
    """`--soc_version` takes the exact name of a chip: Ascend310P3, Ascend910B4; npu-smi shows the rest of it.

    Ascend310P is the name of a resource and of a family, not of a chip: atc stops with E10001 or E10410.
    The names are those of the platform files of CANN. (ATC manual, CANN 8.1.RC1; 2026-08.)
    """
    for command, options in _atc(subject):
        if "soc_version" not in options:
            continue
        value, where = options["soc_version"]
        if "$" in value:
            yield from _partly_known(command, value, where)
        elif not _is_known(value):
            near = [name for name in _names() if name.lower().startswith(value.lower()) and value]
            actual = _("there is no chip {name}").format(name=value or "''")
            expected = _(" or ").join(near[:4])
            edits = replaced(where, value, near[0]) if len(near) == 1 else ()
            yield trouble(
                "cann.atc_soc_version", Status.FAIL, [where], actual, expected=expected,
                summary=_("Write the chip as `npu-smi info` shows it, with Ascend in front."), edits=edits,
            )  # fmt: skip


@gate_check(
    "cann.atc_options",
    title=N_("Options of atc go together"),
    sources=(_MANUAL,),
    dated="2026-08",
)
def options(subject: Subject) -> Iterator[Trouble]:
    """Some options of atc exclude each other, and some take a few words only; atc stops with E10001.

    Of --dynamic_batch_size, --dynamic_image_size and --dynamic_dims one can be given, and --input_shape then
    has -1 where sizes vary. --precision_mode and --precision_mode_v2 exclude each other. (ATC manual,
    2026-08.)
    """
    for command, options in _atc(subject):
        for words, where in _contradictions(command, options):
            summary = _("See `atc --help` for what goes together.")
            yield trouble("cann.atc_options", Status.FAIL, [where], words, summary=summary)


def _contradictions(
    command: Command, options: Mapping[str, tuple[str, Where]]
) -> Iterator[tuple[str, Where]]:
    for name, known in _VALUES.items():
        value, where = options.get(name, ("", command.where))
        if value and "$" not in value and value not in known:
            yield (
                _("--{option}={value}: takes {known}").format(
                    option=name, value=value, known=", ".join(known)
                ),
                where,
            )
    given = [name for name in _DYNAMIC if name in options]
    if len(given) > 1:
        yield (
            _("{options} exclude each other").format(options=", ".join(f"--{name}" for name in given)),
            (options[given[1]][1]),
        )
    if {"precision_mode", "precision_mode_v2"} <= options.keys():
        both = "--precision_mode, --precision_mode_v2"
        yield _("{options} exclude each other").format(options=both), options["precision_mode_v2"][1]
    shape = options.get("input_shape")
    if given and shape and "$" not in shape[0] and "-1" not in shape[0]:
        yield _("--{option} without -1 in --input_shape").format(option=given[0]), shape[1]


def _partly_known(command: Command, value: str, where: Where) -> Iterator[Trouble]:
    """`Ascend{$chip}` cannot become a name, whatever the variable holds; else it is not known."""
    fixed = re.sub(r"\$\{[^}]*\}|\$\([^)]*\)", "", value)
    if re.search(r"[^A-Za-z0-9_-]", fixed):
        actual = _("{name} is no name of a chip, whatever the variable holds").format(name=value)
        yield trouble("cann.atc_soc_version", Status.FAIL, [where], actual,
                      summary=_("Put the braces behind the dollar sign."))  # fmt: skip
    else:
        names = ", ".join(command.unresolved)
        actual = _("--soc_version={value}: {names} is not set in these files").format(
            value=value, names=names
        )
        yield trouble("cann.atc_soc_version", Status.UNKNOWN, [where], actual)


def _is_known(value: str) -> bool:
    return value.lower() in {name.lower() for name in _names()} or bool(_OTHER_SERIES.fullmatch(value))


def _names() -> tuple[str, ...]:
    return tuple(dict.fromkeys((*(chip.soc_version for chip in chips()), *_MORE_NAMES)))


def _atc(subject: Subject) -> Iterator[tuple[Command, dict[str, tuple[str, Where]]]]:
    for command in subject.unit.commands:
        if command.words and command.words[0].rpartition("/")[2] in ("atc", "atc.bin"):
            yield command, _options(command)


def _options(command: Command) -> dict[str, tuple[str, Where]]:
    """Options by name; `--name=value` and `--name value`."""
    found: dict[str, tuple[str, Where]] = {}
    for index, word in enumerate(command.words):
        if not word.startswith("-"):
            continue
        name, equals, value = word.lstrip("-").partition("=")
        if not equals and index + 1 < len(command.words) and not command.words[index + 1].startswith("--"):
            value = command.words[index + 1]
        found[name] = (value.strip("\"'"), command.place(index))
    return found

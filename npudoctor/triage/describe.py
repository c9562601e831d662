"""An error code in words, with its source: what `explain` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.triage.codes import codes
from npudoctor.triage.decode import decode
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.triage.codes import Code

FAMILIES = {
    "acl": N_("number of AscendCL and the runtime"),
    "aclnn": N_("number of the aclnn operators"),
    "ge": N_("number of the graph engine"),
    "rt": N_("inner code of the runtime"),
    "ts": N_("code of the task scheduler on the device"),
    "drv": N_("number of the driver"),
    "dcmi": N_("number of DCMI"),
    "npu_smi": N_("number of npu-smi"),
    "hccl": N_("result of HCCL"),
    "cann": N_("code of CANN"),
    "torch_npu": N_("code of torch_npu"),
    "mindie": N_("code of MindIE"),
    "npu_event": N_("health event of the NPU"),
    "aicore": N_("error word of the AI Core"),
    "errno": N_("error number of Linux"),
    "signal": N_("signal of Linux"),
    "exit": N_("exit status of a process"),
    "name": N_("symbol without a number"),
}


_CONTEXTS = ("{word}", "{word}:", "errNo[{word}]", "errcode:({word}, 0, 0)", "exitcode: {word}")
"""Where a log may have a token that a person copied out of it."""


def meant(word: str) -> list[Code]:
    """The codes that a person may mean by a token, a symbol, or a piece of a log line."""
    if known := codes().anywhere(word):
        return known
    return next((found for text in _CONTEXTS if (found := decode(text.format(word=word)))), [])


def describe(code: Code) -> Iterator[str]:
    """All that is known of a code, a line each."""
    name = f"{code.code} {code.name}" if code.name else code.code
    yield _("{name} ({kind}): {meaning}").format(
        name=name, kind=_(FAMILIES[code.family]), meaning=_(code.meaning)
    )
    if code.catch_all:
        yield "  " + _("It names no cause: look at the lines below it.")
    if code.cause:
        yield "  " + _("usual cause: {cause}").format(cause=_(code.cause))
    if code.fix:
        yield "  " + _("what helps: {fix}").format(fix=_(code.fix))
    if code.handling:
        level = _(codes().levels.get(code.handling, ""))
        yield "  " + _("the device plugin treats it as {word}: {level}").format(
            word=code.handling, level=level
        )
    if code.others:
        others = ", ".join(f"{family} {number}" for family, number in code.others)
        yield "  " + _("the same in other layers: {codes}").format(codes=others)
    yield "  " + _("source: {source}").format(source=code.source)
    yield "  " + _("as of: {date}").format(date=codes().dated)

"""How much memory a card has: by the name of its chip, or as npu-smi says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.errors import IncompleteError, UsageError
from npudoctor.matrix.chips import FAMILIES, chip_of_name, chips, family_of_name
from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.host import Host

_MB = 1024 * 1024


def hbm_of_chip(name: str) -> int:
    """Bytes of the memory of a chip, of the smallest of its family where the name says no more.

    Raises:
        UsageError: There is no such chip, or no source says how much memory it has.
    """
    chip = chip_of_name(name)
    family = chip.family if chip else (name if name in FAMILIES else family_of_name(name))
    sizes = chip.hbm_mb if chip else ()
    sizes = sizes or tuple(size for one in chips() if one.family == family for size in one.hbm_mb)
    if family is None:
        raise UsageError(_("there is no chip {name}").format(name=name), "npudoctor matrix show chips")
    if not sizes:
        raise UsageError(
            _("no source says how much memory {name} has").format(name=name),
            _("give --hbm, or run it on the host itself"),
        )
    return min(sizes) * _MB


def hbm_of_host(host: Host) -> int:
    """Bytes of the memory of the smallest chip of a host.

    Raises:
        IncompleteError: npu-smi does not say it.
    """
    from npudoctor.fact import Unavailable

    try:
        rows = host.npus.table.value.chips
    except Unavailable as why:
        raise IncompleteError(f"npu-smi info: {why}", _("give --chip or --hbm")) from None
    sizes = [size for row in rows if (size := row.hbm_total_mb or row.memory_total_mb)]
    if not sizes:
        raise IncompleteError(_("npu-smi info names no memory of a chip"), _("give --chip or --hbm"))
    return min(sizes) * _MB

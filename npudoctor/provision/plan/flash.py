"""What the NPUs themselves ask of a driver: the base version in their flash, and parts that old ones lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, unavailable
from npudoctor.parse.npu_flash import BaseVersion, parse_base_version, parse_cdr, parse_version_cap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.collect.snapshot import Snapshot
    from npudoctor.host import Host

_TOOL = "/usr/local/Ascend/driver/tools/upgrade-tool --device_index -1 --hw_base_version"
_CAP = "/usr/local/Ascend/driver/script/version_cap.map"
_CDR = "commands/hccn_tool_-i_*_-scdr_-g"


@dataclass(frozen=True, slots=True)
class Memory:
    """The HBM of one card and the board that it sits on, as npu-smi prints them."""

    board: str
    maker: str
    mhz: int


@dataclass(frozen=True, slots=True)
class Flash:
    """What decides which drivers these NPUs take.

    Attributes:
        base: The least capability that their flash asks for.
        capabilities: First driver of each capability, as the installed driver lists them.
        cdr: Makers of the ports' clock and data recovery parts.
        memory: Of the cards that say all of it.
    """

    base: Fact[BaseVersion]
    capabilities: Mapping[int, str]
    cdr: Fact[frozenset[str]]
    memory: tuple[Memory, ...]


def read_flash(host: Host) -> Flash:
    """Read it out of a host."""
    snapshot = host.snapshot
    return Flash(
        base=snapshot.command(_TOOL).map(parse_base_version),
        capabilities=snapshot.file(_CAP).map(parse_version_cap).or_none() or {},
        cdr=_cdr(snapshot),
        memory=tuple(_memory(host)),
    )


def _cdr(snapshot: Snapshot) -> Fact[frozenset[str]]:
    """All ports together; where one did not answer its reason, unless another says what matters."""
    entries = list(snapshot.matching(_CDR))
    facts = [snapshot.output(entry.origin).map(lambda one: parse_cdr(one.all_text)) for entry in entries]
    if not facts:
        return unavailable("hccn_tool -scdr -g: not collected", "hccn_tool -scdr -g")
    makers = frozenset(maker for fact in facts if (maker := fact.or_none()))
    return facts[0].map(lambda _one: makers) if not makers else Fact(makers, facts[0].evidence)


def _memory(host: Host) -> Iterator[Memory]:
    for npu, sections in host.npus.details.get("memory", {}).items():
        board = host.npus.boards[npu].or_none() if npu in host.npus.boards else None
        for section in sections.or_none() or ():
            maker, mhz = section.values.get("hbm_manufacturer_id"), section.values.get("hbm_clock_speed_mhz")
            if board and board.board_id and maker is not None and isinstance(mhz, int | float):
                yield Memory(board.board_id.lower(), str(maker).lower(), int(mhz))

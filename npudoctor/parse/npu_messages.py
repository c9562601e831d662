"""`dmesg`: what the kernel said about NPUs: lines of their driver and errors on PCIe."""

from __future__ import annotations

import re

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

_STAMP = regex(r"^(?:<\d+>)?\[\s*(\d{1,12}\.\d{1,9})\]\s?(.*)$")
_ASCEND = regex(r"\[ascend\]\s*\[([^\]]+)\]\s*(?:\[(ERROR|WARN|INFO|EVENT)\]\s*)?\[(\S+)\s+\d+\]\s*(.*)$")
_DEVICE = regex(r"\b(?:dev_?id|udevid|phy_?id)\s*=\s*(\d{1,9})", re.I)
_RETURN = regex(r"\bret\s*=\s*(-?\d{1,9})")
_ADDRESS = regex(r"\b((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\b", re.I)
_AER = regex(r"\bAER\b|PCIe Bus Error", re.I)
_LINK_DOWN = regex(r"pciehp.*(?:Link Down|Card not present)|Surprise (?:Link )?Down", re.I)
_UNCORRECTED = regex(r"severity=(?:Uncorrected|Uncorrectable|Fatal)|Uncorrected \(|\bfatal\b", re.I)
_CORRECTED = regex(r"Corrected error|severity=Corrected|Correctable", re.I)


@dataclass(frozen=True, slots=True)
class DriverMessage:
    """A line of the NPU driver.

    Attributes:
        seconds: Since boot; None where the line has no stamp.
        module: `drv_pcie`, `devdrv`, `uda`.
        function: The function that wrote it.
        level: `ERROR`, `WARN`, …; None where the line does not say.
        device: The device number that it names; None where it names none.
        code: The value after `ret=`; None where there is none.
        line: As printed.
    """

    seconds: float | None
    module: str
    function: str
    level: str | None
    device: int | None
    code: int | None
    line: str


@dataclass(frozen=True, slots=True)
class PcieMessage:
    """A line about an error on PCIe.

    Attributes:
        seconds: Since boot; None where the line has no stamp.
        address: `0000:c1:00.0`, of the device that it names; None where it names none.
        severity: `uncorrected`, `corrected`, `link-down`, or `other`.
        line: As printed.
    """

    seconds: float | None
    address: str | None
    severity: str
    line: str


@dataclass(frozen=True, slots=True)
class NpuMessages:
    """What the kernel log says about NPUs and PCIe.

    Attributes:
        lines: How many lines were read.
        driver: Lines of the NPU driver, in order.
        pcie: Lines about PCIe errors, in order.
    """

    lines: int
    driver: tuple[DriverMessage, ...]
    pcie: tuple[PcieMessage, ...]


@parser("dmesg-npu", origin="dmesg")
def parse_npu_messages(text: str) -> NpuMessages:
    """Lines of the NPU driver and of PCIe errors. A log without any is an answer, not an error.

    Raises:
        ParseError: The buffer is empty or was refused: that says nothing about the host.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise ParseError("the kernel's message buffer is empty")
    if len(lines) == 1 and "not permitted" in lines[0]:
        raise ParseError(f"{lines[0].strip()}; run it again as root")
    driver = [message for line in lines if "[ascend]" in line and (message := _driver(line))]
    pcie = [_pcie(line) for line in lines if _AER.search(line) or _LINK_DOWN.search(line)]
    return NpuMessages(len(lines), tuple(driver), tuple(pcie))


def _driver(line: str) -> DriverMessage | None:
    match = _ASCEND.search(line)
    if match is None:
        return None
    text = match[4]
    return DriverMessage(
        seconds=_seconds(line),
        module=match[1],
        function=match[3],
        level=match[2],
        device=_number(_DEVICE, text),
        code=_number(_RETURN, text),
        line=line.strip(),
    )


def _pcie(line: str) -> PcieMessage:
    address = _ADDRESS.findall(line)
    return PcieMessage(
        seconds=_seconds(line),
        address=_full(address[-1]) if address else None,
        severity=_severity(line),
        line=line.strip(),
    )


def _severity(line: str) -> str:
    if _LINK_DOWN.search(line):
        return "link-down"
    if _UNCORRECTED.search(line):
        return "uncorrected"
    return "corrected" if _CORRECTED.search(line) else "other"


def _full(address: str) -> str:
    return (address if address.count(":") == 2 else "0000:" + address).lower()


def _seconds(line: str) -> float | None:
    match = _STAMP.match(line)
    return float(match[1]) if match else None


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    return int(match[1]) if match else None

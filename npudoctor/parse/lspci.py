"""`lspci -nn`, `lspci` and `lspci -vvv`: devices, their links, their drivers."""

from __future__ import annotations

import re
from dataclasses import replace

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.npu_smi_text import plain_lines
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

HUAWEI = "19e5"


@dataclass(frozen=True, slots=True)
class PciDevice:
    """One device.

    Attributes:
        address: With its domain, in lower case: `0000:c1:00.0`.
        vendor_id: `19e5`; plain `lspci` does not print it, so it is known for Huawei's devices only.
        device_id: `d802`; None where plain `lspci` knows a name and prints that instead.
        revision: `20`; `ff` is a device that does not answer any more.
        line: As printed.
    """

    address: str
    class_name: str
    vendor_id: str | None
    device_id: str | None
    revision: str | None
    line: str


@dataclass(frozen=True, slots=True)
class PciLink:
    """A device with its PCIe link and driver, out of `lspci -vvv`. None where it is not printed.

    Attributes:
        able_speed_gts: Of the link at its best (LnkCap), in GT/s; `able_width` in lanes.
        speed_gts: Of the link now (LnkSta).
        aspm_able: As printed after ASPM in LnkCap: `not supported`, `L1`, `L0s L1`.
        aspm: As printed after ASPM in LnkCtl: `Disabled`, `L1 Enabled`.
        aspm_line: The line that says so.
        driver: The kernel driver in use.
        numa_node: None where the kernel gives none.
        uncorrected: Names of errors that are set in the uncorrectable status (UESta); None where unread.
    """

    device: PciDevice
    able_speed_gts: float | None = None
    able_width: int | None = None
    speed_gts: float | None = None
    width: int | None = None
    aspm_able: str | None = None
    aspm: str | None = None
    aspm_line: str | None = None
    driver: str | None = None
    numa_node: int | None = None
    uncorrected: tuple[str, ...] | None = None


_DEVICE = regex(
    r"^(?P<domain>[0-9a-f]{4,8}:)?(?P<slot>[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s+(?P<class>[^:]{3,80}):\s(?P<rest>.*)$",
    re.I,
)
_IDS = regex(r"\[([0-9a-f]{4}):([0-9a-f]{4})\]", re.I)
_UNNAMED = regex(r"Huawei\b.*?\bDevice\s+([0-9a-f]{4})\b", re.I)
_REVISION = regex(r"\(rev ([0-9a-f]{2})\)", re.I)
_LINK = regex(r"Speed\s+([\d.]{1,6})\s*GT/s.*?Width\s+x(\d{1,2})")
_ASPM = regex(r"ASPM\s+([^;,]+)")
_SET = regex(r"\b([A-Za-z]+)\+")


@parser("lspci", origin="lspci -nn")
def parse_lspci(text: str) -> tuple[PciDevice, ...]:
    """All devices that are printed, with `-nn` or without. No text is a machine without PCI devices."""
    devices = tuple(device for device in map(_device, plain_lines(text)) if device)
    if text.strip() and not devices:
        raise ParseError("no line that starts with a PCI address")
    return devices


def _device(line: str) -> PciDevice | None:
    match = _DEVICE.match(line.strip())
    if match is None or line[:1].isspace():
        return None
    rest, ids = match["rest"], _IDS.findall(match["rest"])
    unnamed = _UNNAMED.search(rest)
    huawei = HUAWEI if "Huawei" in rest else None
    vendor, device = ids[-1] if ids else (huawei, unnamed[1] if unnamed else None)
    revision = _REVISION.search(rest)
    return PciDevice(
        address=f"{match['domain'] or '0000:'}{match['slot']}".lower(),
        class_name=re.sub(r"\s*\[[0-9a-f]{4}\]$", "", match["class"], flags=re.I),
        vendor_id=vendor.lower() if vendor else None,
        device_id=device.lower() if device else None,
        revision=revision[1].lower() if revision else None,
        line=line.strip(),
    )


@parser("lspci-vvv", origin="lspci -vvv")
def parse_lspci_vvv(text: str) -> tuple[PciLink, ...]:
    """Every device with its link; raises `ParseError` for text without a device."""
    links: list[PciLink] = []
    for line in plain_lines(text):
        if device := _device(line):
            links.append(PciLink(device))
        elif links:
            links[-1] = _detailed(links[-1], line.strip())
    if text.strip() and not links:
        raise ParseError("no line that starts with a PCI address")
    return tuple(links)


def _detailed(link: PciLink, line: str) -> PciLink:
    key, _, value = line.partition(":")
    value = value.strip()
    if key == "LnkCap":
        speed, width = _speed(value)
        return replace(link, able_speed_gts=speed, able_width=width, aspm_able=_aspm(value))
    if key == "LnkSta":
        speed, width = _speed(value)
        return replace(link, speed_gts=speed, width=width)
    if key == "LnkCtl":
        return replace(link, aspm=_aspm(value), aspm_line=line)
    if key == "Kernel driver in use":
        return replace(link, driver=value or None)
    if key == "NUMA node" and value.isdecimal() and len(value) < 6:
        return replace(link, numa_node=int(value))
    if key == "UESta":
        return replace(link, uncorrected=tuple(_SET.findall(value)))
    return link


def _speed(value: str) -> tuple[float | None, int | None]:
    match = _LINK.search(value)
    if match is None or match[1].count(".") > 1 or match[1].strip(".") == "":
        return None, None
    return float(match[1]), int(match[2])


def _aspm(value: str) -> str | None:
    match = _ASPM.search(value)
    return match[1].strip() if match else None

"""PCI Express below the NPUs: link speed, errors, and whether the driver has the devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.driver_running import is_loaded, without_messages
from npudoctor.checks.npu_scope import example_of_each, grouped, without_npu
from npudoctor.checks.pcie import without_links
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, unknown, warn
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterable

    from npudoctor.host import Host
    from npudoctor.parse.lspci import PciLink
    from npudoctor.parse.npu_messages import PcieMessage

HEALTHCHECK = "github.com/hicann/driver npu-healthcheck.sh"
SLOW_GTS = 8.0
NARROW_LANES = 8


@check(
    "pcie.link",
    title=N_("The NPUs' links have their speed and width"),
    sources=(f"{HEALTHCHECK}: 8 GT/s and x8 at least",),
    dated="2026-08",
)
def link(host: Host) -> Verdict:
    """A link that trained slower or narrower than the slot allows slows every copy down.

    NPUs can do 32 GT/s; in a PCIe 4 host they run at 16 GT/s and lspci says "downgraded": that is normal.
    Fewer lanes than the NPU has, or fewer than another NPU of the same host, are not: a card that is not
    seated, or a riser or slot of less lanes. Below 8 GT/s or x8 the vendor's own health script fails.
    (npu-healthcheck.sh of the driver, 2026-08.)
    """
    if reason := without_npu(host):
        return skip(reason)
    if reason := without_links(host):
        return skip(reason)
    trained = [one for one in host.npus.links.value if one.speed_gts and one.width]
    if not trained:
        return unknown(actual=_("lspci does not show LnkSta: run it as root"))
    slow = [one for one in trained if (one.speed_gts or 0) < SLOW_GTS or (one.width or 0) < NARROW_LANES]
    behind = [one for one in trained if _behind(one, trained)]
    if not (slow or behind):
        return ok(*_link_lines(trained), actual=f"{trained[0].device.address}: {_trained(trained[0])}")
    fix = Fix(
        Action.RESEAT,
        _("Seat the card again, and look at riser, slot and BIOS settings."),
        ("lspci -vvv -d 19e5: | grep -e '^[0-9a-f]' -e LnkCap: -e LnkSta:",),
    )
    expected = _("the speed and width of the other NPUs, at least 8 GT/s and x8")
    words = {one.device.address: _trained(one) for one in slow or behind}
    proofs = {one.device.address: line for one, line in zip(trained, _link_lines(trained), strict=True)}
    verdict = fail if slow else warn
    return verdict(
        *example_of_each(words, proofs), actual=grouped(words, len(trained)), expected=expected, fix=fix
    )


@check(
    "pcie.driver_bound",
    title=N_("The NPU driver has every NPU on PCI"),
    sources=("github.com/hicann/driver devdrv_device_driver", HEALTHCHECK),
    dated="2026-08",
    role="driver",
)
def driver_bound(host: Host) -> Verdict:
    """A device without "Kernel driver in use" is there for the bus and for nobody else.

    The NPU driver is devdrv_device_driver; vfio-pci means that the NPU was handed to virtual machines.
    Right: every NPU on PCI has the NPU driver. (Driver sources, 2026-08.)
    """
    if reason := without_npu(host):
        return skip(reason)
    if reason := without_links(host):
        return skip(reason)
    if is_loaded(host) is False:
        return skip(_("the driver is not loaded: see driver.modules"))
    links = host.npus.links.value
    if not links:
        return unknown(host.npus.links, actual=_("lspci -vvv lists no NPU"))
    free = [one for one in links if one.driver is None and one.device.revision != "ff"]
    given = [one for one in links if one.driver and one.driver.startswith("vfio")]
    if free:
        fix = Fix(
            Action.REINSTALL,
            _("Load the driver; where its modules do not fit the kernel, install it again."),
            ("modprobe drv_pcie_host", "dmesg | grep -i ascend"),
            role="driver",
        )
        words = dict.fromkeys((one.device.address for one in free), _("no driver"))
        actual = grouped(words, len(links))
        return fail(*_driver_lines(free)[:2], actual=actual, expected="devdrv_device_driver", fix=fix)
    if given:
        return ok(
            *_driver_lines(given), actual=_("{addresses} given to VMs").format(addresses=_addresses(given))
        )
    return ok(*_driver_lines(links), actual=_("{count} NPUs").format(count=len(links)))


@check(
    "pcie.errors",
    title=N_("The kernel log shows no PCIe error of an NPU"),
    sources=(HEALTHCHECK, "kernel.org: Documentation/PCI/pcieaer-howto"),
    dated="2026-08",
)
def errors(host: Host) -> Verdict:
    """Uncorrected PCIe errors and links that go down end jobs; corrected ones announce them.

    Judged are errors of the NPUs themselves, and lines that name no device or a port above them are shown
    as a warning. A runtime that lost its device prints 507010 "heartbeat lost" or drvRetCode 33.
    Right: none. The log is as old as the boot. (Kernel manual; npu-healthcheck.sh; 2026-08.)
    """
    if reason := without_npu(host) or without_messages(host):
        return skip(reason)
    messages = host.driver.messages
    ours = {device.address for device in host.npus.pci.or_none() or ()}
    lines = messages.value.pcie
    hard = [one for one in lines if one.severity in ("uncorrected", "link-down") and one.address in ours]
    soft = [one for one in lines if one not in hard and (one.address in ours or _may_be_ours(one, ours))]
    fix = Fix(
        Action.RESEAT,
        _("Seat the card again, look at riser and power; if errors go on, ask the vendor."),
        ("dmesg | grep -i -e AER -e pciehp",),
    )
    found = hard or soft
    if not found:
        return ok(messages, actual=_("none in {count} lines").format(count=messages.value.lines))
    proofs = [Evidence("dmesg", one.line) for one in found[:4]]
    places = ", ".join(sorted({one.address or "?" for one in found}))
    actual = _("{count} errors at {places}").format(count=len(found), places=places)
    verdict = fail if hard else warn
    return verdict(*proofs, actual=actual, expected=_("no error"), fix=fix)


def _may_be_ours(message: PcieMessage, ours: set[str]) -> bool:
    """A link above some device went down, or nobody knows where the NPUs are."""
    return message.severity == "link-down" or (not ours and message.severity != "corrected")


def _behind(one: PciLink, others: Iterable[PciLink]) -> bool:
    """Narrower than the NPU itself can be, or slower than another NPU of the same kind."""
    if one.width and one.able_width and one.width < one.able_width:
        return True
    same = [other for other in others if other.device.device_id == one.device.device_id]
    return any((other.speed_gts or 0) > (one.speed_gts or 0) for other in same)


def _trained(link: PciLink) -> str:
    return f"{link.speed_gts:g} GT/s x{link.width}"


def _addresses(links: Iterable[PciLink]) -> str:
    return ", ".join(link.device.address for link in links)


def _link_lines(links: Iterable[PciLink]) -> list[Evidence]:
    return [
        Evidence(
            "lspci -vvv", f"{one.device.address} LnkSta: Speed {one.speed_gts:g}GT/s, Width x{one.width}"
        )
        for one in links
    ]


def _driver_lines(links: Iterable[PciLink]) -> list[Evidence]:
    return [
        Evidence("lspci -vvv", f"{one.device.address} Kernel driver in use: {one.driver or '-'}")
        for one in links
    ]

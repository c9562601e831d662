"""Power saving on PCI Express: ASPM by policy and on the links of the NPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.npu_scope import example_of_each, grouped, without_npu
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, unknown, warn
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterable

    from npudoctor.host import Host
    from npudoctor.parse.kernel_cmdline import KernelCmdline
    from npudoctor.parse.lspci import PciLink

FIELD_REPORT = "field report: a long-context chat model on Ascend 910B (CANN 7.0, driver 6.0)"
KERNEL_DOC = "kernel.org: kernel-parameters, pcie_aspm=; Documentation/power/pci"
POLICY = "/sys/module/pcie_aspm/parameters/policy"
_SWITCHED_ON = ("pcie_aspm=force", "pcie_aspm.policy=powersave", "pcie_aspm.policy=powersupersave")


@check(
    "pcie.aspm",
    title=N_("PCIe ASPM is off"),
    sources=(FIELD_REPORT, KERNEL_DOC),
    dated="2026-08",
    role="host_tuning",
)
def aspm(host: Host) -> Verdict:
    """Active State Power Management puts PCIe links to sleep; an NPU link that sleeps breaks calls.

    A field report of an Ascend 910B service found ASPM to be one of three causes of ACL_ERROR_RT_FAILED.
    Right: the kernel's policy is `performance`, or the kernel was booted with pcie_aspm=off. With
    `default` the BIOS decides: where every link of an NPU is seen to be off it is a warning. (Field report,
    2026-08.)
    """
    if reason := without_npu(host):
        return skip(reason)
    cmdline = host.kernel.cmdline
    if cmdline.known and cmdline.value.has("pcie_aspm=off"):
        return ok(cmdline.map(lambda line: line, text="pcie_aspm=off"), actual="pcie_aspm=off")
    policy = host.kernel.pcie_aspm_policy
    if policy.absent:
        return skip(_("this kernel has no ASPM"))
    if not policy.known and (asked := _asked_for(cmdline.or_none())):
        proof = cmdline.map(lambda line: line, text=asked)
        return fail(proof, actual=asked, expected=_("performance, or pcie_aspm=off"), fix=_aspm_fix(host))
    if policy.value == "performance":
        return ok(policy, actual=policy.value)
    links = _links_with_aspm(host.npus.links.or_none() or ())
    off = bool(links) and all("disabled" in (one.aspm or "disabled").lower() for one in links)
    if policy.value == "default" and off:
        return warn(
            policy,
            *_aspm_lines(links)[:2],
            actual=_("off by the BIOS, not by the kernel"),
            expected=_("performance, or pcie_aspm=off"),
            fix=_aspm_fix(host),
        )
    return fail(policy, actual=policy.value, expected=_("performance, or pcie_aspm=off"), fix=_aspm_fix(host))


def _asked_for(cmdline: KernelCmdline | None) -> str:
    """The word of the kernel command line that switches ASPM on; empty without one."""
    return next((word for word in _SWITCHED_ON if cmdline and cmdline.has(word)), "")


@check(
    "pcie.aspm_link",
    title=N_("ASPM is disabled on the NPUs' links"),
    sources=(FIELD_REPORT, "PCI Express Base Specification, Link Control Register"),
    dated="2026-08",
    role="host_tuning",
)
def aspm_link(host: Host) -> Verdict:
    """The kernel's policy is a wish; LnkCtl of each NPU tells whether its link may sleep.

    Right: `ASPM Disabled` in `lspci -vvv` for every NPU (root sees it, others do not), or `ASPM not
    supported`. Enabled states (L0s, L1) are what the field report on ACL_ERROR_RT_FAILED found, whatever
    the policy says. (2026-08.)
    """
    if reason := without_npu(host):
        return skip(reason)
    if reason := without_links(host):
        return skip(reason)
    said = _links_with_aspm(host.npus.links.value)
    if not said:
        return unknown(actual=_("lspci does not show LnkCtl: run it as root"))
    asleep = [one for one in said if _sleeps(one)]
    unsure = [one for one in said if one.aspm and "disabled" not in one.aspm.lower()]
    if not asleep and unsure:
        return unknown(
            *_aspm_lines(unsure), actual=_("a state that is not known: {words}").format(words=unsure[0].aspm)
        )
    if not asleep:
        return ok(*_aspm_lines(said), actual=_("Disabled on {count} links").format(count=len(said)))
    words = {one.device.address: one.aspm or "" for one in asleep}
    proofs = {one.device.address: line for one, line in zip(asleep, _aspm_lines(asleep), strict=True)}
    actual = grouped(words, len(said))
    return fail(*example_of_each(words, proofs), actual=actual, expected="ASPM Disabled", fix=_aspm_fix(host))


def without_links(host: Host) -> str:
    """Why links of NPUs are not judged; empty where they are. Few images have lspci."""
    if host.npus.links.absent:
        return _("no lspci")
    hidden = not host.npus.links.known and host.system.in_container.or_none()
    return _("inside a container without lspci") if hidden else ""


def _links_with_aspm(links: Iterable[PciLink]) -> list[PciLink]:
    """Those that say whether they may sleep: in LnkCtl, or in LnkCap that they cannot."""
    return [one for one in links if one.aspm or one.aspm_able == "not supported"]


def _sleeps(link: PciLink) -> bool:
    return "enabled" in (link.aspm or "").lower()


def _aspm_lines(links: Iterable[PciLink]) -> list[Evidence]:
    return [
        Evidence("lspci -vvv", f"{one.device.address} {one.aspm_line or 'LnkCap: ASPM not supported'}")
        for one in links
    ]


def _aspm_fix(host: Host) -> Fix:
    release = (
        host.outside or host
    ).system.release.or_none()  # of a container's host: its kernel is that one's
    grubby = 'sudo grubby --update-kernel=ALL --args="pcie_aspm=off"'
    grub = "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&pcie_aspm=off /' /etc/default/grub && sudo update-grub"
    lasting = grub if release and release.id in ("ubuntu", "debian", "velinux", "uos") else grubby
    return Fix(
        Action.CONFIGURE,
        _("Turn ASPM off now, and for good on the kernel command line (or in the BIOS)."),
        (f"echo performance | sudo tee {POLICY}", lasting),
        role="host_tuning",
    )

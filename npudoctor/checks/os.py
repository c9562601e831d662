"""The operating system: supported, of the right kind, on time, and not changing under the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.registry import check
from npudoctor.errors import UsageError
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, unknown, warn
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.fact import Fact
    from npudoctor.host import Host
    from npudoctor.matrix import Matrix
    from npudoctor.matrix.query import Pair

MINDCLUSTER_OS = (
    "github.com/Ascend/mind-cluster docs/zh/scheduling/01_introduction/03_supported_product_models_and_os.md"
)
ARCHITECTURES = ("aarch64", "x86_64")
GLIBC_FLOOR = (2, 17)
GLIBC_OF_WHEELS = (2, 28)


@check(
    "os.supported",
    title=N_("The vendor lists this system for this chip"),
    sources=(MINDCLUSTER_OS, "github.com/Ascend/MindIE-LLM docs/zh/user_guide/install"),
    dated="2026-08",
)
def supported(host: Host, matrix: Matrix) -> Verdict:
    """Each product has its own list of systems, and drivers come with modules for these.

    The lists name major and minor version (Ubuntu 22.04), so the point release does not count. A system
    that no list names is unknown, not wrong: it may run, but nobody has said so.
    """
    if host.system.in_container.or_none():
        return skip(_("inside a container"))
    if host.npus.present.or_none() is False:
        return skip(_("no NPU on this machine"))
    system, chip = host.system.os, host.npus.chip
    pairs = _pairs_of_system(host, matrix)
    against = [pair for pair in pairs if pair.verdict in ("unsupported", "caution")]
    if against:
        return _too_early(system, host.driver.version, against)
    if pairs:
        products = _("; ").join(pair.note for pair in pairs if pair.note)
        return ok(system, chip, actual=system.value, expected=products)
    actual = _("no list for {chip} names {system}").format(chip=chip.value, system=system.value)
    return unknown(system, chip, actual=actual)


@check(
    "os.architecture",
    title=N_("The processor's architecture is the one that CANN was built for"),
    sources=("github.com/hicann/driver scripts/package/custom/driver (env_check.sh: Arch mismatch)",),
    dated="2026-08",
)
def architecture(host: Host) -> Verdict:
    """Driver and CANN exist for aarch64 and x86_64, and a package of the other kind does not start.

    Right: `uname -m` and the architecture in the install file of CANN agree.
    """
    arch, cann = host.system.arch, host.cann.active.or_none()
    expected = " / ".join(ARCHITECTURES)
    if arch.value not in ARCHITECTURES:
        return fail(arch, actual=arch.value, expected=expected)
    built_for = (cann.arch or arch.value).replace("x86-64", "x86_64") if cann else arch.value
    if built_for == arch.value:
        return ok(arch, actual=arch.value, expected=expected)
    actual = _("{arch}, and CANN in {root} is for {built_for}").format(
        arch=arch.value, root=cann.root if cann else "", built_for=built_for
    )
    summary = _("Install the CANN packages for this architecture.")
    return fail(
        arch,
        host.cann.active,
        actual=actual,
        expected=arch.value,
        fix=Fix(Action.REINSTALL, summary, role="cann"),
    )


@check(
    "os.virtual_machine",
    title=N_("A virtual machine leaves firmware to its host"),
    sources=(
        "hiascend.com NPU driver guides (driver only inside a virtual machine)",
        "https://www.hiascend.com/document/detail/en/canncommercial/850/appdevg/acldevg/aclcppdevg_000222.html",
    ),
    dated="2026-08",
)
def virtual_machine(host: Host) -> Verdict:
    """Inside a virtual machine only the driver is installed; firmware is the business of its host.

    The vendor's guides say so, and allow 32 user processes on one NPU there in place of 64. A virtual
    machine is no fault; a firmware package that was installed inside of one is.
    """
    if host.system.in_container.or_none():
        return skip(_("inside a container"))
    kind = host.system.virtualization
    if not host.system.in_vm.value:
        return ok(kind, actual=kind.value.name)
    firmware = host.driver.firmware_on_disk
    if not firmware.known:
        return ok(kind, actual=kind.value.name)
    summary = _("Manage firmware on the host of this virtual machine.")
    actual = _("{kind}, with a firmware package").format(kind=kind.value.name)
    fix = Fix(Action.NONE, summary)
    return warn(kind, firmware, actual=actual, expected=_("no firmware package"), fix=fix)


@check(
    "os.glibc",
    title=N_("The C library is new enough for CANN and torch_npu"),
    sources=(
        "https://www.hiascend.com/document/detail/en/canncommercial/800/softwareinst/instg/instg_0045.html",
        "github.com/Ascend/pytorch README.zh.md (v2.7.1-7.3.0)",
    ),
    dated="2026-08",
)
def glibc(host: Host) -> Verdict:
    """NNAL needs glibc 2.17; wheels of torch_npu from 2.7.1 on are built for 2.28.

    MindIE wants more: 2.34 for its packages with the old C++ ABI, 2.38 for those with the new one.
    """
    version = host.system.glibc
    number = tuple(int(part) for part in version.value.split(".")[:2])
    if number >= GLIBC_OF_WHEELS:
        return ok(version, expected=">= 2.28")
    summary = _("Use a newer system, or run in a container with one.")
    if number < GLIBC_FLOOR:
        return fail(version, expected=">= 2.17", fix=Fix(Action.UPGRADE, summary))
    return warn(version, expected=">= 2.28", fix=Fix(Action.UPGRADE, summary))


def _pairs_of_system(host: Host, matrix: Matrix) -> list[Pair]:
    """What the matrix says of this system with the chip, and with the driver where that is known."""
    given = {"os": host.system.os.value, "chip": host.npus.chip.value, "arch": host.system.arch.value}
    driver = host.driver.version.or_none()
    try:
        result = matrix.query(given | {"driver": driver} if driver else given)
    except UsageError:  # a driver whose number nobody knows says nothing of the system
        result = matrix.query(given)
    return [pair for pair in result.pairs if "os" in (pair.left.component, pair.right.component)]


def _too_early(system: Fact[str], driver: Fact[str], against: list[Pair]) -> Verdict:
    """The vendor takes this system from a later driver on; `caution` where only some products do so."""
    judge = fail if any(pair.verdict == "unsupported" for pair in against) else warn
    wanted = dict.fromkeys(version for pair in against for version in pair.fix)
    summary = _("Bring the driver to a version that takes this system: {versions}.")
    return judge(
        system,
        driver,
        expected=_("; ").join(pair.note for pair in against if pair.note),
        fix=Fix(Action.UPGRADE, summary.format(versions=", ".join(wanted) or "?"), role="driver"),
        references=[source for pair in against for source in pair.sources],
    )

"""The NPU driver at work: its modules, its libraries, its version, its messages in the kernel log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.driver import GUIDE, INSTALLER
from npudoctor.checks.npu_scope import without_npu
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, warn
from npudoctor.host.driver import LIBRARY_LIST, ROOT
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.parse.version_info import VersionInfo

PCIE_MODULES = ("drv_pcie_host", "drv_vpcie")
MODULE_PREFIXES = ("drv_", "asdrv_", "ascend_")


@check(
    "driver.modules",
    title=N_("The driver's kernel modules are loaded"),
    sources=(GUIDE, f"{INSTALLER}/run_driver_install.sh"),
    dated="2026-08",
    role="driver",
)
def modules(host: Host) -> Verdict:
    """Without its kernel modules the driver has no device nodes and npu-smi answers -8005.

    The usual cause is a kernel that was upgraded after the installation: the modules were built for the old
    one. Right: lsmod shows drv_pcie_host (drv_vpcie in a virtual machine) and its companions.
    (Driver guide and installer, 2026-08; module names of newer drivers may differ, then others count.)
    """
    if reason := without_npu(host):
        return skip(reason)
    if host.system.in_container.or_none():
        return skip(_("inside a container: the modules are the host's"))
    loaded = host.driver.modules
    ours = sorted(name for name in loaded.value if name.startswith(MODULE_PREFIXES))
    if not ours:
        return fail(
            loaded.map(lambda names: names, text=_("no drv_… module")),
            actual=_("none is loaded"),
            expected=", ".join(PCIE_MODULES[:1]),
            fix=_load_fix(),
        )
    evidence = loaded.map(lambda names: names, text=", ".join(ours[:8]))
    if any(name.startswith((*PCIE_MODULES, "asdrv_")) for name in ours):
        return ok(evidence, actual=_("{count} modules").format(count=len(ours)))
    return warn(
        evidence,
        actual=_("no {name}").format(name=PCIE_MODULES[0]),
        expected=PCIE_MODULES[0],
        fix=_load_fix(),
    )


@check(
    "driver.running_version",
    title=N_("The driver that runs is the driver on disk"),
    sources=(f"{INSTALLER}/driver_install.sh (reboot texts)", "user reports of -8005 without a reboot"),
    dated="2026-08",
    role="reboot",
)
def running_version(host: Host) -> Verdict:
    """An upgrade changes the libraries at once and the kernel modules at the next reboot.

    In between libraries and modules do not fit: -8005 is common. Right: the version that npu-smi prints is
    the one in version.info, or its package_version (22.0.x drivers carry packages numbered 6.0.x).
    (The installer's own texts about reboots; user reports, 2026-08.)
    """
    if reason := without_npu(host):
        return skip(reason)
    running, info = host.driver.running, host.driver.on_disk
    if info.absent:
        return skip(_("no driver on disk"))
    names = {name.lower() for name in (info.value.version, _package(info.value)) if name}
    if running.value.lower() in names:
        return ok(running, info, actual=running.value)
    fix = Fix(
        Action.REBOOT,
        _("Reboot the host, so that the installed driver runs."),
        ("sudo reboot",),
        role="reboot",
    )
    actual = _("{running} runs, {installed} is on disk").format(
        running=running.value, installed=info.value.version
    )
    return fail(running, info, actual=actual, expected=_("the same version"), fix=fix)


@check(
    "driver.library_path",
    title=N_("The dynamic linker finds the driver's libraries"),
    sources=(
        f"{INSTALLER}/driver_install.sh (so_ldconfig)",
        "github.com/Ascend/cann-container-image tools/template",
    ),
    dated="2026-08",
    role="driver",
)
def library_path(host: Host) -> Verdict:
    """libascend_hal.so and libdrvdsmi_host.so are in driver/lib64/driver, outside the linker's usual path.

    The installer lists the folder in /etc/ld.so.conf.d/ascend_driver_so.conf; images set LD_LIBRARY_PATH.
    Without either npu-smi ends with "error while loading shared libraries" and torch_npu with "Can't get
    ascend_hal device count". (The driver's installer, image templates, 2026-08.)
    """
    error = host.driver.library_error
    if host.driver.on_disk.absent and host.system.in_container.or_none():
        return skip(_("inside a container: see container.driver_mounts"))
    if error.or_none():
        return fail(error, actual=error.value, expected=f"{ROOT}/driver/lib64/driver", fix=_library_fix())
    if reason := without_npu(host):
        return skip(reason)
    listed = host.driver.library_folders
    variables = host.environment.variables.or_none() or {}
    value = variables.get("LD_LIBRARY_PATH", "")
    if "/driver/lib64" in value:
        return ok(Evidence("environment", f"LD_LIBRARY_PATH={value}"), actual="LD_LIBRARY_PATH")
    folders = () if listed.absent else listed.value
    if any("/driver/lib64" in folder for folder in folders):
        return ok(listed, actual=LIBRARY_LIST)
    actual = _("neither {path} nor LD_LIBRARY_PATH names it").format(path=LIBRARY_LIST)
    return warn(
        Evidence(LIBRARY_LIST, ", ".join(folders) or _("not there")),
        Evidence("environment", f"LD_LIBRARY_PATH={value}"),
        actual=actual,
        expected=f"{ROOT}/driver/lib64/driver",
        fix=_library_fix(),
    )


@check(
    "driver.udevid_conflict",
    title=N_("No container asked for an NPU that another one holds"),
    sources=(
        "github.com/hicann/driver src/sdk_driver/pbl/uda (uda_occupy_dev_by_ns)",
        "github.com/Ascend/cann-container-image issue 46",
    ),
    dated="2026-08",
)
def udevid_conflict(host: Host) -> Verdict:
    """ "Conflict open udevid" in the kernel log names the cause of a bare -8020 or drvRetCode 87.

    The driver gives an NPU to the first container (mount namespace) that opens it; a process of another one
    is refused, although the node is there and npu-smi on the host works. An idle shell in the first
    container is enough to hold it. The log is as old as the boot: look at its time stamps.
    (Driver sources, cann-container-image issue 46, 2026-08.)
    """
    if reason := without_npu(host) or without_messages(host):
        return skip(reason)
    messages = host.driver.messages
    taken = [one for one in messages.value.driver if "Conflict open udevid" in one.line]
    if not taken:
        return ok(messages, actual=_("none in {count} lines").format(count=messages.value.lines))
    numbers = sorted({one.device for one in taken if one.device is not None})
    actual = _("device {numbers} was held by another container").format(numbers=", ".join(map(str, numbers)))
    proofs = [Evidence("dmesg", one.line) for one in taken[-3:]]
    return warn(*proofs, actual=actual, expected=_("no such message"), fix=_taken_fix())


def _package(info: VersionInfo) -> str | None:
    """The number of the package, where npu-smi may print that one: another series, or the shorter form."""
    version, package = info.version or "", info.package or ""
    other_series = version.partition(".")[0] != package.partition(".")[0]
    return package if other_series or version.startswith(f"{package}.") else None


def is_loaded(host: Host) -> bool | None:
    """Whether a module of the driver is loaded; None where nobody looked, or this is a container."""
    names = host.driver.modules.or_none()
    if names is None or host.system.in_container.or_none():
        return None
    return any(name.startswith(MODULE_PREFIXES) for name in names)


def without_messages(host: Host) -> str:
    """Why the kernel log is not judged; empty where it is. Containers seldom may read it."""
    hidden = not host.driver.messages.known and host.system.in_container.or_none()
    return _("inside a container: the kernel log is the host's") if hidden else ""


def _load_fix() -> Fix:
    return Fix(
        Action.REINSTALL,
        _("Build the modules for the running kernel, or boot the kernel that they were built for."),
        ("dkms status", "uname -r", "modprobe drv_pcie_host"),
        role="driver",
    )


def _library_fix() -> Fix:
    lines = "\\n".join(f"{ROOT}/driver/lib64{part}" for part in ("/common", "/driver", ""))
    return Fix(
        Action.CONFIGURE,
        _("List the driver's folders for the dynamic linker; in a container set LD_LIBRARY_PATH."),
        (f"printf '{lines}\\n' | sudo tee {LIBRARY_LIST} && sudo ldconfig",),
        role="driver",
    )


def _taken_fix() -> Fix:
    return Fix(
        Action.FREE,
        _("Find the container that holds the NPU, and stop it or give the other one another NPU."),
        ("docker inspect --format '{{.Name}} {{.HostConfig.Devices}}' $(docker ps -q)",),
    )

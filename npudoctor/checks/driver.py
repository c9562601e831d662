"""The NPU driver: installed, whole, loaded, and the one that runs is the one on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.npu_scope import without_npu
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, warn
from npudoctor.host.driver import INSTALL_INFO, ROOT
from npudoctor.versions import Hdk, VersionError, driver_version
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host

INSTALLER = "github.com/hicann/driver scripts/package/custom/driver/common/scripts"
GUIDE = "hiascend.com NPU driver installation guide, CANN softwareinst instg_0005"
DEPLOYER = "PyPI ascend-deployer 26.0.0 module_utils/check_output_manager.py"
STATUS_SINCE = Hdk("25.0.rc1")
"""From here on every driver is taken to write Driver_Install_Status; 24.x did so or not."""


@check(
    "driver.installed",
    title=N_("An NPU driver is installed"),
    sources=(GUIDE, f"{INSTALLER}/run_driver_install.sh"),
    dated="2026-08",
    role="driver",
)
def installed(host: Host) -> Verdict:
    """An NPU on PCI does nothing without the driver package of its family.

    Right: version.info of the driver is there, below the path that /etc/ascend_install.info names. In a
    container it comes from the host: see container.driver_mounts. (Driver guide, 2026-08.)
    """
    info = host.driver.on_disk
    if not info.known and (reason := without_npu(host)):
        return skip(reason)
    if info.absent and host.system.in_container.or_none():
        return skip(_("inside a container: see container.driver_mounts"))
    if not info.absent:
        return ok(info, actual=info.value.version or "")
    _there = host.npus.present.value  # where that is unknown, so is whether a driver is missing
    fix = Fix(
        Action.REINSTALL,
        _("Install the driver package of this NPU, then its firmware."),
        ("./Ascend-hdk-CHIP-npu-driver_VERSION_linux-ARCH.run --full --install-for-all --quiet",),
        role="driver",
    )
    actual = _("no {path}").format(path=f"{ROOT}/driver/version.info")
    return fail(
        host.npus.present,
        Evidence(f"{ROOT}/driver/version.info", _("not there")),
        actual=actual,
        expected=_("a driver"),
        fix=fix,
    )


@check(
    "driver.install_complete",
    title=N_("The driver's installation came to its end"),
    sources=(
        f"{INSTALLER}/install.sh (statusUpdate)",
        "npu-smi warning; hiascend.com FAQ on Driver_Install_Status",
    ),
    dated="2026-08",
    role="driver",
)
def install_complete(host: Host) -> Verdict:
    """The installer writes Driver_Install_Status=complete as its last act.

    Where the line is missing npu-smi of the same driver warns that the package may not be completely
    installed, and -8005 is common. Drivers before 24.x never wrote it. A folder in place of
    /etc/ascend_install.info was made by Docker, for a mount whose source was missing.
    (The driver's installer and the vendor's FAQ, 2026-08.)
    """
    if host.system.in_container.or_none():
        return skip(_("inside a container: the driver is the host's"))
    record = host.driver.paths.of(INSTALL_INFO)
    if record.known and record.value.kind == "folder":
        return fail(
            record,
            actual=_("{path} is a folder").format(path=INSTALL_INFO),
            expected=_("a file"),
            fix=_reinstall((f"rmdir {INSTALL_INFO}",)),
        )
    warned = host.driver.incomplete_warning
    if warned.or_none():
        return fail(
            warned,
            actual=_("npu-smi warns of it"),
            expected="Driver_Install_Status=complete",
            fix=_reinstall(),
        )
    return _status_of_install(host)


@check(
    "driver.install_path",
    title=N_("The recorded install path holds the driver"),
    sources=(f"{DEPLOYER} (adp driver_install_info)",),
    dated="2026-08",
    role="driver",
)
def install_path(host: Host) -> Verdict:
    """CANN, torch_npu and MindSpore find the driver through /etc/ascend_install.info.

    They read Driver_Install_Path_Param and open driver/version.info below it. A record that points to an
    old or copied place makes them report no version or a wrong one. Right: the file is there.
    (ascend-deployer checks for it; torch_npu.utils.get_cann_version documents it; 2026-08.)
    """
    install = host.driver.install
    if install.absent:
        return skip(_("no {path}").format(path=INSTALL_INFO))
    if install.value.driver_path is None:
        return skip(_("it names no driver path"))
    recorded = host.driver.recorded
    if recorded.absent and host.system.in_container.or_none():
        return skip(_("inside a container: see container.driver_mounts"))
    if recorded.absent:
        path = f"{install.value.driver_path}/driver/version.info"
        return fail(
            install,
            Evidence(path, _("not there")),
            actual=_("no {path}").format(path=path),
            expected=_("the driver at the recorded path"),
            fix=_reinstall(),
        )
    return ok(install, recorded, actual=f"{install.value.driver_path}: {recorded.value.version}")


@check(
    "driver.old_package",
    title=N_("No all-in-one package of the first generation is left"),
    sources=(f"{INSTALLER}/args_parse.sh crossVersion (ERR_NO 0x0094)",),
    dated="2026-08",
    role="driver",
)
def old_package(host: Host) -> Verdict:
    """/etc/HiAI_install.info belongs to the first packages, which held driver and CANN in one.

    The driver's installer stops where it finds the file (ERR_NO 0x0094): the next installation or upgrade
    fails. Right: it is not there. (The driver's installer, 2026-08.)
    """
    if reason := without_npu(host):
        return skip(reason)
    old = host.driver.old_package
    if not old.value:
        return ok(old, actual=_("none"))
    fix = Fix(
        Action.REINSTALL, _("Uninstall the old package before the next driver upgrade."), (), role="driver"
    )
    return warn(old, actual="/etc/HiAI_install.info", expected=_("not there"), fix=fix)


def _status_of_install(host: Host) -> Verdict:
    install, info = host.driver.install, host.driver.on_disk.or_none()
    if install.absent:
        if info is None:
            return skip(_("no driver"))
        return warn(
            Evidence(INSTALL_INFO, _("not there")),
            actual=_("no {path}").format(path=INSTALL_INFO),
            expected=_("the installer's record"),
            fix=_reinstall(),
        )
    status = install.value.driver_status
    if status == "complete":
        return ok(install, actual=status)
    if status is not None:
        return fail(install, actual=status, expected="complete", fix=_reinstall())
    if _should_say(info.version if info else None) and not host.driver.incomplete_warning.known:
        return warn(install, actual=_("no Driver_Install_Status"), expected="complete", fix=_reinstall())
    return ok(install, actual=_("this driver does not write Driver_Install_Status"))


def _should_say(version: str | None) -> bool:
    """Whether a driver of this version writes its status for certain."""
    try:
        found = driver_version(version or "")
    except VersionError:
        return False
    return isinstance(found, Hdk) and found >= STATUS_SINCE


def _reinstall(first: tuple[str, ...] = ()) -> Fix:
    return Fix(
        Action.REINSTALL,
        _("Install the same driver package again; its log says where it stopped."),
        (*first, "tail -n 50 /var/log/ascend_seclog/ascend_install.log"),
        role="driver",
    )

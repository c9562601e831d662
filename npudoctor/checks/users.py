"""Users, groups and owners: who may open an NPU, and whom the driver trusts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.npu_scope import without_npu
from npudoctor.checks.registry import check
from npudoctor.finding import Action, Fix, Proof, Verdict, fail, ok, skip, warn
from npudoctor.host.driver import ROOT
from npudoctor.host.users import RUN_USER
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host

INSTALLER = "github.com/hicann/driver scripts/package/custom/driver/common/scripts"
GUIDE = "hiascend.com NPU driver installation guide, CANN softwareinst instg_0005"
MINDCLUSTER = "github.com/Ascend/mind-cluster docs/zh/scheduling/03_installation_guide"
NPU_SMI = "github.com/hicann/driver npu-smi error codes; user reports of -8005"
FLEET_ID = 1000


@check(
    "users.run_user",
    title=N_("The driver's user and group exist"),
    sources=(f"{INSTALLER}/env_check.sh (ERR_NO 0x0091, 0x0096)", GUIDE),
    dated="2026-08",
    role="driver",
)
def run_user(host: Host) -> Verdict:
    """The driver runs its host-side services as HwHiAiUser and gives its device nodes to that group.

    The driver's installer refuses to run without the user and the group (ERR_NO 0x0091) and where the user
    is not in the group (ERR_NO 0x0096); another pair can be chosen with --install-username and
    --install-usergroup, and is then read from /etc/ascend_install.info. Right: both exist, and the group is
    the user's own or one of its groups. (Driver installer and guide, 2026-08.)
    """
    if reason := _no_driver_here(host):
        return skip(reason)
    name, group_name = _run_names(host)
    user, group = host.users.user(name), host.users.group(group_name)
    if user.value is None or group.value is None:
        missing = name if user.value is None else group_name
        return fail(user, group, actual=_("{name} does not exist").format(name=missing),
                    expected=f"{name}:{group_name}", fix=_create(name, group_name))  # fmt: skip
    if user.value.gid != group.value.gid and name not in group.value.members:
        return fail(user, group, actual=_("{name} is not in the group").format(name=name),
                    expected=f"{name}:{group_name}", fix=_join(name, group_name))  # fmt: skip
    return ok(user, group, actual=f"{name}:{group_name}")


@check(
    "users.run_user_ids",
    title=N_("HwHiAiUser has the ids that a cluster expects"),
    sources=(f"{MINDCLUSTER}/01_environment_dependencies.md",),
    dated="2026-08",
    role="driver",
)
def run_user_ids(host: Host) -> Verdict:
    """MindCluster asks for HwHiAiUser with the ids 1000:1000 on every host and in every container.

    A container opens the host's device nodes by number: where the numbers differ, a process that is not
    root is refused. It matters only where jobs run under MindCluster, so it is judged only on hosts
    whose container engine has the Ascend runtime. (MindCluster installation guide, 2026-08.)
    """
    if reason := _no_driver_here(host):
        return skip(reason)
    engine = host.containers.engine
    if engine.absent or not any("ascend" in name for name in engine.value.runtimes):
        return skip(_("no container engine with the Ascend runtime"))
    user, group = host.users.user(RUN_USER), host.users.group(RUN_USER)
    if user.value is None or group.value is None:
        return skip(_("{name} does not exist").format(name=RUN_USER))
    if (user.value.uid, group.value.gid) == (FLEET_ID, FLEET_ID):
        return ok(user, group, actual=f"{FLEET_ID}:{FLEET_ID}")
    return warn(
        user,
        group,
        actual=f"{user.value.uid}:{group.value.gid}",
        expected=f"{FLEET_ID}:{FLEET_ID}",
        fix=Fix(
            Action.CONFIGURE,
            _("Give HwHiAiUser the same ids on all hosts and images, or run the containers as root."),
            (f"id {RUN_USER}",),
            role="driver",
        ),
    )


@check(
    "users.driver_access",
    title=N_("This user may use the NPU driver"),
    sources=(NPU_SMI, f"{MINDCLUSTER}/01_environment_dependencies.md"),
    dated="2026-08",
    role="driver",
)
def driver_access(host: Host) -> Verdict:
    """A user outside the driver's group is answered -8005 or drvRetCode 87.

    Device nodes are 0660 and belong to the driver's group. Root, members of that group, and everybody on
    hosts where the driver was installed with --install-for-all may open them. Right: one of the three.
    (Reports of -8005 with this cause; MindCluster asks for --install-for-all, 2026-08.)
    """
    if reason := _no_driver_here(host):
        return skip(reason)
    me = host.users.me
    _user, group = _run_names(host)
    if me.value.uid == 0 or me.value.in_group(group):
        return ok(me, actual=me.value.name or str(me.value.uid))
    install = host.driver.install
    if install.value.driver_for_all:
        return ok(me, install, actual=_("the driver is installed for all users"))
    name = me.value.name or str(me.value.uid)
    return fail(
        me,
        install,
        actual=_("{name} is not in the group {group}").format(name=name, group=group),
        expected=_("root, a member of {group}, or a driver installed for all").format(group=group),
        fix=_join(name, group),
    )


@check(
    "users.install_owner",
    title=N_("/usr/local/Ascend belongs to root and only root may write there"),
    sources=(
        "PyPI ascend-deployer 26.0.0 module_utils/check_output_manager.py",
        f"{INSTALLER}/driver_install.sh",
    ),
    dated="2026-08",
    role="driver",
)
def install_owner(host: Host) -> Verdict:
    """Libraries below /usr/local/Ascend are loaded by root's processes.

    The installers of driver and CANN want the folder to be root's with mode 755: the driver's installer
    stops on another owner, and with group or world write anybody could put a library there. Right: owner
    root, no write for group and others. (ascend-deployer 26.0.0 and the driver's installer, 2026-08.)
    """
    folder = host.users.paths.of(ROOT)
    if not folder.known and (reason := without_npu(host)):
        return skip(reason)
    if not folder.known and host.system.in_container.or_none():
        return skip(_("inside a container"))
    if folder.absent:
        return skip(_("{path} is not there").format(path=ROOT))
    listed = folder.value
    if listed.owner not in ("root", "0"):
        return _owner_verdict(folder, _("owner {name}").format(name=listed.owner), f"chown root:root {ROOT}")
    if listed.mode & 0o022:
        return _owner_verdict(folder, f"{listed.mode:o}", f"chmod go-w {ROOT}")
    return ok(folder, actual=f"{listed.owner} {listed.mode:o}")


@check(
    "users.pam_su",
    title=N_("Root may su without a password"),
    sources=(f"{INSTALLER}/env_check.sh",),
    dated="2026-08",
    role="driver",
)
def pam_su(host: Host) -> Verdict:
    """The driver's installer and its services use `su - USER`; without pam_rootok they wait for a password.

    Right: /etc/pam.d/su has `auth sufficient pam_rootok.so`, not commented out. Its absence bites at the
    next installation or upgrade. (The driver's installer warns of it; 2026-08.)
    """
    text = host.users.pam_su
    if reason := without_npu(host):
        return skip(reason)
    if text.absent or host.system.in_container.or_none():
        return skip(_("no driver is installed from here"))
    lines = [line.strip() for line in text.value.splitlines()]
    row = next((line for line in lines if "pam_rootok.so" in line and not line.startswith("#")), None)
    if row:
        return ok(text.map(lambda _text: row, text=row))
    return warn(
        text.map(lambda _text: "", text="no line with pam_rootok.so"),
        actual=_("no pam_rootok.so"),
        expected="auth sufficient pam_rootok.so",
        fix=Fix(
            Action.CONFIGURE,
            _("Let root su without a password before the next driver installation."),
            ("sed -i '1i auth sufficient pam_rootok.so' /etc/pam.d/su",),
            role="driver",
        ),
    )


@check(
    "users.run_user_home",
    title=N_("The driver's user has a home"),
    sources=(GUIDE, f"{INSTALLER}/env_check.sh"),
    dated="2026-08",
    role="driver",
)
def run_user_home(host: Host) -> Verdict:
    """The installer logs in as the driver's user (`su - USER`), which needs a home and a shell.

    The guide creates it with `useradd -m -s /bin/bash`. A user without a home folder or with nologin makes
    the installer's own checks fail (ERR_NO 0x0003). (Driver guide and installer, 2026-08.)
    """
    if reason := _no_driver_here(host):
        return skip(reason)
    name, _group = _run_names(host)
    user = host.users.user(name)
    if user.value is None:
        return skip(_("{name} does not exist").format(name=name))
    if user.value.shell.endswith(("/nologin", "/false")):
        return _home_verdict(user, user.value.shell, name)
    home = host.users.paths.of(user.value.home)
    if home.absent:
        return _home_verdict(user, _("{path} is not there").format(path=user.value.home), name)
    return ok(user, home, actual=f"{home.value.path} {user.value.shell}")


def _no_driver_here(host: Host) -> str:
    """Why checks of the driver's user do not apply; empty where they do."""
    if host.system.in_container.or_none():
        return _("inside a container: the driver is the host's")
    driver = host.driver
    if driver.on_disk.absent and driver.install.absent:
        return _("no NPU driver is installed")
    return "" if driver.on_disk.known else without_npu(host)


def _run_names(host: Host) -> tuple[str, str]:
    install = host.driver.install.or_none()
    user = install.user if install else None
    group = install.group if install else None
    return user or RUN_USER, group or RUN_USER


def _create(name: str, group: str) -> Fix:
    commands = (
        f"getent group {group} || groupadd {group}",
        f"id {name} || useradd -g {group} -d /home/{name} -m -s /bin/bash {name}",
    )
    return Fix(Action.CONFIGURE, _("Create the driver's user and group."), commands, role="driver")


def _join(name: str, group: str) -> Fix:
    summary = _("Add the user to the driver's group and log in again, or install the driver for all users.")
    return Fix(Action.CONFIGURE, summary, (f"usermod -aG {group} {name}",), role="driver")


def _owner_verdict(folder: Proof, actual: str, command: str) -> Verdict:
    summary = _("Give the folder to root and take write permission from others.")
    fix = Fix(Action.CONFIGURE, summary, (command,), role="driver")
    return warn(folder, actual=actual, expected=_("owner root, mode 755"), fix=fix)


def _home_verdict(user: Proof, actual: str, name: str) -> Verdict:
    summary = _("Give the driver's user a home and a shell.")
    commands = (f"mkhomedir_helper {name}", f"usermod -s /bin/bash {name}")
    fix = Fix(Action.CONFIGURE, summary, commands, role="driver")
    return warn(user, actual=actual, expected=_("a home folder and a login shell"), fix=fix)

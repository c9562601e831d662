"""Owners and modes of the NPU device nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.npu_scope import without_npu
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, ok, skip, warn
from npudoctor.host.users import RUN_USER
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.parse.device_nodes import DeviceNode

DEVICE_NODES = (
    "github.com/hicann/driver: nodes 0660 HwHiAiUser",
    "github.com/Project-HAMi/ascend-device-plugin issue 139",
)
GROUP_MAY = 0o060


@check(
    "users.device_nodes",
    title=N_("The NPU device nodes belong to the driver's group"),
    sources=DEVICE_NODES,
    dated="2026-08",
    role="driver",
)
def device_nodes(host: Host) -> Verdict:
    """NPUs are opened through /dev/davinciN and the management nodes; who may is a matter of their group.

    Right on a host: they belong to HwHiAiUser (or to the group that the installer was told) with read and
    write for the group (0660). With another group or mode everybody but root is answered -8005 or drvRetCode
    87. That the management nodes are there at all is npu.device_nodes. (Driver; HAMi issue 139; 2026-08.)
    """
    if reason := without_npu(host):
        return skip(reason)
    if host.system.in_container.or_none():
        return skip(_("inside a container: see container.devices"))
    nodes = host.npus.nodes.value
    if not any(node.number is not None for node in nodes):
        return skip(_("no davinci node: see npu.visible"))
    return _rights(host, [node for node in nodes if _is_judged(node)])


def _is_judged(node: DeviceNode) -> bool:
    return node.number is not None or node.name in ("davinci_manager", "devmm_svm", "hisi_hdc")


def _rights(host: Host, nodes: list[DeviceNode]) -> Verdict:
    install = host.driver.install.or_none()
    group = (install.group if install else None) or RUN_USER
    row = host.users.group(group).or_none()
    names = {group, str(row.gid)} if row else {group}
    known = [node for node in nodes if node.mode is not None]
    if not known:
        return skip(_("the listing has no modes"))
    closed = [node for node in known if (node.mode or 0) & GROUP_MAY != GROUP_MAY]
    foreign = [node for node in known if node.group not in names and not (node.mode or 0) & 0o006]
    if wrong := closed or foreign:
        actual = f"{wrong[0].name} {wrong[0].mode:o} {wrong[0].owner}:{wrong[0].group}"
        proofs = [Evidence("ls -l /dev", node.line) for node in wrong[:4]]
        return warn(*proofs, actual=actual, expected=f"660 {group}:{group}", fix=_reload())
    shown = [Evidence("ls -l /dev", node.line) for node in known[:2]]
    return ok(*shown, actual=_("{count} nodes").format(count=len(known)))


def _reload() -> Fix:
    return Fix(
        Action.REINSTALL,
        _("Load the driver again (a reboot does), or install it with the user and group that are wanted."),
        ("ls -l /dev | grep -e davinci -e devmm -e hisi_hdc", "systemctl status host_sys_init"),
        role="driver",
    )

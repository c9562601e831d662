"""What a container may open: too much with --privileged, too little without the right group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.container_scope import VLLM_ASCEND, Trouble, npu_containers, trouble, verdict_of
from npudoctor.checks.registry import check
from npudoctor.finding import Action, Fix, Status, Verdict, skip
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.host import Host
    from npudoctor.host.containers import NpuContainer


@check(
    "container.privileged",
    title=N_("No container can open the NPUs of another one"),
    sources=(VLLM_ASCEND, "github.com/Ascend/cann-container-image issue 46"),
    dated="2026-08",
    role="serving",
)
def privileged(host: Host) -> Verdict:
    """A privileged container sees every NPU of the host, also those that were given to others.

    It takes them when its process opens them; the other container is then answered -8020. The documents
    name --privileged as a last resort against -8005. It is judged only where several containers share the
    host. (vllm-ascend and cann-container-image, 2026-08.)
    """
    containers, reason = npu_containers(host)
    if reason:
        return skip(reason)
    if len([npu for npu in containers if npu.container.running]) < 2:
        return skip(_("fewer than two containers with NPUs are running"))
    troubles = [
        trouble(Status.WARN, npu, _("privileged: opens every NPU"), "Privileged: true")
        for npu in containers
        if npu.container.privileged
    ]
    fix = Fix(
        Action.CONFIGURE,
        _("Start it with --device for its own NPUs in place of --privileged."),
        ("docker run --device /dev/davinci0 --device /dev/davinci_manager …",),
        role="serving",
    )
    return verdict_of(troubles, containers, _("not privileged"), fix)


@check(
    "container.access",
    title=N_("The user of a container may open the NPU nodes"),
    sources=("github.com/Project-HAMi/ascend-device-plugin issue 139",),
    dated="2026-08",
    role="serving",
)
def access(host: Host) -> Verdict:
    """NPU nodes are 0660 and belong to HwHiAiUser; root passes that only with CAP_DAC_OVERRIDE.

    A container whose capabilities were all dropped, or whose user is not root and not in the group of the
    nodes, is answered -8005 though every node is there. Right: root with CAP_DAC_OVERRIDE, or the group's
    number in --group-add or --user. (HAMi ascend-device-plugin issue 139, 2026-08.)
    """
    containers, reason = npu_containers(host)
    if reason:
        return skip(reason)
    group = host.users.group("HwHiAiUser").or_none()
    numbers = {str(group.gid), group.name} if group else {"1000", "HwHiAiUser"}
    install = host.driver.install.or_none()
    if install and install.driver_for_all:
        numbers = set()
    troubles = [found for npu in containers for found in _access_troubles(npu, numbers)]
    fix = Fix(
        Action.CONFIGURE,
        _("Keep CAP_DAC_OVERRIDE for root, or add the group that owns the nodes."),
        ("docker run --cap-add DAC_OVERRIDE …", "docker run --group-add 1000 …"),
        role="serving",
    )
    return verdict_of(troubles, containers, _("root with DAC_OVERRIDE, or the group of the nodes"), fix)


def _access_troubles(npu: NpuContainer, groups: set[str]) -> Iterator[Trouble]:
    container = npu.container
    if container.privileged or not groups:
        return
    user, _colon, group = container.user.partition(":")
    if groups & {group, user, *container.groups}:
        return
    if user not in ("", "0", "root"):
        words = _("user {user} is not in the group of the nodes").format(user=user)
        yield trouble(Status.WARN, npu, words, f"User: {container.user}")
    elif _lacks_override(npu):
        words = _("root without CAP_DAC_OVERRIDE")
        yield trouble(Status.FAIL, npu, words, f"CapDrop: {', '.join(container.cap_drop)}")


def _lacks_override(npu: NpuContainer) -> bool:
    added, dropped = npu.container.cap_add, npu.container.cap_drop
    return bool({"ALL", "DAC_OVERRIDE"} & set(dropped)) and not {"ALL", "DAC_OVERRIDE"} & set(added)

"""What a container may open: too much with --privileged, too little without the right group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.container_scope import (
    VLLM_ASCEND,
    Trouble,
    machine,
    npu_containers,
    trouble,
    verdict_of,
)
from npudoctor.checks.registry import check
from npudoctor.finding import Action, Fix, Status, Verdict, skip
from npudoctor.host.users import RUN_USER
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.host import Host
    from npudoctor.host.containers import NpuContainer
    from npudoctor.parse.passwd import Identity

FOR_ALL = 0o006
USUAL_GROUP = "1000"
"""The number of HwHiAiUser where nothing says another."""


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
    if len([npu for npu in (*containers, *host.containers.beside) if npu.container.running]) < 2:
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
    number in --group-add or --user. Names are the image's own: a user that only has a name counts as a member
    where `id` inside says so. With `userns-remap` the nodes belong to nobody inside, whom neither helps:
    such a container needs --userns=host. (HAMi ascend-device-plugin issue 139, 2026-08; docs.docker.com
    engine/security/userns-remap, tried on Docker 20.10, 2026-11.)
    """
    containers, reason = npu_containers(host)
    if reason:
        return skip(reason)
    numbers = _who_may(machine(host))
    inside = host.users.me.or_none() if host.outside else None
    engine = host.containers.engine.or_none()
    remapped = [npu for npu in containers if engine and engine.remaps_users and _is_remapped(npu, numbers)]
    troubles = [found for npu in containers for found in _access_troubles(npu, numbers, inside)]
    if remapped:
        return verdict_of(
            [_nobody(npu) for npu in remapped], containers, "--userns=host", _out_of_namespace()
        )
    fix = Fix(
        Action.CONFIGURE,
        _("Keep CAP_DAC_OVERRIDE for root, or add the group that owns the nodes."),
        ("docker run --cap-add DAC_OVERRIDE …", "docker run --group-add 1000 …"),
        role="serving",
    )
    return verdict_of(troubles, containers, _("root with DAC_OVERRIDE, or the group of the nodes"), fix)


def _who_may(host: Host) -> set[str]:
    """Names and numbers of the groups that may open the nodes of this host; empty where all may."""
    nodes = [node for node in host.npus.nodes.or_none() or () if node.number is not None]
    install = host.driver.install.or_none()
    if (install and install.driver_for_all) or any((node.mode or 0) & FOR_ALL == FOR_ALL for node in nodes):
        return set()
    names = {node.group for node in nodes if node.group} or {RUN_USER}
    rows = [row for name in names if (row := host.users.group(name).or_none())]
    numbers = {str(row.gid) for row in rows} or {USUAL_GROUP}
    return names | numbers


def _is_remapped(npu: NpuContainer, groups: set[str]) -> bool:
    return bool(groups and npu.maps) and npu.container.user_namespace != "host"


def _nobody(npu: NpuContainer) -> Trouble:
    return trouble(
        Status.FAIL,
        npu,
        _("user namespace: the nodes belong to nobody inside"),
        "UsernsMode: (docker info: userns)",
    )


def _out_of_namespace() -> Fix:
    return Fix(
        Action.CONFIGURE,
        _("Start it in the user namespace of the host: no user or group inside may open the nodes."),
        ("docker run --userns=host …",),
        role="serving",
    )


def _access_troubles(npu: NpuContainer, groups: set[str], inside: Identity | None) -> Iterator[Trouble]:
    container = npu.container
    if container.privileged or not groups or not npu.maps:
        return
    user, _colon, group = container.user.partition(":")
    own = {str(number) for number in inside.groups} if inside else set()
    if groups & {group, user, *container.groups, *own}:
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

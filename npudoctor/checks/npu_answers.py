"""What stands behind an error of npu-smi: the code, and what the host shows beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.container_devices import missing_nodes
from npudoctor.checks.container_remedy import numbers_inside, with_driver, with_nodes
from npudoctor.checks.npu_scope import needs_answer, without_npu
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, warn
from npudoctor.host.npus import INFO
from npudoctor.host.users import RUN_USER
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Callable

    from npudoctor.host import Host
    from npudoctor.parse.npu_smi_error import NpuSmiError

_SOURCES = ("github.com/hicann/driver dcmi and npu-smi error codes; user reports of -8005, -8020, 87",)
_ORDER = ("library", "permission", "not-found", "dcmi", "npu-smi", "driver", "card-gone", "no-card", "failed")
_MEANINGS = {
    "-8005": N_("the driver could not be opened"),
    "-8020": N_("the device is in use elsewhere, or not mapped into this container"),
    "-8007": N_("invalid device id"),
    "-8008": N_("the device does not exist"),
    "-8012": N_("the device is not ready"),
    "-8013": N_("not supported in a container"),
    "-8017": N_("the firmware is being upgraded"),
    "-9005": N_("the board could not be read"),
    "87": N_("no device, or no right to open it"),
}
_Clue = tuple[str, Evidence, Fix]


@check(
    "npu.answers",
    title=N_("npu-smi answers without an error"),
    sources=_SOURCES,
    dated="2026-08",
    role="driver",
)
def answers(host: Host) -> Verdict:
    """npu-smi says with one number why it cannot answer, and one number has several causes.

    -8005: no right to the device nodes (group HwHiAiUser), no reboot after an upgrade, nodes hidden or
    missing. -8020: the device is mapped into another container, or this container lacks nodes and driver
    files. 87: no device or no right. A missing library: LD_LIBRARY_PATH or ld.so.conf. Which one it is is
    told by groups, nodes and modules. Right: no error line. (Driver source and user reports, 2026-08.)
    """
    npus = host.npus
    if npus.errors.absent:
        return _no_tool(host)
    found = sorted(npus.errors.value, key=lambda error: _rank(error.kind))
    if not found:
        chips = len(npus.table.value.chips)
        return ok(npus.table, actual=_("{n} chips, no error line").format(n=chips))
    worst = found[0]
    if worst.kind == "no-card":
        return skip(worst.text)
    if worst.kind == "half-installed":
        needs_answer(host)
        return warn(Evidence(INFO, worst.text), actual=worst.text, fix=_reinstall())
    clues = _clues(host, worst)
    causes = _("; ").join(cause for cause, _proof, _fix in clues)
    return fail(
        *(Evidence(INFO, error.text) for error in found if error.kind != "half-installed"),
        *(proof for _cause, proof, _fix in clues),
        actual=_("{what} ({causes})").format(what=_meaning(worst), causes=causes)
        if causes
        else _meaning(worst),
        expected=_("no error line"),
        fix=remedy(host),
    )


def remedy(host: Host) -> Fix | None:
    """What mends the error that npu-smi prints, by what the host shows beside it; None without an error."""
    errors = host.npus.errors.or_none()
    if not errors:
        return None
    worst = min(errors, key=lambda error: _rank(error.kind))
    clues = _clues(host, worst)
    return clues[0][2] if clues else _fallback(host, worst)


def _rank(kind: str) -> int:
    return _ORDER.index(kind) if kind in _ORDER else len(_ORDER)


def _meaning(error: NpuSmiError) -> str:
    if error.code is None:
        return error.text
    return f"{error.code}: {_(_MEANINGS.get(error.code, error.text))}"


def _no_tool(host: Host) -> Verdict:
    if reason := without_npu(host):
        return skip(reason)
    why = Evidence(INFO, _("not there"))
    if host.npus.present.value and host.system.in_container.or_none():
        fix = with_driver(("/usr/local/bin/npu-smi", "/usr/local/dcmi"), numbers_inside(host))
        return warn(why, actual=_("npu-smi is not mounted into this container"), fix=fix)
    if host.npus.present.value:
        return fail(host.npus.present, why, actual=_("npu-smi is not there, NPUs are"), fix=_reinstall())
    return skip(str(host.npus.errors.content))


def _clues(host: Host, error: NpuSmiError) -> list[_Clue]:
    if error.kind not in ("dcmi", "npu-smi", "driver", "failed", "permission"):
        return []
    looks: tuple[Callable[[Host], _Clue | None], ...] = (
        _half_installed,
        _nodes,
        _manager_nodes,
        _group,
        _modules,
        _shared,
    )
    return [clue for clue in (look(host) for look in looks) if clue]


def _nodes(host: Host) -> _Clue | None:
    nodes = host.npus.nodes.or_none()
    if nodes is None or any(node.number is not None for node in nodes):
        return None
    proof = Evidence("ls -l /dev", _("no /dev/davinciN"))
    if host.system.in_container.or_none():
        return _("the container has no /dev/davinciN"), proof, with_nodes()
    return _("no /dev/davinciN"), proof, _load()


def _manager_nodes(host: Host) -> _Clue | None:
    nodes = host.npus.nodes.or_none()
    if not nodes or not numbers_inside(host) or not host.system.in_container.or_none():
        return None
    missing = missing_nodes(host.npus.family.or_none(), {f"/dev/{node.name}" for node in nodes})
    if not missing:
        return None
    words = _("the container has no {nodes}").format(nodes=", ".join(missing))
    proof = Evidence("ls -l /dev", _("no {nodes}").format(nodes=", ".join(missing)))
    return words, proof, with_nodes(missing, numbers_inside(host))


def _group(host: Host) -> _Clue | None:
    me = host.users.me.or_none()
    nodes = [node for node in host.npus.nodes.or_none() or () if node.number is not None]
    if me is None or me.uid == 0 or not nodes or (nodes[0].mode or 0) & 0o006:
        return None
    group = nodes[0].group or RUN_USER
    if me.in_group(group) or group in map(str, me.groups):
        return None
    name = me.name or str(me.uid)
    fix = Fix(
        Action.CONFIGURE,
        _("Add the user to the group of the device nodes, then log in again."),
        (f"sudo usermod -a -G {group} {name}",),
        role="users",
    )
    words = _("{user} is not in the group {group}").format(user=name, group=group)
    return words, Evidence("ls -l /dev", nodes[0].line), fix


def _modules(host: Host) -> _Clue | None:
    loaded = host.driver.modules.or_none()
    if loaded is None or host.system.in_container.or_none():
        return None
    if any(name.startswith(("drv_", "ascend_", "asdrv")) for name in loaded):
        return None
    return _("no module of the driver is loaded"), Evidence("lsmod", _("no drv_ module")), _load()


def _shared(host: Host) -> _Clue | None:
    containers = host.containers.npu.or_none() or ()
    if not containers:
        return None
    names = ", ".join(one.container.name for one in containers)
    fix = Fix(
        Action.FREE,
        _("A chip is in one container at a time: stop the container that has it, or take another chip."),
        (f"docker inspect {containers[0].container.name}", "npu-smi info -t device-share -i 0 -c 0"),
    )
    return _("containers map NPUs: {names}").format(names=names), Evidence("docker inspect", names), fix


def _half_installed(host: Host) -> _Clue | None:
    if not host.driver.incomplete_warning.or_none():
        return None
    return _("the driver is installed in part"), host.driver.incomplete_warning.evidence[0], _reinstall()


def _fallback(host: Host, error: NpuSmiError) -> Fix:
    if host.system.in_container.or_none() and error.kind != "permission":
        return with_driver(numbers=numbers_inside(host))
    if error.kind == "library":
        return Fix(
            Action.CONFIGURE,
            _("Let the loader find the driver's libraries."),
            (
                "export LD_LIBRARY_PATH=/usr/local/Ascend/driver/lib64/driver:"
                "/usr/local/Ascend/driver/lib64/common:$LD_LIBRARY_PATH",
                "sudo ldconfig",
            ),
            role="driver",
        )
    if error.kind == "not-found":
        return _reinstall()
    return _load() if error.code != "-8020" else _give_back()


def _load() -> Fix:
    return Fix(
        Action.REBOOT,
        _("Reboot: a driver that was installed or upgraded loads only then. If it comes back, reinstall it."),
        ("sudo reboot", "dmesg | grep -i -e ascend -e drv_"),
        role="driver",
    )


def _reinstall() -> Fix:
    return Fix(
        Action.REINSTALL,
        _("Install the driver again, whole, and reboot."),
        ("cat /etc/ascend_install.info", "sudo ./Ascend-hdk-*-npu-driver_*.run --full"),
        role="driver",
    )


def _give_back() -> Fix:
    return Fix(
        Action.FREE,
        _("A chip is in one container at a time: stop the one that has it, or take another chip."),
        ("docker ps", "npu-smi info -t device-share -i 0 -c 0"),
    )

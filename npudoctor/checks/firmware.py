"""The NPUs' firmware: installed, running, the same everywhere, and compatible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.npu_scope import grouped, needs_answer, without_npu
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence, Fact, Unavailable
from npudoctor.finding import Action, Fix, Proof, Verdict, fail, ok, skip, unknown, warn
from npudoctor.versions import Firmware, VersionError
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Mapping

    from npudoctor.host import Host
    from npudoctor.parse.npu_smi_board import Board

GUIDE = "hiascend.com NPU driver and firmware guide, CANN softwareinst instg_0005"
DCMI = "hiascend.com dcmi_get_device_compatibility"


@check(
    "firmware.installed",
    title=N_("A firmware package is installed"),
    sources=(GUIDE,),
    dated="2026-08",
    role="firmware",
)
def installed(host: Host) -> Verdict:
    """The firmware package writes the NPU's flash and leaves version.info on the host.

    NPUs come with a firmware in flash, so they may run without the package; but nothing then says which
    drivers that firmware accepts, and upgrades were forgotten. In a virtual machine or a container the
    firmware is the host's. (Driver and firmware guide, 2026-08.)
    """
    if reason := _not_here(host):
        return skip(reason)
    info = host.driver.firmware_on_disk
    if not info.absent:
        return ok(info, actual=info.value.version or "")
    fix = Fix(
        Action.REINSTALL,
        _("Install the firmware package that goes with the driver, then reboot."),
        ("./Ascend-hdk-CHIP-npu-firmware_VERSION.run --full --quiet",),
        role="firmware",
    )
    proof = Evidence("/usr/local/Ascend/firmware/version.info", _("not there"))
    return warn(proof, actual=_("no firmware package"), expected=_("a firmware package"), fix=fix)


@check(
    "firmware.running_version",
    title=N_("The firmware that runs is the firmware on disk"),
    sources=(GUIDE, "github.com/hicann/driver scripts: reboot texts of the installer"),
    dated="2026-08",
    role="reboot",
)
def running_version(host: Host) -> Verdict:
    """A new firmware counts only after a reboot or a power cycle.

    Until then npu-smi shows the old one for the NPU while version.info shows the new one, and driver and
    firmware may not fit. An NPU that was exchanged brings its own firmware along. Right: every NPU runs the
    version on disk. (Driver and firmware guide, 2026-08.)
    """
    if reason := _not_here(host):
        return skip(reason)
    on_disk = host.driver.firmware_on_disk
    if on_disk.absent:
        return skip(_("no firmware package: see firmware.installed"))
    running = _running(host.npus.boards)
    wanted = on_disk.value.version or ""
    others = {npu: version for npu, version in running.items() if not _same(version, wanted)}
    if not others:
        _all_read(host)
        if not running:
            return unknown(actual=_("npu-smi does not say which firmware runs"))
        return ok(*_board_lines(running), on_disk, actual=wanted)
    fix = Fix(
        Action.REBOOT,
        _("Reboot; if the old version is still there, power the host off and on, then install it again."),
        ("sudo reboot", f"npu-smi info -t board -i {min(others)}"),
        role="reboot",
    )
    words = {f"NPU {npu}": version for npu, version in others.items()}
    actual = _("{running}; {wanted} is on disk").format(running=grouped(words, len(running)), wanted=wanted)
    return fail(*_board_lines(others)[:2], on_disk, actual=actual, expected=wanted, fix=fix)


@check(
    "firmware.same_on_all",
    title=N_("All NPUs of the host run the same firmware"),
    sources=(GUIDE,),
    dated="2026-08",
    role="firmware",
)
def same_on_all(host: Host) -> Verdict:
    """The firmware package upgrades all NPUs of a host together; one that differs was left behind.

    That is an NPU whose upgrade failed, or one that was exchanged. Cards of different kinds in one host may
    have different firmware lines: they are compared only among the same product. (Guide, 2026-08.)
    """
    if reason := _not_here(host):
        return skip(reason)
    running = _running(host.npus.boards)
    groups = _by_product(host.npus.boards)
    mixed = {npu: running[npu] for group in groups for npu in group if len({running[n] for n in group}) > 1}
    if not mixed:
        _all_read(host)
        if len(running) < 2:
            return skip(_("one NPU"))
        return ok(*_board_lines(running), actual=", ".join(sorted(set(running.values()))))
    fix = Fix(
        Action.UPGRADE,
        _("Install the firmware package again, then power the host off and on."),
        ("./Ascend-hdk-CHIP-npu-firmware_VERSION.run --upgrade --quiet",),
        role="firmware",
    )
    actual = _("; ").join(
        f"{version}: NPU {_list(_with(mixed, version))}" for version in sorted(set(mixed.values()))
    )
    shown = {min(_with(mixed, version)): version for version in mixed.values()}
    return warn(*_board_lines(shown), actual=actual, expected=_("one version"), fix=fix)


@check(
    "firmware.compatibility",
    title=N_("The driver finds the firmware compatible"),
    sources=(DCMI,),
    dated="2026-08",
    role="firmware",
)
def compatibility(host: Host) -> Verdict:
    """The driver itself compares its version with the firmware of each NPU: OK, NOK or UNKNOWN.

    NOK: they do not go together, and calls fail in odd ways. UNKNOWN: the firmware was not installed
    properly, or is older than 23.0.RC2. Right: OK for every NPU. (dcmi_get_device_compatibility, 2026-08.)
    """
    if reason := _not_here(host):
        return skip(reason)
    words = {npu: board.value.compatibility for npu, board in host.npus.boards.items() if board.known}
    said = {npu: word.upper() for npu, word in words.items() if word}
    fix = Fix(
        Action.UPGRADE,
        _("Install the firmware that goes with the driver (firmware first, then driver), then reboot."),
        ("cat /usr/local/Ascend/driver/version.info /usr/local/Ascend/firmware/version.info",),
        role="firmware",
    )
    bad = {npu: word for npu, word in said.items() if word != "OK"}
    proofs = [Evidence(_board_command(npu), f"Compatibility : {word}") for npu, word in (bad or said).items()]
    actual = ", ".join(f"NPU {npu}: {word}" for npu, word in bad.items())
    if any(word == "NOK" for word in bad.values()):
        return fail(*proofs, actual=actual, expected="OK", fix=fix)
    if bad:
        return warn(*proofs, actual=actual, expected="OK", fix=fix)
    _all_read(host)
    if len(said) < len(words):
        return unknown(actual=_("npu-smi does not print Compatibility for every NPU"), expected="OK")
    return ok(*proofs, actual="OK")


def _not_here(host: Host) -> str:
    """Why firmware is not judged here; empty where it is."""
    if reason := without_npu(host):
        return reason
    if host.system.in_container.or_none():
        return _("inside a container: the firmware is the host's")
    return _("virtual machine: the firmware is the host's") if host.system.in_vm.or_none() else ""


def _all_read(host: Host) -> None:
    """Nothing is right of all NPUs while one did not answer.

    Raises:
        Unavailable: Nobody asked the boards, or one of them did not answer.
    """
    boards = host.npus.boards
    if not boards:
        needs_answer(host)
        raise Unavailable(_("npu-smi info -t board: not collected"), "npu-smi info -t board")
    for board in boards.values():
        _answer = board.value


def _running(boards: Mapping[int, Fact[Board]]) -> dict[int, str]:
    known = {npu: board.value.firmware_version for npu, board in boards.items() if board.known}
    return {npu: version for npu, version in known.items() if version}


def _same(one: str, other: str) -> bool:
    try:
        return Firmware(one) == Firmware(other)
    except VersionError:
        return one.lower() == other.lower()


def _by_product(boards: Mapping[int, Fact[Board]]) -> list[list[int]]:
    groups: dict[str | None, list[int]] = {}
    for npu in _running(boards):
        groups.setdefault(boards[npu].value.product_name, []).append(npu)
    return list(groups.values())


def _with(versions: Mapping[int, str], version: str) -> list[int]:
    return [npu for npu, found in versions.items() if found == version]


def _list(npus: Mapping[int, str] | list[int]) -> str:
    return ", ".join(str(npu) for npu in npus)


def _board_command(npu: int) -> str:
    return f"npu-smi info -t board -i {npu}"


def _board_lines(versions: Mapping[int, str]) -> list[Proof]:
    return [
        Evidence(_board_command(npu), f"Firmware Version : {version}") for npu, version in versions.items()
    ]

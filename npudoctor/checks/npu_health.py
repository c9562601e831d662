"""What the chips say of themselves: health, memory errors, temperature, fault events, firmware."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.npu_scope import (
    GUIDE,
    LAYOUTS,
    for_each,
    joined,
    label,
    needs_answer,
    not_collected,
    proven,
    without_npu,
)
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence, Fact
from npudoctor.finding import Action, Fix, Status, Verdict, fail, ok, skip, unknown, warn
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.host import Host
    from npudoctor.parse.npu_smi_health import ChipHealth
    from npudoctor.parse.npu_smi_pairs import ChipSection

Trouble = tuple[Status, str, Evidence]
HEALTH_WORDS = {"OK": Status.PASS, "WARNING": Status.WARN, "ALARM": Status.FAIL, "CRITICAL": Status.FAIL}
WARM_C = 80
HOT_C = 90
_GONE_CODE = -19
_SEVERITY_MAJOR = 2
_HEALTHCHECK = "github.com/hicann/driver@ef377e9 npu-healthcheck.sh"


@check(
    "npu.health",
    title=N_("Every chip is healthy"),
    sources=(LAYOUTS, _HEALTHCHECK, "ascend-deployer-26.0.0 module_utils/check_output_manager.py"),
    dated="2026-08",
)
def health(host: Host) -> Verdict:
    """The driver's own word on each chip: OK, Warning, Alarm, Critical or UNKNOWN.

    Right: OK for every chip. Alarm and Critical mean that the chip is or will be out of service; Warning
    that it runs with a fault. The codes of `npu-smi info -t health -i N` say which. A chip whose word is
    missing, and the chips that a cut-off table does not show, are not known to be healthy. (Driver source,
    2026-08.)
    """
    if reason := without_npu(host):
        return skip(reason)
    asked = list(_asked_health(host))
    told = {words.partition(":")[0] for _status, words, _proof in asked}
    shown = (one for one in _table_health(host) if one[1].partition(":")[0] not in told)
    troubles = [*shown, *asked]
    if not troubles and host.npus.table.value.complete:
        return ok(host.npus.table, actual=_("{n} chips OK").format(n=host.npus.dies.value))
    if not any(status in (Status.FAIL, Status.WARN) for status, _words, _proof in troubles):
        words = joined(words for _status, words, _proof in troubles)
        actual = words or _("the table of npu-smi info is not whole")
        return unknown(*(proof for _status, _words, proof in troubles), actual=actual, expected="OK")
    return _worst(troubles, "OK", _heal(host))


def _table_health(host: Host) -> Iterator[Trouble]:
    for chip, proof in proven(host):
        status = HEALTH_WORDS.get((chip.health or "").upper(), Status.UNKNOWN)
        if status is not Status.PASS:
            health = chip.health or _("no word on its health")
            yield status, f"{label(chip)}: {health}", proof


def _asked_health(host: Host) -> Iterator[Trouble]:
    for npu, fact in host.npus.health.items():
        for answer in fact.or_none() or ():
            status = HEALTH_WORDS.get((answer.health or "").upper(), Status.UNKNOWN)
            if status is not Status.PASS:
                source = f"npu-smi info -t health -i {npu}"
                yield status, _asked_words(npu, answer), Evidence(source, _health_line(answer))


def _asked_words(npu: int, answer: ChipHealth) -> str:
    part = " MCU" if answer.mcu else f" chip {answer.chip_id}" if answer.chip_id else ""
    codes = f" ({', '.join(answer.codes)})" if answer.codes else ""
    health = answer.health or _("no word on its health")
    return f"NPU {npu}{part}: {health}{codes}"


def _health_line(answer: ChipHealth) -> str:
    codes = f"; Error Code: {' '.join(answer.codes)}" if answer.codes else ""
    message = f"; {answer.messages[0]}" if answer.messages else ""
    return f"Health: {answer.health}{codes}{message}"


def _heal(host: Host) -> Fix:
    sick = sorted({chip.npu_id for chip, _p in proven(host) if (chip.health or "").upper() != "OK"})
    asked = tuple(f"npu-smi info -t health -i {npu}" for npu in sick[:4])
    return Fix(
        Action.VENDOR,
        _("Stop jobs on it, read its codes, reset it; if they come back, give logs and codes to the vendor."),
        (*asked, "dmesg | grep -i ascend", "msnpureport"),
    )


def _worst(troubles: list[Trouble], expected: str, fix: Fix) -> Verdict:
    bad = [trouble for trouble in troubles if trouble[0] in (Status.FAIL, Status.WARN)]
    judge = fail if any(status is Status.FAIL for status, _words, _proof in bad) else warn
    words = joined(words for _status, words, _proof in troubles)
    return judge(*(proof for _s, _w, proof in troubles), actual=words, expected=expected, fix=fix)


@check(
    "npu.ecc",
    title=N_("No uncorrectable memory errors"),
    sources=(GUIDE, "ascend-device-plugin build/faultCode.json", "ascend-fd-tk BmcErrCodeAnalyzer"),
    dated="2026-08",
)
def ecc(host: Host) -> Verdict:
    """A double-bit error of HBM or DDR cannot be corrected: the job that meets it dies (507053, 0x80E01801).

    Right: no double-bit error since the driver started. Errors only in the running total were met before
    and their pages are isolated: worth a look, no fault of today. Single-bit errors are corrected.
    """
    if reason := without_npu(host):
        return skip(reason)
    if not host.npus.ecc:
        needs_answer(host)
        return not_collected("npu-smi info -t ecc")
    facts = list(host.npus.ecc.values())
    if all(not fact.known and "not support" in str(fact.content) for fact in facts):
        return skip(_("this chip does not report memory errors"))
    found = {npu: list(_ecc_troubles(npu, fact)) for npu, fact in host.npus.ecc.items()}
    sick = [npu for npu, troubles in found.items() if troubles]
    if sick:
        troubles = [trouble for npu in sick for trouble in found[npu]]
        return _worst(troubles, _("0 double-bit errors"), _replace_memory(sick))
    read = [
        Evidence(f"npu-smi info -t ecc -i {npu}", _sum_line(fact.value))
        for npu, fact in host.npus.ecc.items()
    ]
    return ok(*read, actual=_("none on {n} NPUs").format(n=len(read)))


def _sum_line(sections: tuple[ChipSection, ...]) -> str:
    doubles = [value for section in sections for key, value in section.values.items() if "double" in key]
    return f"double-bit counts: {', '.join(map(str, doubles[:6]))}"


def _ecc_troubles(npu: int, fact: Fact[tuple[ChipSection, ...]]) -> Iterator[Trouble]:
    source = f"npu-smi info -t ecc -i {npu}"
    for section in fact.or_none() or ():
        chip = f"NPU {npu} chip {section.chip_id}" if section.chip_id else f"NPU {npu}"
        for memory, counts in _double_bits(section).items():
            key = next((key for key in counts if key.endswith("double_bit_error_count")), next(iter(counts)))
            now = key.endswith("double_bit_error_count")
            words = (
                _("{chip}: {memory} double-bit errors: {n}") if now else _("{chip}: {memory}, earlier: {n}")
            )
            yield (
                Status.FAIL if now else Status.WARN,
                words.format(chip=chip, memory=memory.upper(), n=counts[key]),
                Evidence(source, f"{_as_printed(key)} : {counts[key]}"),
            )


def _as_printed(key: str) -> str:
    memory, _under, rest = key.partition("_")
    return f"{memory.upper()} {rest.replace('_', ' ').title()}"


def _double_bits(section: ChipSection) -> dict[str, dict[str, int]]:
    """The counts of double-bit errors that are not 0, by memory (`hbm`, `ddr`) and key."""
    found: dict[str, dict[str, int]] = {}
    for key, value in section.values.items():
        if "double" in key and isinstance(value, int) and value > 0:
            found.setdefault(key.partition("_double")[0], {})[key] = value
    return found


def _replace_memory(npus: list[int]) -> Fix:
    return Fix(
        Action.VENDOR,
        _("Stop jobs on it and reset it; a chip that meets new double-bit errors has to be replaced."),
        (for_each("npu-smi info -t ecc -i N", npus), for_each("npu-smi info -t health -i N", npus)),
    )


@check(
    "npu.temperature",
    title=N_("No chip is too hot"),
    sources=("hiascend.com ascend-dmi stress test preconditions", "awesome-ascend-skills npu-health-check"),
    dated="2026-08",
)
def temperature(host: Host) -> Verdict:
    """A hot chip lowers its clock, and the driver raises an alarm in the end.

    Right: at most 80 C (npu-health-check). From 90 C on the vendor's own stress test refuses to start
    (ascend-dmi). 310B prints 0 where it measures nothing. Each chip's own alarm shows in npu.health.
    """
    if reason := without_npu(host):
        return skip(reason)
    measured = [(chip, chip.temperature_c, proof) for chip, proof in proven(host) if chip.temperature_c]
    if not measured:
        return unknown(host.npus.table, actual=_("no chip reports a temperature"))
    hot = [(chip, degrees, proof) for chip, degrees, proof in measured if degrees > WARM_C]
    highest = max(degrees for _chip, degrees, _proof in measured)
    if not hot:
        return ok(host.npus.table, actual=_("at most {c} C").format(c=highest))
    words = joined(f"{label(chip)}: {degrees} C" for chip, degrees, _proof in hot)
    fix = Fix(
        Action.CONFIGURE,
        _("Look at fans, air flow and room temperature before the next long job."),
        (for_each("npu-smi info -t temp -i N", sorted({chip.npu_id for chip, _d, _p in hot})),),
    )
    limit = HOT_C if highest >= HOT_C else WARM_C
    return warn(*(proof for _c, _d, proof in hot), actual=words, expected=f"< {limit} C", fix=fix)


@check(
    "npu.fault_events",
    title=N_("No pending fault events"),
    sources=(GUIDE, "ascend-device-plugin build/faultCode.json"),
    dated="2026-08",
)
def fault_events(host: Host) -> Verdict:
    """The firmware keeps a list of events that are not mended yet, each with a severity.

    Right: none of severity 2 (major) or 3 (critical) in `npu-smi info -t current-fault-event -i N`; lesser
    ones are hints. Only newer drivers have the command. (npu-smi reference, 2026-08.)
    """
    if reason := without_npu(host):
        return skip(reason)
    read = {npu: fact.value for npu, fact in host.npus.events.items() if fact.known}
    if not read:
        return skip(_("npu-smi info -t current-fault-event was not asked, or this driver has none"))
    found = [(npu, event) for npu, events in read.items() for event in events]
    troubles: list[Trouble] = [
        (
            Status.FAIL if (event.severity or 0) > _SEVERITY_MAJOR else Status.WARN,
            f"NPU {npu}: {event.event_id}",
            Evidence(f"npu-smi info -t current-fault-event -i {npu}", event.text),
        )
        for npu, event in found
        if event.severity is None or event.severity >= _SEVERITY_MAJOR
    ]
    if not troubles:
        return ok(actual=_("none on {n} NPUs").format(n=len(read)))
    return _worst(troubles, _("no event"), _heal(host))


@check(
    "npu.faulty_chips",
    title=N_("No card counts a faulty chip"),
    sources=(GUIDE, LAYOUTS),
    dated="2026-08",
)
def faulty_chips(host: Host) -> Verdict:
    """A card of several chips (310P Duo) counts those that did not start in the line Chip Fault.

    Right: 0. Such a chip may be missing from the table altogether. (npu-smi reference, 2026-08.)
    """
    if reason := without_npu(host):
        return skip(reason)
    if host.npus.family.value != "310P":
        return skip(_("only cards of several chips print the line Chip Fault"))
    if not host.npus.boards:
        return not_collected("npu-smi info -t board")
    counts = {npu: b.value.faulty_chips for npu, b in host.npus.boards.items() if b.known}
    known = {npu: count for npu, count in counts.items() if count is not None}
    if not known:
        return skip(_("no card of this host prints the line Chip Fault"))
    bad: list[Trouble] = [
        (
            Status.FAIL,
            f"NPU {npu}: {count}",
            Evidence(f"npu-smi info -t board -i {npu}", f"Chip Fault : {count}"),
        )
        for npu, count in known.items()
        if count
    ]
    if bad:
        return _worst(bad, "0", _heal(host))
    return ok(*(Evidence(f"npu-smi info -t board -i {npu}", "Chip Fault : 0") for npu in known), actual="0")


@check(
    "npu.lost",
    title=N_("No NPU was lost from the bus"),
    sources=("asys info -r=hardware", LAYOUTS, "github.com/hicann/driver drv_pcie messages"),
    dated="2026-08",
)
def lost(host: Host) -> Verdict:
    """A card that fell off PCI needs a power cycle or another seat; no software mends it.

    Signs: `(rev ff)` in lspci, `Invalid card id` from npu-smi for a card it had listed, and "Device is
    abnormal" or ret=-19 (ENODEV) of the driver in the kernel log. (asys, driver source, 2026-08.)
    """
    if reason := without_npu(host):
        return skip(reason)
    proofs = [*_dead_on_pci(host), *host.npus.gone, *_abnormal(host)]
    if not proofs and not host.npus.pci.known and host.system.in_container.or_none():
        return skip(_("inside a container without lspci"))
    if proofs:
        actual = joined((proof.text for proof in proofs), most=3)
        return fail(*proofs, actual=actual, expected=_("every NPU answers"), fix=_reseat())
    return ok(host.npus.pci, actual=_("{n} on PCI").format(n=len(host.npus.pci.value)))


def _dead_on_pci(host: Host) -> list[Evidence]:
    return [
        Evidence("lspci", device.line) for device in host.npus.pci.or_none() or () if device.revision == "ff"
    ]


def _abnormal(host: Host) -> list[Evidence]:
    messages = host.driver.messages.or_none()
    lines = messages.driver if messages else ()
    bad = [m for m in lines if m.code == _GONE_CODE or "Device is abnormal" in m.line]
    by_device = {message.device: Evidence("dmesg", message.line) for message in bad}
    return list(by_device.values())


def _reseat() -> Fix:
    return Fix(
        Action.RESEAT,
        _("Power the machine off and on (a reboot is not enough); if the card stays away, check its seat."),
        ("lspci -nn -d 19e5:", "dmesg | grep -i -e ascend -e AER -e pcie"),
    )

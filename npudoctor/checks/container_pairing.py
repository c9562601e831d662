"""Whether the CANN inside a container goes with the driver of its host."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from npudoctor.checks.container_scope import is_inside, machine, npu_containers
from npudoctor.checks.npu_scope import without_npu
from npudoctor.checks.registry import check
from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.fact import Evidence, Fact, first_known
from npudoctor.finding import Action, Fix, Proof, Status, Verdict, fail, ok, skip, unknown, warn
from npudoctor.matrix.releases import release_of
from npudoctor.nodeset import fold
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.host.containers import NpuContainer
    from npudoctor.matrix import Matrix

SOURCES = (
    "compat_matrix.yaml: CANN and driver",
    "github.com/Ascend/cann-container-image: images hold CANN, the driver is the host's",
)
STATUS = {"unsupported": Status.FAIL, "unknown": Status.UNKNOWN, "caution": Status.WARN}


@check(
    "container.host_driver_pairing",
    title=N_("The CANN of containers goes with the host's driver"),
    sources=SOURCES,
    dated="2026-08",
    role="driver",
)
def host_driver_pairing(host: Host, matrix: Matrix) -> Verdict:
    """A container brings its own CANN and uses the driver of the host: these two have to go together.

    The CANN of the host does not matter. That of a container is read within, where that was possible; else
    from the image's variables (a versioned folder such as /usr/local/Ascend/cann-8.5.0), from the tag of a
    CANN image, or from the CANN that the release of vllm-ascend or MindIE in the tag is built on. A driver
    that is too old ends in 507033, in aicore time-outs, or in symbols that are not found. (Vendor's matrix,
    see `npudoctor matrix show`; images of cann-container-image, 2026-11.)
    """
    if is_inside(host):
        return _inside(host, matrix)
    containers, reason = npu_containers(host)
    if reason:
        return skip(reason)
    driver = _driver(host)
    chip = host.npus.chip.or_none() or machine(host).npus.chip.or_none()
    answers = [_answer_for(matrix, npu, driver.value, chip, _cann(host, npu, matrix)) for npu in containers]
    return _verdict(answers, [driver])


@dataclass(frozen=True, slots=True)
class Answer:
    """What the matrix says of one CANN on the host's driver.

    Attributes:
        status: The status of this one.
        words: For a person: which CANN on which driver, and why.
        proofs: Where the CANN was read from.
        fixes: Versions to take.
        command: Asks the matrix the same again; empty where there is nothing to ask.
        container: Whose CANN it is; empty where it is that of the container we are in.
    """

    status: Status
    words: str
    proofs: tuple[Proof, ...]
    fixes: tuple[str, ...] = ()
    command: str = ""
    container: str = ""


def answer_of(matrix: Matrix, driver: str, cann: str, chip: str | None, proof: Proof) -> Answer:
    """Ask the matrix about a driver and a CANN (on a chip, where it is known)."""
    given = {"driver": driver, "cann": cann, **({"chip": chip} if chip else {})}
    words = _("CANN {cann} on driver {driver}").format(cann=cann, driver=driver)
    try:
        pair = matrix.query(given).pair("driver", "cann")
    except UsageError as error:
        return Answer(Status.UNKNOWN, f"{words}: {error}", (proof,))
    if pair is None:
        return Answer(Status.UNKNOWN, _("{pair}: no source speaks of it").format(pair=words), (proof,))
    status = STATUS.get(pair.verdict.value, Status.PASS)
    noted = words
    if pair.note and status is not Status.PASS:
        noted = _("{what}: {why}").format(what=words, why=pair.note)
    return Answer(status, noted, (proof,), pair.fix, f"npudoctor matrix query driver={driver} cann={cann}")


def _driver(host: Host) -> Fact[str]:
    """The driver of the machine, as that says it; else as it looks from within."""
    return first_known(machine(host).driver.version, host.driver.version)


def _cann(host: Host, npu: NpuContainer, matrix: Matrix) -> tuple[str, Proof] | None:
    """The CANN of a container, and what says so; what was seen inside counts before what names speak of."""
    active = host.cann.active
    if host.outside and active.known:
        return active.value.version, active
    if npu.cann:
        return npu.cann[0], Evidence(npu.source, npu.cann[1])
    release = release_of(matrix, npu.image.versions)
    if release is None:
        return None
    says = _("{image} ({row} in the matrix)").format(image=npu.container.image, row=release.row)
    return release.cann, Evidence(npu.source, says)


def _answer_for(
    matrix: Matrix, npu: NpuContainer, driver: str, chip: str | None, cann: tuple[str, Proof] | None
) -> Answer:
    name = npu.container.name
    if cann is None:
        words = _("the image does not name its CANN")
        return Answer(Status.UNKNOWN, words, (Evidence(npu.source, npu.container.image),), container=name)
    return replace(answer_of(matrix, driver, cann[0], chip, cann[1]), container=name)


def _inside(host: Host, matrix: Matrix) -> Verdict:
    driver, active = host.driver.version, host.cann.active
    if active.absent:
        return skip(_("no CANN in this container"))
    if reason := without_npu(host):
        return skip(reason)
    chip = host.npus.chip.or_none()
    return _verdict([answer_of(matrix, driver.value, active.value.version, chip, active)], [driver])


def _verdict(answers: list[Answer], proofs: list[Proof]) -> Verdict:
    troubled = _telling(answers)
    proofs = [*proofs, *(proof for answer in troubled for proof in answer.proofs)]
    actual = _told(troubled)
    fixes = tuple(dict.fromkeys(fix for answer in troubled for fix in answer.fixes))
    expected = ", ".join(fixes) or _("a pair that the matrix names")
    statuses = {answer.status for answer in answers}
    if statuses == {Status.PASS}:
        return ok(*proofs, actual=actual)
    fix = Fix(
        Action.UPGRADE,
        _("Take an image whose CANN goes with this driver, or upgrade the driver of the host."),
        tuple(answer.command for answer in troubled if answer.command),
        role="driver",
    )
    if Status.FAIL in statuses:
        return fail(*proofs, actual=actual, expected=expected, fix=fix)
    if Status.UNKNOWN in statuses:
        known = fix if Status.WARN in statuses else None
        return unknown(*proofs, actual=actual, expected=expected, fix=known)
    return warn(*proofs, actual=actual, expected=expected, fix=fix)


def _telling(answers: list[Answer]) -> list[Answer]:
    """The answers that decide, what is known to be wrong first; beside a failure no gaps in what is known."""
    order = [Status.FAIL, Status.WARN, Status.UNKNOWN]
    troubled = sorted(
        (answer for answer in answers if answer.status in order),
        key=lambda answer: order.index(answer.status),
    )
    if troubled and troubled[0].status is Status.FAIL:
        return [answer for answer in troubled if answer.status is not Status.UNKNOWN]
    return troubled or answers


def _told(answers: list[Answer]) -> str:
    """What was found, once for all containers of which it is true."""
    shared: dict[str, list[str]] = {}
    for answer in answers:
        shared.setdefault(answer.words, []).extend(filter(None, [answer.container]))
    return _("; ").join(f"{fold(names)}: {words}" if names else words for words, names in shared.items())

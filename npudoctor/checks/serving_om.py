"""Whether offline models (`.om`) are whole, and were compiled for this chip and this CANN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.registry import check
from npudoctor.fact import Evidence, ParseError, Unavailable
from npudoctor.finding import Action, Fix, Status, Verdict, fail, ok, skip, unknown, warn
from npudoctor.matrix.chips import chip_of_name, family_of_name
from npudoctor.parse.cann_component import numbers
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.fact import Fact
    from npudoctor.host import Host
    from npudoctor.host.cann import Installation
    from npudoctor.parse.om import OfflineModel

_ONE_ARCHITECTURE = frozenset(("910B", "A3"))
"""Families whose cores are alike: NpuArch 2201 in the platform files of both."""
_COMPILERS = ("compiler", "ge-compiler")
_WORST = (Status.FAIL, Status.UNKNOWN, Status.WARN, Status.SKIP, Status.PASS)


@check(
    "serving.om_model",
    title=N_("Offline models were compiled for this chip and for no newer CANN"),
    sources=(
        "hicann/ge:docs/zh/user_guides/atc_tools/CLI_options/--soc_version.md@ffdcbc9f7496",
        "hicann/ge:base/common/helper/om_file_helper.cc and model_parser_base.cc@ffdcbc9f7496",
        "hicann/runtime:src/runtime/api/impl/api_impl.cc, CheckArchCompatibility@681ef7610df1",
    ),
    dated="2026-11",
    role="serving",
)
def om_model(host: Host) -> Verdict:
    """An offline model holds compiled operators: it runs on the chip that `--soc_version` named.

    Looked at where `--model` names an `.om` file or a folder that holds some. A model for a chip of another
    architecture is refused when it is loaded (E10001 "Model soc version is not support in this device"); for
    another chip of the same one it may load, but the vendor wants the model compiled for the very chip.
    The CANN that runs it must not be older than the CANN of the atc that compiled it; a newer one takes the
    models of four releases before it. A file of another length than its header says is refused as well.
    """
    models = host.model.offline
    if not models:
        return skip(_("no offline model is named (--model FILE.om or DIR)"))
    verdicts = {path: _judge(host, path, model) for path, model in models.items()}
    worst = min(verdicts.values(), key=lambda verdict: _WORST.index(verdict.status))
    if worst.status is not Status.PASS or len(verdicts) == 1:
        return worst
    return ok(
        *(line for verdict in verdicts.values() for line in verdict.evidence),
        actual=_("{count} offline models").format(count=len(verdicts)),
    )


def _judge(host: Host, path: str, fact: Fact[OfflineModel]) -> Verdict:
    if isinstance(fact.content, Unavailable):
        return _unread(path, fact.content)
    model = fact.value
    if model.bytes != model.stated_bytes:
        said = _("its header names {stated} bytes, the file has {bytes}")
        line = Evidence(path, said.format(stated=model.stated_bytes, bytes=model.bytes))
        fix = Fix(Action.REINSTALL, _("Copy the file again, or compile it again."))
        return fail(line, actual=line.text, expected=_("a whole file"), fix=fix)
    if model.encrypted:
        return unknown(Evidence(path, _("encrypted")), actual=_("{path} is encrypted").format(path=path))
    if model.soc_version is None:
        actual = _("{path} does not say what it was compiled for").format(path=path)
        return unknown(Evidence(path, actual), actual=actual)
    if host.npus.present.or_none() is False:
        return skip(_("no NPU on this machine"))
    line = Evidence(path, f"soc_version[{model.soc_version}], atc_version[{model.atc_version}]")
    return _of_chip(host, model, line) or _of_cann(host, model, line)


def _unread(path: str, why: Unavailable) -> Verdict:
    line = Evidence(path, why.why)
    if why.reason != "unreadable" or "OM2" in why.why or not path.endswith(".om"):
        return unknown(line, actual=why.why)
    fix = Fix(Action.REINSTALL, _("Fetch the file itself, or compile it with atc."))
    return fail(line, actual=why.why, expected=_("an offline model"), fix=fix)


def _of_chip(host: Host, model: OfflineModel, line: Evidence) -> Verdict | None:
    """What is wrong with the chip; None where nothing is."""
    family, chip = host.npus.family, host.npus.chip.or_none()
    mine = chip_of_name(chip) if chip else None
    given = str(model.soc_version)
    if mine and mine.soc_version.lower() == given.lower():
        return None
    wanted = mine.soc_version if mine else family.value
    fix = Fix(
        Action.REINSTALL,
        _("Compile the model for this chip."),
        (f"atc --soc_version={wanted} --model=MODEL.onnx --framework=5 --output=MODEL",),
    )
    other = family_of_name(given)
    alike = other == family.value or {other, family.value} == _ONE_ARCHITECTURE
    verdict = warn if alike or other is None else fail
    actual = _("compiled for {given}, and the NPUs are {chip}").format(given=given, chip=chip or family.value)
    return verdict(line, family, actual=actual, expected=wanted, fix=fix)


def _of_cann(host: Host, model: OfflineModel, line: Evidence) -> Verdict:
    if host.cann.active.absent:
        return ok(line, actual=_("for {chip}; no CANN here to compare with").format(chip=model.soc_version))
    cann = host.cann.active.value
    mine, theirs = _compiler(cann), model.atc_version
    try:
        newer = numbers(theirs or "") > numbers(mine or "")
    except ParseError:
        actual = _("compiled by atc {theirs}, and CANN's compiler is {mine}: they cannot be compared")
        return unknown(line, cann.evidence, actual=actual.format(theirs=theirs, mine=mine))
    if not newer:
        return ok(line, cann.evidence, actual=f"{model.soc_version}, atc {theirs}")
    return _of_newer(cann, line, str(theirs), str(mine))


def _of_newer(cann: Installation, line: Evidence, theirs: str, mine: str) -> Verdict:
    verdict = fail if numbers(theirs)[:2] > numbers(mine)[:2] else warn
    actual = _("compiled by atc {theirs}, and this CANN's compiler is {mine}").format(
        theirs=theirs, mine=mine
    )
    fix = Fix(Action.REINSTALL, _("Compile the model with the atc of this CANN, or install that CANN."))
    return verdict(
        line, cann.evidence, actual=actual, expected=_("no newer than {mine}").format(mine=mine), fix=fix
    )


def _compiler(cann: Installation) -> str | None:
    """The number of its compiler: atc writes that one into a model."""
    found = (cann.components[name].or_none() for name in _COMPILERS if name in cann.components)
    return next((component.version for component in found if component), None)

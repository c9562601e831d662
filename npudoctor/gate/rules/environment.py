"""Variables of deployment files, by the same engine and the same checks as on a host."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from npudoctor.checks.registry import Check, all_checks
from npudoctor.collect.snapshot import Snapshot
from npudoctor.envvars import Judgement, Kind, Versions, judge
from npudoctor.envvars.switches import is_on
from npudoctor.envvars.table import table
from npudoctor.fact import Unavailable, known
from npudoctor.finding import Edit, Fix, Status, Verdict
from npudoctor.gate.rules.registry import Subject, Trouble, gate_check, rule
from npudoctor.gate.rules.remedies import with_value
from npudoctor.gate.rules.verdicts import trouble
from npudoctor.gate.scope import OURS, is_live
from npudoctor.gate.unit import Kind as UnitKind
from npudoctor.host import Host
from npudoctor.host.environment import Environment
from npudoctor.regex import regex
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.unit import Scope, Setting

CHECKS = (
    "env.launch_blocking", "env.log_level", "env.profiling", "env.debug_switches", "env.misspelt_names",
    "env.values", "env.hccl_values", "env.allocator", "env.not_read", "env.combinations",
    "env.visible_devices",
)  # fmt: skip
_PLACEHOLDER = regex(
    r"(?i)x{1,3}(?:\.x{1,3}){3}|<[^<>]+>|\[?your[ _-].*|.*change[_-]?me.*|x{3,}|nic_?name|todo"
    r"|.*placeholder.*|(?:local|node|host|master)\d?[_ -]ip|todo|fill[_-]?me.*|\.{3}"
)
_ADDRESSES = ("MASTER_ADDR", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME", "VLLM_HOST_IP", "RANK_TABLE_FILE")


@rule(*CHECKS)
def variables(subject: Subject) -> Iterator[Trouble]:
    """Everything that the engine says of the variables, each under the check that says it on a host."""
    unit = subject.unit
    arguments = " ; ".join(" ".join(command.words) for command in unit.commands)
    yield from _judged(subject, unit.environment, arguments, True)
    for command in unit.commands if unit.kind is not UnitKind.BUILD else ():
        if _differs(command.environment, unit.environment):
            yield from _judged(subject, command.environment, " ".join(command.words), command.sure)


def _differs(scope: Scope, whole: Scope) -> bool:
    """Whether a command sees values of its own: `NAME=1 vllm serve`, or set in a branch or a shell inside."""
    return any(name not in whole or whole[name].text != one.text for name, one in scope.items())


def _judged(subject: Subject, scope: Scope, arguments: str, sure: bool) -> Iterator[Trouble]:
    set_here = _readable(scope)
    lines = {name: (one.text, one.where.evidence) for name, one in set_here.items()}
    for judgement in judge(lines, _versions(subject), arguments):
        if judgement.severity != "info" and judgement.name in set_here:
            yield from _troubles(judgement, subject, set_here[judgement.name], sure)


@gate_check(
    "env.placeholders",
    title=N_("No placeholder of a template is left in variables"),
    sources=("github.com/vllm-project/vllm-ascend examples/disaggregated_prefill_v1",),
    dated="2026-08",
)
def placeholders(subject: Subject) -> Iterator[Trouble]:
    """Guides write `xx.xx.xx.xx`, `<nic>` or `your_ip` where an address or a network card belongs.

    Left in a file that is really used they are no address: HCCL ends with EI0001, and nodes do not find each
    other. Files that are templates by name (`.example`, `.template`) or that lie among examples, documents or
    tests are meant to have them and are not judged. (Examples of vllm-ascend, 2026-08.)
    """
    if subject.is_template:
        return
    for name, one in subject.unit.environment.items():
        if one.known and _concerns(name) and _PLACEHOLDER.fullmatch(one.text.strip("\"' ")):
            actual = _("{name} holds a placeholder: {value}").format(name=name, value=one.text)
            summary = _("Set the value of this deployment.")
            yield trouble("env.placeholders", Status.FAIL, [one.where], actual, summary=summary)


def _concerns(name: str) -> bool:
    return bool(OURS.fullmatch(name)) or name in _ADDRESSES


def _readable(scope: Scope) -> dict[str, Setting]:
    """What the engine may judge: known values, and no placeholders, which have a check of their own."""
    return {
        name: one
        for name, one in scope.items()
        if one.known and not _PLACEHOLDER.fullmatch(one.text.strip("\"' "))
    }


def _versions(subject: Subject) -> Versions:
    stack, target = subject.stack, subject.target
    image = stack.image
    return Versions(
        cann=stack.text("cann"),
        driver=subject.driver.text if subject.driver else None,
        torch=stack.text("torch"),
        torch_npu=stack.text("torch_npu"),
        vllm_ascend=stack.text("vllm_ascend") or target.text("vllm_ascend"),
        mindie=stack.text("mindie") or target.text("mindie"),
        mindspore=stack.text("mindspore") or target.text("mindspore"),
        chip=image.family if image else None,
    )


def _troubles(judgement: Judgement, subject: Subject, setting: Setting, sure: bool) -> Iterator[Trouble]:
    for check in _checks():
        verdict = _asked(check, judgement)
        if verdict is not None:
            status = _status(judgement, subject, verdict, sure)
            fix = verdict.fix and Fix(
                verdict.fix.action,
                verdict.fix.summary,
                verdict.fix.commands,
                edits=_edits(judgement, setting),
            )
            yield Trouble(
                check.id,
                setting.where,
                Verdict(status, verdict.actual, verdict.expected, verdict.evidence, fix, verdict.references),
            )


def _status(judgement: Judgement, subject: Subject, verdict: Verdict, sure: bool) -> Status:
    """A debug switch in what serves or trains fails: it is not somebody's shell, it is what will run.

    A template is copied and filled in before anything runs: it fails in nothing.
    """
    if subject.is_called_template:
        return Status.WARN
    if judgement.kind is Kind.DEBUG and sure and is_live(subject.unit) and not subject.is_for_debugging:
        return Status.FAIL
    if judgement.severity == "fail":
        return Status.FAIL  # on a host the container runtime has read it long ago; here it is still to come
    return verdict.status


@cache
def _checks() -> tuple[Check, ...]:
    return tuple(check for check in all_checks() if check.id in CHECKS)


def _asked(check: Check, judgement: Judgement) -> Verdict | None:
    """What a check says of an environment with this one trouble; None where it is not the check's."""
    host = Host(Snapshot("", "files", {}))
    values = {judgement.name: judgement.value}
    host.__dict__["environment"] = Environment(known(values, ""))
    host.__dict__["environment_judgements"] = [judgement]
    try:
        verdict = check.judge(host, None)
    except Unavailable:
        return None
    return verdict if verdict.status in (Status.WARN, Status.FAIL) else None


def _edits(judgement: Judgement, setting: Setting) -> tuple[Edit, ...]:
    """The line with a debug switch off, or with the right name or value in it."""
    where, name = setting.where, judgement.name
    row = table().rows.get(name, {})
    if "debug" in row and "default" in row and is_on(row, judgement.value):
        return with_value(name, setting, row["default"])
    exported = [line.removeprefix("export ") for line in judgement.fix if line.startswith("export ")]
    if exported and judgement.kind is Kind.MISSPELT and name in where.text:
        right = exported[0].partition("=")[0]
        return (Edit(where.path, where.line, where.text, where.text.replace(name, right)),)
    if (
        exported
        and exported[0].partition("=")[0] == name
        and setting.text
        and where.text.count(setting.text) == 1
    ):
        value = exported[0].partition("=")[2].strip("'\"")
        return (Edit(where.path, where.line, where.text, where.text.replace(setting.text, value)),)
    return ()

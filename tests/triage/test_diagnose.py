"""How causes are ranked: first errors before what they set off, the findings of the host above all text."""

from __future__ import annotations

from typing import Any

import pytest

from npudoctor.finding import Action, Finding, Status
from npudoctor.triage.diagnose import diagnose
from npudoctor.triage.signatures import signatures
from npudoctor.triage.verdict import judge_dump


def finding(id: str, status: Status) -> Finding:
    return Finding(id, status, "title", "actual", "", Action.NONE, 0.0, (), None, ())


def ranked(sights: Any, text: str, **found: Status) -> list[tuple[str, float]]:
    findings = {name.replace("__", "."): finding(name, status) for name, status in found.items()}
    return [
        (cause.signature.id, cause.confidence) for cause in diagnose(sights(text), signatures(), findings)
    ]


HELD = (
    "Call drvGetDevNum, drvRetCode=87.\n[Init][Version]init soc version failed, ret = 507008\nctx is NULL!\n"
)


def test_what_a_cause_set_off_is_folded_under_it(sights: Any) -> None:
    (cause,) = diagnose(sights(HELD), signatures(), {})
    assert cause.signature.id == "device-held"
    assert set(cause.folded) == {"soc-version-unread", "context-null"}


def test_lines_of_folded_causes_count_as_explained(sights: Any) -> None:
    assert (
        judge_dump(sights("[ERROR] x: " + HELD.strip().replace("\n", "\n[ERROR] x: ")), {}).unexplained == ()
    )


@pytest.mark.parametrize(
    ("failing", "leads"),
    [
        ("pcie__aspm", "runtime-failed-aspm"),
        ("driver__cann_pairing", "runtime-failed-driver"),
        ("limits__stack", "runtime-failed-stack"),
    ],
)
def test_one_code_with_three_causes_is_told_apart_by_the_host(sights: Any, failing: str, leads: str) -> None:
    others = dict.fromkeys({"pcie__aspm", "driver__cann_pairing", "limits__stack"} - {failing}, Status.PASS)
    found = ranked(sights, "ACL_ERROR_RT_FAILED", **{failing: Status.FAIL}, **others)
    assert found[0][0] == leads
    assert found[0][1] > 0.5 > found[1][1]


def test_without_the_host_none_of_the_three_is_more_than_a_candidate(sights: Any) -> None:
    assert max(confidence for _id, confidence in ranked(sights, "ACL_ERROR_RT_FAILED")) < 0.5


def test_a_check_that_passes_lowers_what_it_would_have_lifted(sights: Any) -> None:
    alone = dict(ranked(sights, "write /x: No space left on device"))["disk-full"]
    assert (
        dict(ranked(sights, "write /x: No space left on device", storage__space=Status.PASS))["disk-full"]
        < alone
    )


def test_a_check_that_could_not_know_changes_nothing(sights: Any) -> None:
    text = "write /x: No space left on device"
    assert ranked(sights, text, storage__space=Status.UNKNOWN) == ranked(sights, text)


def test_of_two_causes_that_a_line_states_the_first_in_time_leads(sights: Any) -> None:
    early = "2026-01-02 03:04:05,000 OSError: [Errno 28] No space left on device"
    late = "2026-01-02 03:05:05,000 EJ0002: The network port is down."
    assert [name for name, _ in ranked(sights, f"{late}\n{early}")][:2] == ["disk-full", "npu-link-down"]


def test_a_time_out_leads_only_where_nothing_else_is_known(sights: Any) -> None:
    assert ranked(sights, "wait socket establish timeout, role[0]")[0][0] == "hccl-socket-timeout"
    both = ranked(sights, "wait socket establish timeout, role[0]\nwrite /x: No space left on device")
    assert both[0][0] == "disk-full"


def test_a_code_alone_pushes_no_time_out_back(sights: Any) -> None:
    text = "EI0002: [PID: 1] 2026-01-02-03:04:05.000.001 x\nEN0002: [PID: 1] 2026-01-02-03:04:06.000.001 x"
    assert ranked(sights, text) == [("hccl-exec-timeout", 0.4), ("code-cann-en0002", 0.3)]


def test_a_code_adds_no_candidate_of_a_kind_that_a_signature_has_named(sights: Any) -> None:
    text = "wait socket establish timeout, role[0]\n[CreateLink]call trace: hcclRet -> 19"
    assert [name for name, _ in ranked(sights, text)] == ["hccl-socket-timeout"]


def test_the_driver_of_the_host_makes_a_cause_of_a_candidate(sights: Any) -> None:
    text = "fault kernel_name=MoeDistributeCombineV2_x\nreason=[aicore timeout], error code is 507014"
    alone = dict(ranked(sights, text))["moe-dispatch-timeout"]
    old = dict(ranked(sights, text, driver__cann_pairing=Status.FAIL))["moe-dispatch-timeout"]
    assert alone < 0.5 < old

"""Small repositories with what the gate must find in each: `cases/NAME/repo` and `cases/NAME/want.yaml`."""

from pathlib import Path

import pytest
import yaml

from npudoctor.finding import Status
from npudoctor.gate.files import Repository
from npudoctor.gate.judge import gate_checks, judge
from npudoctor.matrix import load_matrix

CASES = Path(__file__).parent / "cases"
TOLD = (Status.FAIL, Status.WARN, Status.UNKNOWN)
NOT_HERE = {
    "driver.firmware_pairing",
    "env.combinations",
    "env.debug_switches",
    "env.log_level",
    "env.not_read",
    "env.profiling",
    "gate.readable",
    "python.cann_pairing",
    "serving.hdk_floor",
    "serving.mindspore_pairing",
}
"""Rules that share all their code with one that has a case, and the reading of files (test_files.py)."""


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
def test_the_gate_finds_what_is_wrong_and_nothing_else(case):
    repository = Repository(str(CASES / case / "repo"))
    wanted = yaml.safe_load((CASES / case / "want.yaml").read_text(encoding="utf-8"))["findings"]
    judged = judge(repository, load_matrix(None), [check.id for check in gate_checks()])
    found = [
        {"id": one.id, "status": one.status.value, "file": repository.inner(file.path), "line": line_of(one)}
        for file in judged
        for one in file.findings
        if one.status in TOLD
    ]
    assert sorted(found, key=str) == sorted(wanted, key=str)


def line_of(finding):
    return finding.evidence[0].line


def test_every_rule_has_a_case_in_which_it_speaks():
    rows = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in CASES.glob("*/want.yaml")]
    spoken = {row["id"] for want in rows for row in want["findings"]}
    asked_for = {check.id for check in gate_checks() if check.id.endswith(".of_stack")}  # with a stack alone
    silent = {check.id for check in gate_checks()} - spoken - asked_for
    assert silent <= NOT_HERE, silent - NOT_HERE

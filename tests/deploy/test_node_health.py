"""What deploy/slurm/node_health.py makes of a report, of a reason and of its settings, without a Slurm."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "deploy" / "slurm" / "node_health.py"
_SPEC = importlib.util.spec_from_file_location("node_health", PROGRAM)
node_health = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(node_health)


def report(**findings):
    rows = [{"id": id.replace("__", "."), "status": status} for id, status in findings.items()]
    return {"hosts": [{"findings": rows}]}


@pytest.mark.parametrize(
    ("code", "findings", "verdict"),
    [
        (0, {"npu__health": "pass", "npu__ecc": "skip"}, ("good", "")),
        (0, {"npu__health": "waived"}, ("good", "")),
        (0, {"npu__health": "unknown"}, ("unclear", "unknown: npu.health")),
        (1, {"npu__health": "fail", "npu__ecc": "unknown"}, ("bad", "npu.health")),
        (0, {}, ("unclear", "npudoctor ended with exit code 0")),
        (3, {"npu__health": "pass"}, ("unclear", "npudoctor ended with exit code 3")),
        (4, {"npu__health": "fail"}, ("unclear", "npudoctor ended with exit code 4")),
    ],
)
def test_only_exit_1_with_a_failed_check_is_bad_and_only_0_with_nothing_unknown_is_good(
    code, findings, verdict
):
    assert node_health.verdict_of(code, report(**findings)) == verdict


def test_a_reason_names_five_ids_and_counts_the_rest():
    ids = [f"npu.check{number}" for number in range(8)]
    assert node_health.listed(ids) == "npu.check0, npu.check1, npu.check2, npu.check3, npu.check4 and 3 more"


@pytest.mark.parametrize(
    ("state", "reason", "ours"),
    [
        ("drained", "npudoctor: npu.health", True),
        ("draining", "npudoctor: npu.health, npu.ecc, pcie.link and 2 more", True),
        ("drained", "npudoctor: npu.health (card is ordered)", False),
        ("drained", "Prolog error", False),
        ("drained", "bad card, see npudoctor: npu.health", False),
        ("idle", "npudoctor: npu.health", False),
        ("down*", "npudoctor: npu.health", False),
    ],
)
def test_a_node_is_ours_only_where_the_whole_reason_is_ours(state, reason, ours):
    assert node_health.is_ours(node_health.Node("n1", state, reason)) is ours


def prolog(folder, settings):
    """The prolog with these settings: its exit code and what it says."""
    program = folder / "node_health.py"
    program.write_text(PROGRAM.read_text())
    program.with_suffix(".ini").write_text(settings)
    done = subprocess.run(
        [sys.executable, program],
        env={**os.environ, "SLURM_SCRIPT_CONTEXT": "prolog_slurmd"},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    "settings", ["[health]\nseconds = soon\n", "no section\n", "[health]\ncommand = '\n"]
)
def test_settings_that_cannot_be_read_stop_no_job(tmp_path, settings):
    code, said = prolog(tmp_path, settings)
    assert code == 0
    assert said.startswith("npudoctor: left as it is: node_health.ini: ")


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("sh -c 'exec sleep 60'", "npudoctor gave no answer within 0.5 s"),
        ("/no/npudoctor check", "npudoctor did not start: [Errno 2] No such file or directory"),
        ("sh -c 'echo no such option >&2; exit 2'", "npudoctor ended with exit code 2: no such option"),
        ("sh -c 'echo {}'", "npudoctor ended with exit code 0"),
    ],
)
def test_npudoctor_that_hangs_or_fails_stops_no_job(tmp_path, command, why):
    code, said = prolog(tmp_path, f"[health]\ncommand = {command}\nseconds = 0.5\nstate = {tmp_path}\n")
    assert code == 0
    assert said.startswith(f"npudoctor: left as it is: {why}")


def test_the_settings_that_ship_can_be_read_and_name_checks_that_exist():
    from npudoctor.checks.registry import all_checks

    settings = node_health.read_settings(PROGRAM.with_suffix(".ini"))
    wanted = settings.command[settings.command.index("--only") + 1].split(",")
    assert set(wanted) <= {check.id for check in all_checks()}
    assert (settings.seconds, settings.good_runs, settings.drain) == (40, 2, True)

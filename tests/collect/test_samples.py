"""The recorded hosts in the package."""

from __future__ import annotations

import pytest

from npudoctor.checks import all_checks
from npudoctor.checks.runner import run_checks
from npudoctor.collect.samples import read_sample, samples
from npudoctor.errors import UsageError
from npudoctor.finding import Status
from npudoctor.host import Host
from npudoctor.matrix import load_matrix

WANTED = {
    "310p-duo": {"env.log_level": "warn"},
    "910-first-generation": {"network.link": "fail", "network.tls_alike": "fail"},
    "a2-healthy": {},
    "a2-misconfigured": {
        "memory.pool_size": "fail",
        "env.misspelt_names": "warn",
        "env.hccl_values": "fail",
        "torch.torch_npu_pairing": "fail",
        "python.placeholder_packages": "warn",
    },
    "a3-sick-die": {"npu.health": "fail", "npu.ecc": "fail"},
    "container-missing-nodes": {"container.devices": "fail", "container.visible_devices": "fail"},
    "founding-story": {
        "driver.cann_pairing": "fail",
        "limits.stack": "fail",
        "pcie.aspm": "fail",
        "env.launch_blocking": "warn",
        "memory.pool_size": "fail",
    },
    "half-installed-driver": {"driver.install_complete": "fail", "driver.modules": "fail"},
    "no-npu": {"npu.visible": "fail"},
}


def findings(name: str) -> dict[str, str]:
    host = Host(read_sample(name))
    found = run_checks(all_checks(), host, load_matrix())
    return {finding.id: finding.status.value for finding in found}


def test_every_sample_says_in_one_sentence_what_it_is():
    assert set(samples()) == set(WANTED)
    assert all(len(summary) > 20 for summary in samples().values())


@pytest.mark.parametrize("name", WANTED)
def test_each_sample_shows_the_trouble_that_its_sentence_names(name):
    found = findings(name)
    assert {id: found[id] for id in WANTED[name]} == WANTED[name]


def test_the_healthy_sample_fails_nothing_and_no_check_crashes_on_any():
    assert Status.FAIL.value not in findings("a2-healthy").values()
    for name in WANTED:
        host = Host(read_sample(name))
        crashed = [f for f in run_checks(all_checks(), host, load_matrix()) if "itself failed" in f.actual]
        assert crashed == []


def test_the_machine_without_npus_passes_nothing_about_npus():
    passed = {id for id, status in findings("no-npu").items() if status == "pass"}
    assert not [id for id in passed if id.startswith(("npu.", "driver.", "firmware.", "network."))]


def test_an_unknown_name_is_answered_with_the_names_that_there_are():
    with pytest.raises(UsageError, match="a2-healthy"):
        read_sample("a2-helthy")

"""What `check` says of each recorded host: the whole list of what fails, warns and cannot be known.

A change of judgement shows here first. Whoever changes one changes the line below on purpose.
"""

from __future__ import annotations

import pytest

from npudoctor.checks.registry import all_checks
from npudoctor.checks.runner import run_checks
from npudoctor.collect.samples import read_sample, samples
from npudoctor.finding import Finding, Status
from npudoctor.host import Host
from npudoctor.matrix import load_matrix

NEEDS_NPU_SMI = (
    "npu.counts_agree npu.ecc npu.health npu.held npu.same_chips npu.table_complete npu.temperature"
    " driver.firmware_pairing driver.running_version"
)
NEEDS_NPU_SMI_ON_A_HOST = (
    "firmware.compatibility firmware.same_on_all os.supported network.addresses network.gateway"
    " network.hccn_conf network.hccn_conf_agrees network.link network.net_health network.same_subnet"
    " network.tls_alike network.tls_certificates network.unique_addresses"
)

FAIL = {
    "a2-healthy": "",
    "310p-duo": "",
    "910-first-generation": "network.link network.tls_alike",
    "a2-misconfigured": (
        "cann.nnal_abi env.allocator env.hccl_values env.values env.visible_devices memory.pool_size"
        " serving.vllm_ascend_pairing torch.torch_npu_pairing torch.triton_conflict"
    ),
    "a3-sick-die": "npu.ecc npu.health",
    "container-missing-nodes": (
        "container.devices container.visible_devices limits.stack npu.answers npu.visible"
    ),
    "founding-story": ("driver.cann_pairing limits.stack memory.pool_size pcie.aspm pcie.aspm_link"),
    "half-installed-driver": ("driver.install_complete driver.modules kernel.dkms npu.answers npu.visible"),
    "no-npu": "npu.visible",
}
WARN = {
    "a2-healthy": "",
    "310p-duo": "env.log_level kernel.governor",
    "910-first-generation": "driver.cann_pairing",
    "a2-misconfigured": "env.log_level env.misspelt_names env.not_read python.placeholder_packages",
    "a3-sick-die": "",
    "container-missing-nodes": "memory.shm",
    "founding-story": (
        "driver.firmware_pairing env.launch_blocking env.log_level env.profiling limits.stack_services"
        " python.cann_pairing"
    ),
    "half-installed-driver": "firmware.installed kernel.headers",
    "no-npu": "",
}
UNKNOWN = {
    "a2-healthy": "",
    "310p-duo": "",
    "910-first-generation": "network.tls_certificates os.supported",
    "a2-misconfigured": "torch.cann_pairing",
    "a3-sick-die": "os.supported",
    "container-missing-nodes": (
        f"{NEEDS_NPU_SMI} npu.dies_in_pairs npu.faulty_chips cann.operators cann.platform_config"
    ),
    "founding-story": "",
    "half-installed-driver": f"{NEEDS_NPU_SMI} {NEEDS_NPU_SMI_ON_A_HOST}",
    "no-npu": "",
}


@pytest.fixture(scope="module")
def judged():
    """The findings of a sample by its name; each sample is judged once."""
    checks, matrix, seen = all_checks(), load_matrix(), {}

    def findings(name: str) -> list[Finding]:
        if name not in seen:
            seen[name] = run_checks(checks, Host(read_sample(name)), matrix)
        return seen[name]

    return findings


def ids(findings: list[Finding], status: Status) -> set[str]:
    return {finding.id for finding in findings if finding.status is status}


def test_every_sample_has_its_line() -> None:
    assert set(samples()) == set(FAIL) == set(WARN) == set(UNKNOWN)


@pytest.mark.parametrize("name", FAIL)
def test_this_fails_and_nothing_else(judged, name) -> None:
    assert ids(judged(name), Status.FAIL) == set(FAIL[name].split())


@pytest.mark.parametrize("name", WARN)
def test_this_warns_and_nothing_else(judged, name) -> None:
    assert ids(judged(name), Status.WARN) == set(WARN[name].split())


@pytest.mark.parametrize("name", UNKNOWN)
def test_this_is_unknown_and_nothing_else(judged, name) -> None:
    assert ids(judged(name), Status.UNKNOWN) == set(UNKNOWN[name].split())


@pytest.mark.parametrize("name", FAIL)
def test_what_fails_is_proven_and_comes_with_a_next_step(judged, name) -> None:
    for finding in judged(name):
        if finding.status in (Status.FAIL, Status.WARN):
            assert finding.evidence, finding.id
            assert finding.actual, finding.id
            assert all(len(command) < 200 for command in finding.fix.commands) if finding.fix else True


@pytest.mark.parametrize("name", FAIL)
def test_no_sentence_ends_twice(judged, name) -> None:
    for finding in judged(name):
        assert ".;" not in finding.actual, finding.id


@pytest.mark.parametrize("name", FAIL)
def test_no_command_asks_for_an_npu_that_is_known(judged, name) -> None:
    for finding in judged(name):
        assert not any(" -i N" in line for line in (finding.fix.commands if finding.fix else ())), finding.id

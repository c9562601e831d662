"""torch on an NPU machine."""

from __future__ import annotations

import pytest

from npudoctor.checks import torch
from npudoctor.fact import Unavailable
from npudoctor.finding import Status

HEAD = "# /opt/venv/bin/python3 3.11.9\n"
A2 = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802]\n"}
DUO = {"lspci -nn": A2["lspci -nn"].replace("d802", "d500")}
X86 = {
    "uname -a": "Linux node1 5.15.0-60 #1 SMP Mon Mar 4 10:00:00 UTC 2024 x86_64 x86_64 x86_64 GNU/Linux\n"
}


def packages(*lines: str) -> str:
    return HEAD + "\n".join(lines) + "\n"


def test_torch_alone_on_an_npu_machine_is_a_warning(host):
    assert torch.npu_missing(host(commands=A2, packages=packages("torch==2.7.1"))).status is Status.WARN


def test_torch_with_torch_npu_passes(host):
    both = packages("torch==2.7.1", "torch_npu==2.7.1")

    assert torch.npu_missing(host(commands=A2, packages=both)).status is Status.PASS


def test_torch_where_nobody_looked_for_npus_is_unknown(host):
    with pytest.raises(Unavailable):
        torch.npu_missing(host(packages=packages("torch==2.7.1")))


def test_torch_beside_mindspore_is_not_asked_for_torch_npu(host):
    both = packages("torch==2.7.1", "mindspore==2.6.0")

    assert torch.npu_missing(host(commands=A2, packages=both)).status is Status.SKIP


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (("torch==2.10.0+cpu", "torch_npu==2.10.0"), Status.PASS),
        (("torch==2.10.0+cu128", "torch_npu==2.10.0"), Status.FAIL),
        (("torch==2.10.0", "torch_npu==2.10.0", "nvidia-cuda-runtime-cu12==12.8.90"), Status.FAIL),
        (("torch==2.5.1+cu124", "torch_npu==2.5.1"), Status.WARN),
        (("torch==2.7.1", "torch_npu==2.7.1"), Status.PASS),
        (("torch==2.7.1+cu126",), Status.SKIP),
    ],
)
def test_torch_beside_torch_npu_must_be_the_cpu_build(host, lines, status):
    assert torch.cpu_build(host(packages=packages(*lines))).status is status


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (("torch_npu==2.8.0", "triton_ascend==3.2.0"), Status.PASS),
        (("torch_npu==2.8.0", "triton_ascend==3.2.0", "triton==3.2.0"), Status.FAIL),
        (("torch_npu==2.9.0", "triton_ascend==3.2.1", "triton==3.2.0"), Status.PASS),
        (("torch_npu==2.9.0", "triton_ascend==3.2.1", "triton==3.5.1"), Status.WARN),
        (("torch_npu==2.9.0", "triton==3.5.1"), Status.WARN),
        (("torch==2.9.0", "triton==3.5.1"), Status.SKIP),
    ],
)
def test_triton_must_not_overwrite_triton_ascend(host, lines, status):
    assert torch.triton_conflict(host(commands=A2 | X86, packages=packages(*lines))).status is status


def test_several_pythons_with_a_conflict_are_one_finding_and_the_worst_counts(host):
    mild = packages("torch_npu==2.9.0", "triton==3.5.1")
    grave = "# /usr/bin/python3 3.10.12\ntorch_npu==2.8.0\ntriton==3.2.0\ntriton_ascend==3.2.0\n"

    verdict = torch.triton_conflict(host(commands=A2 | X86, packages=mild + grave))

    assert verdict.status is Status.FAIL
    assert {line.source for line in verdict.evidence} == {"/opt/venv/bin/python3", "/usr/bin/python3"}
    assert verdict.actual == "triton==3.2.0, triton_ascend==3.2.0"


def test_a_310p_has_neither_triton(host):
    machine = host(commands=DUO, packages=packages("torch_npu==2.8.0", "triton_ascend==3.2.0"))

    assert torch.triton_conflict(machine).status is Status.WARN


@pytest.mark.parametrize(
    ("torch_version", "vision", "status"),
    [
        ("2.5.1", "0.20.1", Status.PASS),
        ("2.10.0+cpu", "0.25.0+cpu", Status.PASS),
        ("2.7.1", "0.20.1", Status.FAIL),
        ("1.11.0", "0.12.0", Status.PASS),
    ],
)
def test_torchvision_is_built_for_one_torch(host, torch_version, vision, status):
    lines = packages(f"torch=={torch_version}", f"torchvision=={vision}", "torch_npu==2.5.1")

    assert torch.torchvision(host(packages=lines)).status is status

"""NNAL and torchair of a stack: judged with `--stack` alone."""

from __future__ import annotations

import pytest

from npudoctor.checks.stack_parts import nnal, torchair
from npudoctor.matrix import load_matrix

NAME = "a2-cann8.5.0-vllm0.13.0"
CANN = "/usr/local/Ascend/cann/aarch64-linux/ascend_toolkit_install.info"
ATB = "/usr/local/Ascend/nnal/atb"
PACKAGES = "# /opt/venv/bin/python3 3.11.9\ntorch==2.8.0+cpu\ntorch_npu=={}\n"
LS = "ls /opt/venv/lib/python3.11/site-packages/torch_npu/dynamo/torchair"
NO_NNAL = {"ls -l /usr/local/Ascend": "total 0\ndrwxr-xr-x 9 root root 90 Sep 21 17:04 cann-8.5.0\n"}


@pytest.fixture
def matrix():
    return load_matrix(None, NAME)


def with_atb(host, version="8.5.0", abis=(0, 1), home=None):
    rows = "".join(f"drwxr-xr-x 2 root root 6 Sep 21 17:04 cxx_abi_{abi}\n" for abi in abis)
    files = {
        CANN: "package_name=Ascend-cann-toolkit\nversion=8.5.0\narch=aarch64\n",
        f"{ATB}/{version}/version.info": f"    Ascend-cann-atb : {version}\n",
    }
    environment = "A=1\n" if home is None else f"ATB_HOME_PATH={ATB}/{version}/atb/cxx_abi_{home}\n"
    return host(files, {f"ls -l {ATB}/{version}/atb": f"total 0\n{rows}"}, environment=environment)


def with_torch(host, torch_npu="2.8.0.post2", listed="__init__.py\ncore\n"):
    return host(commands={LS: listed}, packages=PACKAGES.format(torch_npu))


@pytest.mark.parametrize("home", [None, 1])
def test_nnal_of_the_stack_passes(judge, host, matrix, home):
    assert judge(nnal, with_atb(host, home=home), matrix).status == "pass"


@pytest.mark.parametrize(
    "other", [{"version": "8.3.RC1"}, {"abis": (0,)}, {"home": 0}], ids=["release", "no build", "environment"]
)
def test_another_nnal_or_another_abi_fails_and_says_which_is_wanted(judge, host, matrix, other):
    finding = judge(nnal, with_atb(host, **other), matrix)

    assert (finding.status, finding.expected) == ("fail", f"ATB 8.5.0, cxx_abi_1 (stack {NAME})")


def test_no_nnal_beside_cann_fails(judge, host, matrix):
    machine = host({CANN: "package_name=Ascend-cann-toolkit\nversion=8.5.0\narch=aarch64\n"}, NO_NNAL)

    assert judge(nnal, machine, matrix).status == "fail"


def test_torchair_in_the_torch_npu_of_the_stack_passes(judge, host, matrix):
    assert judge(torchair, with_torch(host), matrix).status == "pass"


def test_a_torch_npu_of_the_stack_without_torchair_fails(judge, host, matrix):
    finding = judge(torchair, with_torch(host, listed="\n"), matrix)

    assert finding.status == "fail"
    assert finding.expected == f"torchair 7.3.0 in torch_npu 2.8.0.post2 (stack {NAME})"


def test_another_torch_npu_is_told_once_by_another_check(judge, host, matrix):
    assert judge(torchair, with_torch(host, "2.7.1"), matrix).status == "skip"


@pytest.mark.parametrize("stack", [None, "founding-cann6.3.rc2-driver6.3.1"])
def test_a_stack_that_does_not_name_them_or_none_at_all_passes_over_them(judge, host, stack):
    loaded = load_matrix(None, stack)

    assert judge(nnal, with_atb(host), loaded).status == "skip"
    assert judge(torchair, with_torch(host), loaded).status == "skip"

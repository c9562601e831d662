"""NNAL: there, of the CANN's release, in torch's ABI."""

from __future__ import annotations

import pytest

from npudoctor.checks.cann_nnal import nnal, nnal_abi, nnal_version, torch_abi
from npudoctor.finding import Status

CANN = {
    "/usr/local/Ascend/cann-8.5.0/aarch64-linux/ascend_toolkit_install.info": "version=8.5.0\narch=aarch64\n"
}
ATB = "/usr/local/Ascend/nnal/atb"
SERVING = (
    "# /usr/bin/python3 3.11.9\nvllm==0.14.1\nvllm_ascend==0.14.0rc1\ntorch==2.9.0+cpu\ntorch_npu==2.9.0\n"
)
NO_NNAL = {"ls -l /usr/local/Ascend": "total 0\ndrwxr-xr-x 9 root root 90 Sep 21 17:04 cann-8.5.0\n"}


def atb(version: str) -> dict[str, str]:
    return {f"{ATB}/{version}/version.info": f"    Ascend-cann-atb : {version}\n"}


def home(abi: int, version: str = "latest") -> str:
    return f"ATB_HOME_PATH={ATB}/{version}/atb/cxx_abi_{abi}\n"


def test_vllm_ascend_without_nnal_fails(host):
    assert nnal(host(CANN, NO_NNAL, packages=SERVING)).status is Status.FAIL


def test_vllm_ascend_with_nnal_passes(host):
    assert nnal(host(CANN | atb("8.5.0"), packages=SERVING, environment=home(1))).status is Status.PASS


def test_cann_sourced_and_nnal_not_is_a_warning(host):
    sourced = "ASCEND_HOME_PATH=/usr/local/Ascend/cann-8.5.0\n"

    assert nnal(host(CANN | atb("8.5.0"), packages=SERVING, environment=sourced)).status is Status.WARN


def test_where_nothing_needs_nnal_it_is_not_asked_for(host):
    assert nnal(host(CANN, NO_NNAL, packages="# /usr/bin/python3 3.11.9\n")).status is Status.SKIP


@pytest.mark.parametrize(
    ("version", "status"),
    [("8.5.0", Status.PASS), ("8.5.1", Status.WARN), ("8.3.RC1", Status.FAIL), ("9.0.0", Status.WARN)],
)
def test_nnal_must_be_of_the_release_of_cann(host, version, status):
    assert nnal_version(host(CANN | atb(version))).status is status


def test_of_several_nnal_the_environment_names_the_one_that_counts(host):
    both = CANN | atb("8.5.0") | atb("8.3.RC1")

    assert nnal_version(host(both, environment=home(1, "8.5.0"))).status is Status.PASS
    assert nnal_version(host(both, environment="A=1\n")).status is Status.UNKNOWN


@pytest.mark.parametrize(("abi", "status"), [(1, Status.PASS), (0, Status.FAIL)])
def test_atb_must_be_in_the_abi_of_torch(host, abi, status):
    assert nnal_abi(host(CANN, packages=SERVING, environment=home(abi))).status is status


def test_an_old_torch_with_the_new_abi_is_a_warning_with_the_command_to_mend_it(host):
    old = SERVING.replace("torch==2.9.0+cpu", "torch==2.5.1")

    verdict = nnal_abi(host(CANN, packages=old, environment=home(1)))

    assert verdict.status is Status.WARN
    assert verdict.fix.commands == ("source /usr/local/Ascend/nnal/atb/set_env.sh --cxx_abi=0",)


def test_an_abi_that_this_nnal_has_no_build_for_fails(host):
    listing = {f"ls -l {ATB}/8.5.0/atb": "total 0\ndrwxr-xr-x 2 root root 6 Sep 21 17:04 cxx_abi_0\n"}

    machine = host(CANN | atb("8.5.0"), listing, packages=SERVING, environment=home(1))

    assert nnal_abi(machine).status is Status.FAIL


def test_an_abi_that_nobody_names_is_not_judged(host):
    assert nnal_abi(host(CANN, packages=SERVING, environment="A=1\n")).status is Status.SKIP


@pytest.mark.parametrize(
    ("version", "arch", "abi"),
    [
        ("2.1.0", "x86_64", 0),
        ("2.5.1+cpu", "x86_64", 0),
        ("2.6.0", "aarch64", 1),
        ("2.6.0+cpu", "x86_64", None),
        ("2.7.1", None, 1),
        ("2.10.0+cpu", "x86_64", 1),
        ("2.5.1+gita8d6afb", "x86_64", None),
        ("2.1.0.dev20240101", "x86_64", None),
        ("2.8?0", "x86_64", None),
    ],
)
def test_the_abi_of_pytorchs_own_wheels(version, arch, abi):
    assert torch_abi(version, arch) == abi

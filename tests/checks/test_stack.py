"""Whether a host is the stack that it is to be: judged with `--stack` alone."""

import pytest

from npudoctor.checks import stack
from npudoctor.checks.registry import all_checks
from npudoctor.matrix import load_matrix

NAME = "a2-cann8.5.0-vllm0.13.0"
SMI = """\
+--------------------------------------------------------------------------------------------+
| npu-smi {driver}                  Version: {driver}                                          |
+----------------------+---------------+-----------------------------------------------------+
| NPU   Name           | Health        | Power(W)    Temp(C)           Hugepages-Usage(page) |
| Chip                 | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)         |
+======================+===============+=====================================================+
| 0     {chip}          | OK            | 92.8        38                0    / 0              |
| 0                    | 0000:C1:00.0  | 0           0    / 0          3161 / 65536          |
+======================+===============+=====================================================+
"""
DRIVER = "/usr/local/Ascend/driver/version.info"
FIRMWARE = "/usr/local/Ascend/firmware/version.info"
CANN = "/usr/local/Ascend/cann/aarch64-linux/ascend_toolkit_install.info"
PACKAGES = "# /opt/venv/bin/python3 {python}\ntorch=={torch}\ntorch_npu=={torch_npu}\nvllm-ascend==0.13.0\n"
RIGHT = {"python": "3.11.9", "torch": "2.8.0+cpu", "torch_npu": "2.8.0.post2"}


@pytest.fixture
def matrix():
    return load_matrix(None, NAME)


@pytest.fixture
def machine(host):
    def made(driver="25.5.0", firmware="7.8.0.5.216", cann="8.5.0", chip="910B3", **packages):
        return host(
            files={
                DRIVER: f"Version={driver}\n",
                FIRMWARE: f"Version={firmware}\n",
                CANN: f"package_name=Ascend-cann-toolkit\nversion={cann}\narch=aarch64\nos=linux\n",
            },
            commands={"npu-smi info": SMI.format(driver=driver, chip=chip)},
            packages=PACKAGES.format(**{**RIGHT, **packages}),
        )

    return made


OF_HOST = {"driver": stack.driver, "firmware": stack.firmware, "cann": stack.cann}


@pytest.mark.parametrize(
    "function", [*OF_HOST.values(), stack.chip, stack.torch, stack.python, stack.serving]
)
def test_a_host_that_is_the_stack_passes(judge, machine, matrix, function):
    assert judge(function, machine(), matrix).status == "pass"


@pytest.mark.parametrize(
    "function", [*OF_HOST.values(), stack.chip, stack.torch, stack.python, stack.serving]
)
def test_without_a_stack_there_is_nothing_to_hold_it_against(judge, machine, function):
    assert judge(function, machine(), load_matrix()).status == "skip"


@pytest.mark.parametrize(
    ("what", "version"), [("driver", "25.2.0"), ("firmware", "7.7.0.2.220"), ("cann", "8.3.RC2")]
)
def test_another_version_fails_and_says_which_is_wanted(judge, machine, matrix, what, version):
    finding = judge(OF_HOST[what], machine(**{what: version}), matrix)

    assert (finding.status, finding.actual) == ("fail", version)
    assert NAME in finding.expected
    assert finding.fix.commands == (f"npudoctor provision --hosts HOSTS --stack {NAME} --plan",)


def test_letters_of_either_case_are_the_same_version(judge, machine):
    old = load_matrix(None, "a2-cann8.3.rc1-vllm0.11.0rc1")

    assert judge(stack.driver, machine(driver="25.3.RC1"), old).status == "pass"
    assert judge(stack.cann, machine(cann="8.3.rc1"), old).status == "pass"


def test_what_is_not_there_fails(judge, host, matrix):
    bare = host(absent=[DRIVER, FIRMWARE, "npu-smi info"])

    assert judge(stack.driver, bare, matrix).status == "fail"


def test_what_nobody_looked_for_is_unknown(judge, host, matrix):
    assert judge(stack.driver, host(), matrix).status == "unknown"
    assert judge(stack.torch, host(), matrix).status == "unknown"


def test_chips_of_another_family_fail(judge, machine, matrix):
    finding = judge(stack.chip, machine(chip="310P3"), matrix)

    assert (finding.status, finding.actual) == ("fail", "310P")


def test_another_wheel_fails_and_only_that_is_named(judge, machine, matrix):
    finding = judge(stack.torch, machine(torch_npu="2.8.0"), matrix)

    assert (finding.status, finding.actual) == ("fail", "torch_npu 2.8.0")


def test_a_python_of_another_release_fails_and_its_patch_does_not_matter(judge, machine, matrix):
    assert judge(stack.python, machine(python="3.11.14"), matrix).status == "pass"
    assert judge(stack.python, machine(python="3.10.2"), matrix).status == "fail"


def test_packages_that_may_be_in_a_container_are_passed_over(judge, host, matrix):
    bare = host(packages="# /usr/bin/python3 3.10.12\nattrs==23.2.0\n")

    assert {judge(one, bare, matrix).status for one in (stack.torch, stack.serving, stack.python)} == {"skip"}


def test_what_a_stack_does_not_name_is_not_asked_for(judge, machine):
    founding = load_matrix(None, "founding-cann6.3.rc2-driver6.3.1")

    assert judge(stack.firmware, machine(), founding).status == "skip"


def test_they_alone_are_checks_of_a_stack():
    assert {check.id for check in all_checks() if check.of_stack} == {
        "npu.of_stack", "driver.of_stack", "firmware.of_stack", "cann.of_stack", "torch.of_stack",
        "python.of_stack", "serving.of_stack", "cann.nnal_of_stack", "torch.torchair_of_stack",
    }  # fmt: skip

"""What a plan wants stored."""

import json

import pytest

from npudoctor.errors import UsageError
from npudoctor.matrix import load_matrix
from npudoctor.provision.packages.find import needs
from npudoctor.provision.packages.planned import wanted_of_plan

from .factory import STACK

BARE = {"name": "n1", "arch": "aarch64", "before": {"driver": "", "firmware": "", "toolkit": ""}}
OLD = {
    "name": "n2",
    "arch": "aarch64",
    "before": {"driver": "25.2.0", "firmware": "7.7.0.2.220", "toolkit": "8.2.RC1", "ops": "8.2.RC1"},
}
RIGHT = {"name": "n3", "arch": "x86_64", "before": {"driver": "25.5.0", "firmware": "7.8.0.5.216"}}
LOST = {"name": "n4", "arch": "", "before": {}}


@pytest.fixture
def wanted(tmp_path):
    def of(*hosts):
        file = tmp_path / "plan.json"
        file.write_text(json.dumps({"schema": "npudoctor.plan/1", "stack": STACK, "hosts": hosts}))
        return wanted_of_plan(file, load_matrix())

    return of


def test_the_stack_is_wanted_once_for_each_architecture(wanted):
    assert [(one.stack.name, one.arch, one.way_back) for one in wanted(BARE, RIGHT, LOST, BARE)] == [
        (STACK, "aarch64", False),
        (STACK, "x86_64", False),
    ]


def test_what_a_host_has_now_is_wanted_as_its_way_back(wanted):
    (back,) = (one for one in wanted(OLD) if one.way_back)

    assert [need.file.name for need in needs(back.stack, back.arch, back.only)] == [
        "Ascend-hdk-910b-npu-driver_25.2.0_linux-aarch64.run",
        "Ascend-hdk-910b-npu-firmware_7.7.0.2.220.run",
        "Ascend-cann-toolkit_8.2.RC1_linux-aarch64.run",
        "Ascend-cann-kernels-910b_8.2.RC1_linux-aarch64.run",
    ]


def test_what_is_unknown_of_a_host_is_not_wanted(wanted):
    assert not [one for one in wanted({**OLD, "before": {"driver": "?", "toolkit": None}}) if one.way_back]


@pytest.mark.parametrize(
    "text", ["", "[]", "[" * 100_000, '{"stack": "a2-cann8.5.0-torch2.7.1"}', '{"stack": 5, "hosts": []}']
)
def test_what_is_no_plan_is_wrong_usage(tmp_path, text):
    (tmp_path / "plan.json").write_text(text)

    with pytest.raises(UsageError):
        wanted_of_plan(tmp_path / "plan.json", load_matrix())


def test_a_plan_that_is_not_there_is_wrong_usage(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        wanted_of_plan(tmp_path / "plan.json", load_matrix())

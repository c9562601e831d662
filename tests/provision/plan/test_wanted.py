"""Which components a call touches."""

import pytest
import yaml

from npudoctor.errors import UsageError
from npudoctor.matrix import load_matrix
from npudoctor.matrix.stacks import load_stack
from npudoctor.provision.plan.settings import settings
from npudoctor.provision.plan.wanted import wanted_of
from npudoctor.provision.playbooks import playbooks


@pytest.fixture
def wanted():
    stack = load_stack(load_matrix(), "a2-cann8.5.0-vllm0.13.0")
    return lambda only=(), skip=(): wanted_of(stack, only, skip)


def test_a_setting_is_left_alone_and_its_component_is_not(wanted):
    found = wanted(skip=["host_tuning.thp"])

    assert found.wants("host_tuning")
    assert found.left_out == {"host_tuning.thp"}


@pytest.mark.parametrize(
    ("option", "call"),
    [
        ("--skip", {"skip": ["host_tuning.tph"]}),
        ("--skip", {"skip": ["driver.thp"]}),
        ("--only", {"only": ["host_tuning.thp"]}),
        ("--only", {"only": ["drivers"]}),
    ],
)
def test_a_setting_or_component_that_there_is_not_is_wrong_usage(wanted, option, call):
    with pytest.raises(UsageError, match=f"{option}: there is no component "):
        wanted(**call)


def test_a_call_that_leaves_nothing_is_wrong_usage(wanted):
    with pytest.raises(UsageError, match="leave no component"):
        wanted(only=["driver"], skip=["driver"])


def test_every_setting_is_one_that_the_role_knows():
    role = playbooks() / "collections/ansible_collections/npudoctor/ascend/roles/host_tuning"
    specs = yaml.safe_load((role / "meta/argument_specs.yml").read_text())
    options = specs["argument_specs"]["main"]["options"]["host_tuning_skip"]["choices"]

    assert settings() == sorted(f"host_tuning.{name}" for name in options)

"""What is tried out at the end, and which versions are looked for then."""

from dataclasses import replace

import pytest

from npudoctor.matrix import load_matrix
from npudoctor.matrix.stacks import load_stack
from npudoctor.provision.effects.trial import trials, versions_of
from npudoctor.provision.machine import Look, opened
from npudoctor.provision.record import Way
from tests.provision.world import plan

STACK = load_stack(load_matrix(), "a2-cann8.5.0-vllm0.13.0")


def record(*components, group=1, way=Way.UP):
    return replace(opened("run1", STACK.name, plan(*components), Look("boot1")), group=group, way=way)


@pytest.mark.parametrize(
    ("made", "tried"),
    [
        (record("driver", "toolkit"), ["verify"]),
        (record("driver", "toolkit", group=0), []),
        (record("driver", group=0), ["verify"]),
        (record("host_tuning", group=0), []),
        (record("environment", "docker"), []),
        (record("driver", way=Way.DOWN), []),
        (record("driver", "serving"), ["verify", "serving"]),
        (record("serving"), ["serving"]),
        (record("serving", way=Way.DOWN), []),
    ],
)
def test_npus_and_the_service_are_tried_once_at_the_end_of_a_change_that_concerns_them(made, tried):
    assert [role for role, _variables in trials(made, STACK)] == tried


def test_only_versions_of_what_was_changed_are_looked_for():
    assert versions_of(record("driver"), STACK) == {"driver": "25.5.0"}
    assert versions_of(record("driver", "serving"), STACK) == {"driver": "25.5.0"}
    assert versions_of(record("toolkit", "ops"), STACK) == {"cann": "8.5.0"}
    found = versions_of(record("nnal", "python_env", "environment"), STACK)
    assert found == {"cann": "8.5.0", "nnal_abi": "1", "torch": "2.8.0", "torch_npu": "2.8.0.post2"}

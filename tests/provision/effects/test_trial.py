"""When NPUs are tried out at the end, and which versions are looked for then."""

from dataclasses import replace

import pytest

from npudoctor.matrix import load_matrix
from npudoctor.matrix.stacks import load_stack
from npudoctor.provision.effects.trial import tries_npus, versions_of
from npudoctor.provision.machine import Look, opened
from npudoctor.provision.record import Way
from tests.provision.world import plan

STACK = load_stack(load_matrix(), "a2-cann8.5.0-vllm0.13.0")


def record(*components, group=1, way=Way.UP):
    return replace(opened("run1", STACK.name, plan(*components), Look("boot1")), group=group, way=way)


@pytest.mark.parametrize(
    ("made", "tried"),
    [
        (record("driver", "toolkit"), True),
        (record("driver", "toolkit", group=0), False),
        (record("driver", group=0), True),
        (record("host_tuning", group=0), False),
        (record("environment", "docker"), False),
        (record("driver", way=Way.DOWN), False),
    ],
)
def test_npus_are_tried_once_at_the_end_of_a_change_that_programs_need(made, tried):
    assert tries_npus(made) is tried


def test_only_versions_of_what_was_changed_are_looked_for():
    assert versions_of(record("driver"), STACK) == {"driver": "25.5.0"}
    assert versions_of(record("toolkit", "ops"), STACK) == {"cann": "8.5.0"}
    found = versions_of(record("nnal", "python_env", "environment"), STACK)
    assert found == {"cann": "8.5.0", "nnal_abi": "1", "torch": "2.8.0", "torch_npu": "2.8.0.post2"}

"""Named stacks: complete sets whose every pair is supported."""

import pytest

from npudoctor.errors import UsageError
from npudoctor.matrix import Verdict, load_matrix
from npudoctor.matrix.source import matrix_file
from npudoctor.matrix.stacks import load_stack, stack_names, stacks
from npudoctor.matrix.validate import validate

WHOLE = {"driver", "firmware", "cann", "torch", "torch_npu", "python", "ascend_runtime"}


@pytest.mark.parametrize("stack", stacks(load_matrix()), ids=lambda stack: stack.name)
def test_every_pair_of_a_stack_is_supported_or_its_note_says_why_not_wholly(stack):
    allowed = {Verdict.SUPPORTED, Verdict.CAUTION} if stack.note else {Verdict.SUPPORTED}

    assert {pair.verdict for pair in load_matrix().query(stack.asked).pairs} <= allowed


def test_every_stack_is_whole_but_the_pair_that_the_project_started_from():
    for stack in stacks(load_matrix()):
        assert set(stack.versions) >= WHOLE or stack.name == "founding-cann6.3.rc2-driver6.3.1"


def test_every_stack_names_who_says_it_and_when_it_was_put_together():
    for stack in stacks(load_matrix()):
        assert stack.sources
        assert stack.dated >= "2026-11"


def test_its_name_tells_chip_cann_and_what_serves():
    short = {"910B": "a2", "A3": "a3", "310P": "310p"}
    for stack in stacks(load_matrix())[:-1]:
        chip, cann, use = stack.name.split("-", 2)
        versions = stack.versions
        assert (chip, cann) == (short[stack.chip], f"cann{versions['cann'].lower()}")
        assert use in (
            f"vllm{versions.get('vllm_ascend')}",
            f"mindie{versions.get('mindie', '').lower()}",
            f"torch{versions['torch']}",
        )


@pytest.mark.parametrize("chip", ["910B", "A3", "310P"])
@pytest.mark.parametrize("cann", ["8.2.RC1", "8.5.0", "9.0.0", "9.1.0"])
def test_each_family_has_a_stack_for_each_line_of_cann(chip, cann):
    assert [one for one in stacks(load_matrix()) if (one.chip, one.versions["cann"]) == (chip, cann)]


def test_a_component_of_provisioning_finds_its_version():
    stack = load_stack(load_matrix(), "a2-cann8.5.0-vllm0.13.0")

    wanted = {
        "driver": "25.5.0",
        "toolkit": "8.5.0",
        "ops": "8.5.0",
        "nnal": "8.5.0",
        "python_env": "2.8.0.post2",
    }
    assert {name: stack.version_of(name) for name in wanted} == wanted
    assert stack.version_of("host_tuning") is None


def test_an_unknown_name_is_wrong_usage_and_tells_the_nearest():
    with pytest.raises(UsageError, match=r"did you mean a2-cann8\.5\.0-vllm0\.13\.0"):
        load_stack(load_matrix(), "A2-cann8.5.0-vllm0.13")

    with pytest.raises(UsageError, match="npudoctor matrix show stacks"):
        load_stack(load_matrix(), "nothing like it")


def test_names_are_unique():
    names = stack_names(load_matrix())

    assert len(names) == len(set(names)) > 40


def test_a_matrix_file_with_a_stack_that_does_not_go_together_is_refused_at_its_line():
    text = matrix_file().read_text()
    wrong = text.replace(
        "driver: 25.5.0\n  firmware: 7.8.0.5.216\n  cann: 8.5.0\n  nnal_abi",
        "driver: 24.1.0\n  cann: 8.5.0\n  nnal_abi",
        1,
    )
    assert wrong != text

    with pytest.raises(
        UsageError, match=r"mine\.yaml:\d+:\d+: a2-cann8\.5\.0-vllm0\.13\.0: driver 24\.1\.0 and cann 8\.5\.0"
    ):
        validate(wrong.encode(), "mine.yaml")

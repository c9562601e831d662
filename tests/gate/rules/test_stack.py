"""What is deployed is of the stack that was asked for."""

import pytest

from npudoctor.gate.judge import gate_checks, judge
from npudoctor.matrix import load_matrix

RIGHT = """\
FROM quay.io/ascend/vllm-ascend:v0.13.0
RUN pip install torch==2.8.0 torch-npu==2.8.0.post2
"""


@pytest.fixture
def found(repository):
    """Check and line of everything that is not of the stack."""

    def of(dockerfile, stack="a2-cann8.5.0-vllm0.13.0"):
        matrix = load_matrix(None, stack)
        files = judge(repository({"Dockerfile": dockerfile}), matrix, [check.id for check in gate_checks()])
        return {
            finding.id: finding.evidence[0].line
            for file in files
            for finding in file.findings
            if finding.id.endswith(".of_stack")
        }

    return of


def test_a_file_of_the_stack_has_nothing_to_tell(found):
    assert found(RIGHT) == {}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("v0.13.0", "v0.11.0", {"serving.of_stack": 1}),
        ("v0.13.0", "v0.13.0-310p", {"npu.of_stack": 1}),
        ("2.8.0.post2", "2.8.0.post4", {"torch.of_stack": 2}),
        ("quay.io/ascend/vllm-ascend:v0.13.0", "quay.io/ascend/cann:9.0.0-910b-ubuntu22.04-py3.11",
         {"cann.of_stack": 1}),
    ],
)  # fmt: skip
def test_a_line_with_another_version_is_told(found, before, after, expected):
    assert found(RIGHT.replace(before, after)) == expected


def test_without_a_stack_nothing_is_asked(found):
    assert found(RIGHT.replace("2.8.0", "2.1.0"), None) == {}

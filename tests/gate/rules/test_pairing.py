"""The change that mends a pair of versions: in the right place of the right line, or none."""

import pytest

from npudoctor.gate.judge import gate_checks, judge

CANN = "FROM quay.io/ascend/cann:9.0.0-beta.2-910b-ubuntu22.04-py3.11\n"


@pytest.fixture
def edit(repository, matrix):
    """The one change that is proposed for a Dockerfile: its line, and what stands there then."""

    def changed(dockerfile):
        found = judge(repository({"Dockerfile": dockerfile}), matrix, [check.id for check in gate_checks()])
        edits = [
            one for file in found for finding in file.findings if finding.fix for one in finding.fix.edits
        ]
        return [(one.line, one.after) for one in edits]

    return changed


@pytest.mark.parametrize(
    ("line", "after"),
    [
        (
            "RUN pip install torch==2.7.1 torch-npu==2.7.1",
            "RUN pip install torch==2.7.1 torch-npu==2.7.1.post4",
        ),
        (
            "RUN pip install torch_npu==2.7.1 torch==2.7.1",
            "RUN pip install torch_npu==2.7.1.post4 torch==2.7.1",
        ),
        (
            "RUN pip install 'torch == 2.7.1' 'Torch.NPU == 2.7.1'",
            "RUN pip install 'torch == 2.7.1' 'Torch.NPU == 2.7.1.post4'",
        ),
    ],
)
def test_of_two_packages_with_one_version_the_right_one_is_changed(edit, line, after):
    assert edit(f"{CANN}{line}\n") == [(2, after)]


def test_a_build_argument_that_gives_its_version_to_both_stays(edit):
    text = f"{CANN}ARG V=2.7.1\nRUN pip install torch==$V torch-npu==$V\n"
    assert edit(text) == [(1, CANN.replace("9.0.0-beta.2", "8.3.rc1").rstrip())]


@pytest.mark.parametrize(("given", "nearest"), [("3.12", "3.11"), ("3.8", "3.9")])
def test_the_nearest_python_is_proposed(edit, given, nearest):
    image = "FROM quay.io/ascend/cann:8.2.rc1-910b-ubuntu22.04-py{python}"
    text = image.format(python=given) + "\nRUN pip install torch==2.6.0 torch-npu==2.6.0\n"
    assert edit(text) == [(1, image.format(python=nearest))]

"""Changes that mend containers and variables: applied to the files, they leave nothing to be found."""

from pathlib import Path

import pytest

from npudoctor.finding import Status
from npudoctor.gate.judge import gate_checks, judge

IMAGE = "quay.io/ascend/vllm-ascend:v0.13.0"
MANAGERS = "--device /dev/davinci_manager --device /dev/devmm_svm --device /dev/hisi_hdc"
DRIVER = "-v /usr/local/Ascend/driver:/usr/local/Ascend/driver:ro"


def run(options, command="vllm serve /m"):
    return {"run.sh": f"#!/bin/bash\nset -e\ndocker run -d \\\n  {options} \\\n  {IMAGE} {command}\n"}


def service(*lines):
    return {"compose.yaml": "\n".join(["services:", "  llm:", *(f"    {line}" for line in lines), ""])}


@pytest.fixture
def failing(repository, matrix):
    def judged(files):
        found = judge(repository(files), matrix, [check.id for check in gate_checks()])
        return [one for file in found for one in file.findings if one.status is Status.FAIL]

    return judged


def applied(edits):
    for edit in edits:
        lines = Path(edit.path).read_text().split("\n")
        assert lines[edit.line - 1] == edit.before
        lines[edit.line - 1] = edit.after
        Path(edit.path).write_text("\n".join(lines))


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(run(f"--device /dev/davinci0 {DRIVER}"), id="nodes"),
        pytest.param(run(DRIVER), id="no node at all"),
        pytest.param(run(f"--device /dev/davinci0 {MANAGERS}"), id="driver"),
        pytest.param(
            run(f"--device /dev/davinci0 --device /dev/davinci1 {MANAGERS} {DRIVER}", "vllm serve /m -tp 2"),
            id="shared memory",
        ),
        pytest.param(
            run(
                f"--shm-size=64m --device /dev/davinci0 --device /dev/davinci1 {MANAGERS} {DRIVER}",
                "vllm serve /m -tp 2",
            ),
            id="little shared memory",
        ),
        pytest.param(
            service(
                f"image: {IMAGE}",
                "runtime: ascend",
                "environment:",
                "  ASCEND_VISIBLE_DEVICES: 0-3",
                "command: vllm serve /m -tp 4",
            ),
            id="shared memory of a service",
        ),
        pytest.param(
            service(
                f"image: {IMAGE}",
                "devices:",
                *(f"  - /dev/{node}" for node in ("davinci0", "davinci_manager", "devmm_svm", "hisi_hdc")),
                "volumes:",
                "  - /models:/models",
            ),
            id="driver of a service",
        ),
        pytest.param(
            service(
                "image: swr.cn-south-1.myhuaweicloud.com/ascendhub/ascend-infer-310b:24.0.0",
                "runtime: ascend",
                "environment:",
                "  ASCEND_VISIBLE_DEVICES: 0",
            ),
            id="links",
        ),
        pytest.param(
            {"serve.sh": "#!/bin/bash\nexport ASCEND_LAUNCH_BLOCKING=1\nvllm serve /m\n"}, id="switch"
        ),
        pytest.param(
            {"Dockerfile": f"FROM {IMAGE}\nENV ASCEND_GLOBAL_LOG_LEVEL=0 A=1\nCMD vllm serve\n"},
            id="switch among others",
        ),
    ],
)
def test_what_is_changed_as_proposed_fails_no_more(failing, files):
    (found, *_more) = failing(files)
    assert found.fix.edits
    applied(found.fix.edits)
    names = {name: Path(name).read_text() for name in files}
    assert failing(names) == []


def test_two_run_lines_on_one_line_are_left_to_the_reader(failing):
    line = f"docker run {MANAGERS} {DRIVER} --device /dev/davinci0 {IMAGE} vllm serve /m -tp 2"
    for found in failing({"run.sh": f"#!/bin/bash\n{line}; {line}\n"}):
        assert found.fix.edits == ()


def test_no_change_of_a_line_with_a_password_is_printed(failing):
    (found, *_more) = failing(
        {"Dockerfile": f"FROM {IMAGE}\nENV ASCEND_LAUNCH_BLOCKING=1 DB_PASSWORD=planted\nCMD vllm serve /m\n"}
    )
    assert found.fix.edits == ()
    assert "planted" not in repr(found)

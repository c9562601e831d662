"""Which files of a repository are read, and what becomes of those that cannot be."""

import os

import pytest

from npudoctor.errors import UsageError
from npudoctor.finding import Status
from npudoctor.gate.files import LARGEST, Repository
from npudoctor.gate.judge import gate_checks, judge
from npudoctor.gate.names import is_deployment_file, may_concern
from npudoctor.matrix import load_matrix

BASE = "FROM quay.io/ascend/cann:8.5.0-910b-ubuntu22.04-py3.11\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "Dockerfile").write_text(BASE)
    return tmp_path


def paths(folder):
    return [os.path.relpath(file.path, folder) for file in Repository(str(folder)).files]


def judged(folder):
    return judge(Repository(str(folder)), load_matrix(None), [check.id for check in gate_checks()])


@pytest.mark.parametrize(
    "path",
    ["Dockerfile", "docker/Dockerfile.npu", "npu.dockerfile", "Containerfile", "compose.yml", "a/b.yaml",
     "run.sh", ".env", "prod.env", "env.example", "requirements-npu.txt", "requirements/npu.txt",
     "pyproject.toml"],
)  # fmt: skip
def test_deployment_files_are_known_by_their_names(path):
    assert is_deployment_file(path)


@pytest.mark.parametrize("path", ["main.py", "README.md", "notes.txt", "image.png", "src/env.py/x.c"])
def test_other_files_are_not_opened(path):
    assert not is_deployment_file(path)


@pytest.mark.parametrize(
    "text", ["huawei.com/npu: 1", "torch_npu", "/dev/davinci0", "SOC_VERSION=1", "use npu"]
)
def test_a_word_of_ascend_makes_a_file_worth_reading(text):
    assert may_concern(text)


@pytest.mark.parametrize("text", ["input", "scanner", "cannot", "nvidia.com/gpu", "inputs: npuzzle"])
def test_words_that_only_look_like_it_do_not(text):
    assert not may_concern(text)


def test_folders_of_tools_are_not_entered(folder):
    for name in (".git", "node_modules", ".venv"):
        (folder / name).mkdir()
        (folder / name / "Dockerfile").write_text(BASE)
    assert paths(folder) == ["Dockerfile"]


def test_links_to_folders_are_not_followed_and_links_out_are_not_read(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "secret.env"
    outside.write_text("ASCEND_TOKEN=1\n")
    (folder / "loop").symlink_to(folder)
    (folder / "out.env").symlink_to(outside)
    assert paths(folder) == ["Dockerfile"]


def test_a_binary_file_and_a_huge_one_are_named_and_passed_over(folder):
    (folder / "Dockerfile.bin").write_bytes(b"FROM ascend\0\1\2")
    with (folder / "values.yaml").open("wb") as stream:
        stream.truncate(LARGEST + 1)
    repository = Repository(str(folder))
    assert [os.path.relpath(file.path, folder) for file in repository.files] == ["Dockerfile"]
    assert any("binary" in note for note in repository.notes)
    assert any("16 MB" in note for note in repository.notes)


def test_a_pipe_is_not_waited_for(folder):
    os.mkfifo(folder / "pipe.sh")
    assert paths(folder) == ["Dockerfile"]


def test_a_path_that_is_not_there_is_wrong_usage(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        Repository(str(tmp_path / "nothing"))


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [("compose.yml", "services:\n  ascend: [\n", 3),
     ("pod.yaml", "apiVersion: v1\nkind: Pod # ascend\n  x: y\n", 3),
     ("pyproject.toml", "[project]\nascend\n", 2), ("Dockerfile.npu", "RUN ascend\n", 1)],
)  # fmt: skip
def test_a_broken_file_is_unknown_with_its_line(folder, name, text, line):
    (folder / name).write_text(text)
    found = {file.path: file.findings for file in judged(folder)}[str(folder / name)]
    assert [(one.id, one.status, one.evidence[0].line) for one in found] == [
        ("gate.readable", Status.UNKNOWN, line)
    ]


def test_one_file_is_judged_with_what_it_names_beside_it(folder):
    (folder / "requirements.txt").write_text("torch==2.9.0\ntorch-npu==2.8.0.post2\n")
    (folder / "Dockerfile").write_text(
        BASE + "COPY requirements.txt .\nRUN pip install -r requirements.txt\n"
    )
    found = judged(folder / "Dockerfile")
    assert any(one.status is Status.FAIL for file in found for one in file.findings)


def test_nothing_of_a_repository_without_ascend_is_reported(tmp_path):
    (tmp_path / "Dockerfile").write_text("FROM python:3.12\nRUN pip install torch\n")
    assert judged(tmp_path) == []


def test_a_template_outside_a_chart_ends(tmp_path):
    (tmp_path / "pod.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nspec: {containers: [{image: {{ .Values.ascend }}}]}\n"
    )
    assert [file.path for file in judged(tmp_path)] == [str(tmp_path / "pod.yaml")]


def test_of_one_file_its_checkout_is_looked_into(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    (tmp_path / "docker").mkdir()
    (tmp_path / "req.txt").write_text("torch==2.9.0\ntorch-npu==2.8.0.post2\n")
    (tmp_path / "docker" / "Dockerfile").write_text(BASE + "COPY req.txt .\nRUN pip install -r req.txt\n")
    monkeypatch.chdir(tmp_path)
    found = judge(Repository("docker/Dockerfile"), load_matrix(None), ["torch.torch_npu_pairing"])
    assert [file.path for file in found] == ["req.txt"]

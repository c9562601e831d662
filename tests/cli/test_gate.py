"""`npudoctor gate`, run as a user runs it."""

import json
from pathlib import Path

import pytest

BAD = "torch==2.9.0\ntorch-npu==2.8.0.post2\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "requirements.txt").write_text(BAD)
    return tmp_path


def test_a_finding_names_its_line_and_ends_with_one(npudoctor, folder):
    run = npudoctor("gate", ".")
    assert run.returncode == 1
    assert run.stdout.startswith("requirements.txt:1\nFAIL    torch.torch_npu_pairing")
    assert "torch_npu 2.8.0.post2" in run.stdout


def test_a_folder_that_has_nothing_of_ascend_takes_one_line(npudoctor, tmp_path):
    (tmp_path / "Dockerfile").write_text("FROM python:3.12\nRUN pip install torch\n")
    run = npudoctor("gate", ".")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == "nothing for Ascend found in .\n"


def test_json_says_so_too_when_nothing_was_found(npudoctor, tmp_path):
    run = npudoctor("gate", ".", "--format", "json")
    assert run.returncode == 0
    assert json.loads(run.stdout)["hosts"] == []


def test_json_has_the_files_the_lines_and_the_edits(npudoctor, folder):
    report = json.loads(npudoctor("gate", ".", "--format", "json").stdout)
    (file,) = report["hosts"]
    assert (file["name"], file["source"], file["status"]) == ("requirements.txt", "files", "fail")
    (finding,) = [one for one in file["findings"] if one["status"] == "fail"]
    assert finding["evidence"][0] == {"source": "requirements.txt", "text": "torch==2.9.0", "line": 1}
    (edit,) = finding["fix"]["edits"]
    assert (edit["before"], edit["after"]) == ("torch==2.9.0", "torch==2.8.0")


def test_the_edit_mends_it(npudoctor, folder):
    report = json.loads(npudoctor("gate", ".", "--format", "json").stdout)
    for file in report["hosts"]:
        for edit in (edit for one in file["findings"] for edit in (one["fix"] or {}).get("edits", ())):
            path = folder / edit["path"]
            path.write_text(path.read_text().replace(edit["before"], edit["after"]))
    assert npudoctor("gate", ".").returncode == 0


def test_a_waiver_and_a_choice_of_checks_count(npudoctor, folder):
    waivers = folder / "accepted.yaml"
    waivers.write_text("- {id: torch.*, hosts: requirements.txt, reason: measured}\n")
    assert npudoctor("gate", ".", "--waivers", waivers).returncode == 0
    assert npudoctor("gate", ".", "--skip", "torch").returncode == 0
    assert npudoctor("gate", ".", "--only", "torch.torch_npu_pairing").returncode == 1
    assert npudoctor("gate", ".", "--exit-zero").returncode == 0


def test_what_is_unknown_counts_where_it_is_asked_for(npudoctor, tmp_path):
    (tmp_path / "om.sh").write_text("atc --model=a.onnx --framework=5 --output=a --soc_version=$1\n")
    assert npudoctor("gate", ".").returncode == 0
    assert npudoctor("gate", ".", "--fail-on", "unknown").returncode == 1


@pytest.mark.parametrize("path", ["nothing", "Dockerfile"])
def test_a_path_that_cannot_be_read_is_wrong_usage(npudoctor, tmp_path, path):
    (tmp_path / "Dockerfile").write_bytes(b"\0\1")
    run = npudoctor("gate", path)
    assert run.returncode == 2
    assert run.stderr.startswith(f"npudoctor: {path}: ")
    assert len(run.stderr.splitlines()) == 1


def test_a_wrong_target_file_is_named_with_its_line(npudoctor, folder):
    (folder / "npudoctor.yaml").write_text("chip: 910B3\nchips: 8\n")
    run = npudoctor("gate", ".")
    assert run.returncode == 2
    assert "npudoctor.yaml:2:1: there is no key chips here" in run.stderr


def test_the_target_leaves_out_what_it_ignores(npudoctor, folder):
    (folder / "npudoctor.yaml").write_text("ignore: [requirements.txt]\n")
    assert npudoctor("gate", ".").returncode == 0


def test_the_published_schema_is_the_one_in_use():
    root = Path(__file__).parents[2]
    published = root / "docs" / "npudoctor.yaml.schema.json"
    assert published.read_bytes() == (root / "npudoctor" / "gate" / "npudoctor-yaml.json").read_bytes()


def test_a_password_beside_what_is_found_is_not_printed(npudoctor, tmp_path):
    lines = "FROM quay.io/ascend/vllm-ascend:v0.11.0\nENV ASCEND_LAUNCH_BLOCKING=1 DB_PASSWORD=planted\n"
    (tmp_path / "Dockerfile").write_text(lines)
    done = npudoctor("gate", ".", "--format", "json", "--exit-zero")
    assert "DB_PASSWORD=<redacted:token>" in done.stdout
    assert "planted" not in done.stdout

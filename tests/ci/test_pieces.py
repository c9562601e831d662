"""The pieces for CI systems: what their schemas say of them, and what their scripts do."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from npudoctor.cli.commands import COMMANDS

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
GITLAB = yaml.safe_load((ROOT / "ci" / "gitlab-ci.yml").read_text(encoding="utf-8"))["npudoctor"]
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
TOOLS = Path(sys.executable).parent
gate = pytest.mark.skipif("gate" not in COMMANDS, reason="there is no gate here")

WRONG = "export ASCEND_LAUNCH_BLOCKING = 1\n"


@pytest.mark.parametrize(
    ("schema", "file"), [("vendor.github-actions", "action.yml"), ("vendor.gitlab-ci", "ci/gitlab-ci.yml")]
)
def test_the_schema_of_the_system_accepts_it(schema, file):
    command = [TOOLS / "check-jsonschema", "--builtin-schema", schema, file]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_pre_commit_accepts_the_manifest_of_hooks(tmp_path):
    command = [TOOLS / "pre-commit", "validate-manifest", ".pre-commit-hooks.yaml"]
    environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("Dockerfile", True),
        ("deploy/Dockerfile.npu", True),
        ("serve.Dockerfile", True),
        ("requirements-npu.txt", True),
        ("compose.yaml", True),
        ("k8s/serve.yml", True),
        (".env", True),
        ("start.sh", True),
        ("main.py", False),
        ("README.md", False),
    ],
)
def test_the_hook_runs_where_a_deployment_file_changed(path, wanted):
    assert bool(re.search(HOOK["files"], path)) is wanted


def test_no_input_of_the_action_is_pasted_into_its_scripts():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]


def repository(folder, text):
    folder.mkdir()
    (folder / "start.sh").write_text(
        "#!/bin/bash\nsource /usr/local/Ascend/ascend-toolkit/set_env.sh\n" + text
    )
    return folder


def judged(folder, tmp_path, **inputs):
    """Run the step `judge` of the action as a runner would: its exit code, its outputs and its summary."""
    (step,) = [step for step in ACTION["runs"]["steps"] if step.get("id") == "judge"]
    tool = tmp_path / "npudoctor" / "bin"
    tool.mkdir(parents=True)
    (tool / "npudoctor").symlink_to(TOOLS / "npudoctor")
    values = {name: given["default"] for name, given in ACTION["inputs"].items()} | inputs
    environment = {
        **os.environ,
        **{name: values[re.search(r"inputs\.([\w-]+)", text)[1]] for name, text in step["env"].items()},
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
        "PYTHONPATH": str(ROOT),
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    outputs = dict(line.split("=", 1) for line in (tmp_path / "output").read_text().splitlines())
    return done, outputs, (tmp_path / "summary").read_text() if (tmp_path / "summary").exists() else ""


@gate
def test_the_action_gates_a_repository_and_leaves_its_reports(tmp_path):
    folder = repository(tmp_path / "wrong", WRONG)
    done, outputs, summary = judged(folder, tmp_path)
    assert done.returncode == 1, done.stderr
    assert outputs["exit-code"] == "1"
    assert summary.startswith("## npudoctor: 1 fail")
    (run,) = json.loads((folder / outputs["sarif"]).read_text())["runs"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "start.sh"
    assert place["region"]["startLine"] == 3
    assert (folder / outputs["html"]).read_text().startswith("<!doctype html>")


@gate
def test_the_action_passes_where_nothing_is_wrong(tmp_path):
    done, outputs, _summary = judged(repository(tmp_path / "right", ""), tmp_path)
    assert done.returncode == 0, done.stderr
    assert outputs["exit-code"] == "0"


def test_the_action_checks_bundles_with_options_of_the_user(tmp_path):
    bundle = tmp_path / "a bundle"
    (bundle / "commands").mkdir(parents=True)
    (bundle / "commands" / "ulimit_-s").write_text("8192\n")
    inputs = {"from": f"{bundle}\n", "arguments": "--only\nlimits.stack\n", "fail-on": "warn"}
    done, outputs, summary = judged(tmp_path, tmp_path, **inputs)
    assert done.returncode == 1, done.stderr
    assert "limits.stack" in summary
    assert json.loads((tmp_path / outputs["json"]).read_text())["summary"]["hosts"] == 1


def test_what_an_input_holds_is_never_run(tmp_path):
    done, _outputs, _summary = judged(tmp_path, tmp_path, **{"fail-on": "$(touch broken)`touch broken`"})
    assert done.returncode == 2
    assert not (tmp_path / "broken").exists()


@gate
def test_the_script_for_gitlab_writes_what_it_keeps(tmp_path):
    folder = repository(tmp_path / "wrong", WRONG)
    variables = {name: str(value) for name, value in GITLAB["variables"].items()}
    environment = {
        **os.environ,
        **variables,
        "PATH": f"{TOOLS}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    command = ["sh", "-ec", "\n".join(GITLAB["script"])]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    for name in (GITLAB["artifacts"]["reports"]["junit"], *GITLAB["artifacts"]["paths"]):
        assert (folder / name).stat().st_size > 0


@gate
def test_the_script_for_jenkins_writes_what_it_publishes(tmp_path):
    text = (ROOT / "ci" / "Jenkinsfile").read_text(encoding="utf-8")
    script = re.search(r"sh '''(.*?)'''", text, re.DOTALL)[1].replace("\\\\\n", "\\\n")
    folder = repository(tmp_path / "wrong", WRONG)
    tool = folder / ".npudoctor" / "bin"
    tool.mkdir(parents=True)
    (tool / "npudoctor").symlink_to(TOOLS / "npudoctor")
    lines = [line for line in script.splitlines() if "venv" not in line and "pip install" not in line]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = ["sh", "-ec", "\n".join(lines)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    published = re.findall(r"'(npudoctor\.\w+)'", text)
    assert sorted(published) == ["npudoctor.html", "npudoctor.sarif", "npudoctor.xml"]
    assert all((folder / name).stat().st_size > 0 for name in published)

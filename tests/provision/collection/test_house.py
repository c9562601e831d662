"""The collection keeps to the rules: those of Ansible, of targets with an old Python, and of this house."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.provision.collection.calling import COLLECTIONS, REPOSITORY
from tests.provision.collection.playing import environment
from tests.provision.collection.role_readme import ROLES
from tests.provision.collection.sanity_home import sanity_home

PLAYBOOKS = REPOSITORY / "playbooks"
COLLECTION = COLLECTIONS / "ansible_collections" / "npudoctor" / "ascend"
PLUGINS = COLLECTION / "plugins"
ON_TARGETS = sorted([*PLUGINS.glob("modules/*.py"), *PLUGINS.glob("module_utils/*.py")])
TASKS = sorted([*PLAYBOOKS.glob("*.yml"), *PLAYBOOKS.glob("tasks/*.yml"), *ROLES.glob("*/tasks/*.yml")])
# What `ansible-test` finds with what is installed here, and what it first installs tools for.
ALONE = (
    "action-plugin-docs",
    "compile",
    "empty-init",
    "ignores",
    "line-endings",
    "no-assert",
    "no-get-exception",
    "no-illegal-filenames",
    "no-smart-quotes",
    "replace-urlopen",
    "shebang",
    "symlinks",
    "use-argspec-type-path",
    "use-compat-six",
)
WITH_TOOLS = ("ansible-doc", "import", "pep8", "pylint", "runtime-metadata", "validate-modules", "yamllint")
# What the script that tries the NPUs is there to try.
TRIED = {"npu_script": {"acl", "torch", "torch_npu"}}
_NO_INDEX = re.compile(
    r"No matching distribution|Could not find a version|Temporary failure in name|Failed to establish"
)


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    variables = environment(LC_ALL="C.UTF-8", HOME=str(sanity_home()))
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


def sanity(*names: str) -> subprocess.CompletedProcess[str]:
    tests = [word for name in names for word in ("--test", name)]
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return run(["ansible-test", "sanity", *tests, "--python", python, "--color", "no"], COLLECTION)


def test_ansible_lint_has_nothing_to_say_at_its_strictest() -> None:
    done = run(["ansible-lint", "--format", "pep8", "--nocolor", "-q"], PLAYBOOKS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_is_let_pass_by_a_comment_or_a_list() -> None:
    settings = yaml.safe_load((PLAYBOOKS / ".ansible-lint").read_text())
    assert settings["profile"] == "production"
    assert not settings.keys() & {"skip_list", "warn_list", "exclude_paths"}
    assert not [path for path in PLAYBOOKS.rglob("*.yml") if "noqa" in path.read_text()]
    assert not list(COLLECTION.glob("tests/sanity/ignore*"))


def test_yamllint_has_nothing_to_say() -> None:
    done = run(["yamllint", "--strict", "."], PLAYBOOKS)
    assert done.returncode == 0, done.stdout


def test_ansibles_own_sanity_tests_pass() -> None:
    done = sanity(*ALONE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_sanity_tests_that_install_their_tools_pass() -> None:
    done = sanity(*WITH_TOOLS)
    if _NO_INDEX.search(done.stdout + done.stderr):
        pytest.skip("no package index is reachable from here")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", ON_TARGETS, ids=lambda path: path.stem)
def test_what_runs_on_targets_is_python_3_7(path: Path) -> None:
    ast.parse(path.read_text(), feature_version=(3, 7))


def test_what_runs_on_targets_uses_no_library_newer_than_python_3_7() -> None:
    done = run(["vermin", "--no-tips", "--violations", "-t=3.7-", *map(str, ON_TARGETS)], REPOSITORY)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", ON_TARGETS, ids=lambda path: path.stem)
def test_what_runs_on_targets_needs_the_standard_library_alone(path: Path) -> None:
    allowed = {*sys.stdlib_module_names, "ansible", "ansible_collections", *TRIED.get(path.stem, ())}
    tree = ast.parse(path.read_text())
    roots = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]
        )
    }
    assert roots <= allowed


@pytest.mark.parametrize("path", TASKS, ids=lambda path: str(path.relative_to(PLAYBOOKS)))
def test_rules_of_this_house_that_no_linter_knows(path: Path) -> None:
    text = path.read_text()
    assert "ignore_errors" not in text, "a failure is told by `failed_when`"
    assert "ansible.builtin.reboot" not in text, "reboots are the role reboot's alone"
    assert not re.search(r"\bcreates:", text), "what is there is looked at by a module, not by a file's name"
    assert not re.search(
        r"\bansible_(?!facts|check_mode|collections|python_interpreter|managed|loop)\w+", text
    )
    assert not re.search(r"ansible\.builtin\.(shell|raw|command)\b", text), "modules of ours call programs"


@pytest.mark.parametrize("role", sorted(path.name for path in ROLES.iterdir() if path.is_dir()))
def test_a_role_is_thin_and_whole(role: str) -> None:
    folder = ROLES / role
    tasks = yaml.safe_load((folder / "tasks" / "main.yml").read_text())
    assert len(tasks) <= 12
    specs = yaml.safe_load((folder / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]
    assert all(name.startswith(f"{role}_") for name in specs.get("options") or {})
    assert (folder / "README.md").exists()
    assert (folder / "meta" / "main.yml").exists()


def test_every_module_of_a_role_takes_the_common_defaults() -> None:
    runtime = yaml.safe_load((COLLECTION / "meta" / "runtime.yml").read_text())
    listed = set(runtime["action_groups"]["all"])
    takes_root = {
        path.stem
        for path in PLUGINS.glob("modules/*.py")
        if "root:" in path.read_text() or "npudoctor.ascend.component" in path.read_text()
    }
    assert listed == takes_root

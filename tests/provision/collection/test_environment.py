"""The module `environment`: what logins and services get, in both layouts of CANN, and what others left."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.provision.collection.calling import call, lay, picture

PROFILE = "etc/profile.d/npudoctor-ascend.sh"
SERVICES = "etc/npudoctor/ascend.env"
OLD, NEW, NNAL = "ascend-toolkit/set_env.sh", "cann/set_env.sh", "nnal/atb/set_env.sh"
_TOOLKIT = """\
export ASCEND_HOME_PATH=/usr/local/Ascend/cann
export ASCEND_TOOLKIT_HOME=$ASCEND_HOME_PATH
export LD_LIBRARY_PATH=$ASCEND_HOME_PATH/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PATH=$ASCEND_HOME_PATH/bin:$PATH
[ -n "$NOTHING" ] && export NOTHING
"""
_NNAL = "export ATB_HOME_PATH=/usr/local/Ascend/nnal/atb/latest/atb/cxx_abi_${1#*=}\n"
_ENV = """\
#!/bin/sh
# In place of env -i: paths of the image are opened where it is mounted.
while [ "$1" != bash ]; do shift; done
shift
for word; do
    shift
    set -- "$@" "$(echo "$word" | sed "s#\\. /#. $ROOT/#g")"
done
exec /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root bash "$@"
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    lay(tmp_path, {"/usr/bin/env": _ENV, "/etc/bash.bashrc": "alias ll='ls -l'\n"})
    (tmp_path / "usr/bin/env").chmod(0o755)
    return tmp_path


def install(root: Path, *scripts: str) -> None:
    for script in scripts:
        lay(root, {f"/usr/local/Ascend/{script}": _NNAL if script == NNAL else _TOOLKIT})


@pytest.mark.parametrize(
    ("version", "there", "sourced"),
    [("8.3.RC1", (OLD,), OLD), ("8.5.0", (OLD, NEW), NEW), ("", (OLD,), OLD), ("", (OLD, NEW), NEW)],
)
def test_the_layout_decides_which_script_logins_source(
    version: str, there: tuple[str, ...], sourced: str, root: Path
) -> None:
    install(root, *there)
    answer = call("environment", root, cann_version=version)
    assert answer["after"]["scripts"] == [f"/usr/local/Ascend/{sourced}"]
    assert f"&& . /usr/local/Ascend/{sourced}\n" in (root / PROFILE).read_text()


def test_a_login_gets_the_paths_once_and_pool_settings_that_are_not_set_yet(root: Path) -> None:
    install(root, NEW, NNAL)
    call("environment", root, nnal_abi="1")
    text = (root / PROFILE).read_text().replace(" /usr/local/Ascend", f" {root}/usr/local/Ascend")
    (root / "profile").write_text(text + text + "env\n")
    said = subprocess.run(
        ["env", "-i", "PATH=/usr/bin:/bin", "bash", root / "profile"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert "LD_LIBRARY_PATH=/usr/local/Ascend/cann/lib64" in said
    assert "ATB_HOME_PATH=/usr/local/Ascend/nnal/atb/latest/atb/cxx_abi_1" in said
    assert "PYTORCH_NPU_ALLOC_CONF=expandable_segments:True" in said


def test_a_shell_that_cannot_source_the_scripts_is_left_in_peace(root: Path) -> None:
    install(root, NEW)
    call("environment", root)
    done = subprocess.run(["sh", "-eu", root / PROFILE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_services_read_what_the_scripts_set(root: Path) -> None:
    install(root, NEW, NNAL)
    call("environment", root, nnal_abi="0", units=["vllm"])
    lines = (root / SERVICES).read_text().splitlines()[1:]
    found = dict(line.split("=", 1) for line in lines)
    assert found["ASCEND_HOME_PATH"] == '"/usr/local/Ascend/cann"'
    assert found["ATB_HOME_PATH"].endswith('cxx_abi_0"')
    assert found["PYTORCH_NPU_ALLOC_CONF"] == '"expandable_segments:True"'
    assert not {"PWD", "HOME", "SHLVL", "_"} & set(found)
    drop_in = (root / "etc/systemd/system/vllm.service.d/90-ascend-environment.conf").read_text()
    assert drop_in.endswith("[Service]\nEnvironmentFile=-/etc/npudoctor/ascend.env\n")


def test_check_mode_predicts_a_second_run_is_quiet_and_undo_leaves_nothing(root: Path) -> None:
    install(root, NEW)
    before = picture(root)
    assert call("environment", root, check=True, units=["vllm"])["changed"]
    assert picture(root) == before
    assert call("environment", root, units=["vllm"])["changed"]
    assert not call("environment", root, units=["vllm"])["changed"]
    assert call("environment", root, verb="undo")["changed"]
    assert picture(root) == before


def test_a_unit_that_is_no_longer_named_loses_its_drop_in_and_keeps_those_of_others(root: Path) -> None:
    install(root, NEW)
    folder = root / "etc/systemd/system/vllm.service.d"
    lay(root, {"/etc/systemd/system/vllm.service.d/own.conf": "[Service]\nNice=5\n"})
    call("environment", root, units=["vllm"])
    call("environment", root, units=[])
    assert [path.name for path in folder.iterdir()] == ["own.conf"]


def test_without_a_toolkit_it_is_blocked_but_check_mode_foresees_it(root: Path) -> None:
    answer = call("environment", root, cann_version="8.5.0")
    assert answer["blockers"][0]["key"] == "no-cann"
    assert "cann/set_env.sh" in answer["msg"]
    assert call("environment", root, cann_version="8.5.0", check=True)["changed"]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("/etc/environment", "ASCEND_LAUNCH_BLOCKING=1"),
        ("/root/.bashrc", "export ASCEND_LAUNCH_BLOCKING='1'"),
        ("/etc/systemd/system/vllm.service.d/own.conf", "Environment=ASCEND_LAUNCH_BLOCKING=1"),
    ],
)
def test_a_left_over_blocking_switch_is_named_and_stays(path: str, line: str, root: Path) -> None:
    install(root, NEW)
    lay(root, {path: f"# before\n{line}\n"})
    answer = call("environment", root)
    assert f"{path}:2 sets ASCEND_LAUNCH_BLOCKING=1" in json.dumps(answer["warnings"])
    assert answer["after"]["left_over"][0].startswith(f"{path}:2 ")
    assert (root / path.lstrip("/")).read_text() == f"# before\n{line}\n"


@pytest.mark.parametrize("line", ["#export ASCEND_LAUNCH_BLOCKING=1", "export ASCEND_LAUNCH_BLOCKING=0"])
def test_a_switch_that_is_off_is_not(line: str, root: Path) -> None:
    install(root, NEW)
    lay(root, {"/root/.bashrc": f"{line}\n"})
    assert call("environment", root)["after"]["left_over"] == []


def test_another_place_that_sources_the_scripts_is_named(root: Path) -> None:
    install(root, NEW)
    lay(root, {"/root/.bashrc": "source /usr/local/Ascend/ascend-toolkit/set_env.sh\n"})
    left = call("environment", root)["after"]["left_over"]
    assert left == ["/root/.bashrc:1 sources set_env.sh too: its folders come twice"]


@pytest.mark.parametrize(
    "parameters", [{"variables": {"A B": "1"}}, {"variables": {"A": 'x"; rm'}}, {"units": ["../x"]}]
)
def test_names_and_values_that_could_do_harm_are_refused(parameters: dict[str, Any], root: Path) -> None:
    install(root, NEW)
    before = picture(root)
    assert call("environment", root, **parameters)["failed"]
    assert picture(root) == before

"""The module `python_env`: environments side by side, made of verified wheels by a real pip, one in use."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.provision.collection.calling import COLLECTIONS, picture
from tests.provision.collection.wheel_files import torch, torch_npu, wheel

_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


class Host:
    """This machine, but for the state and the folder of the environments."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.wheels = root / "wheels"
        self.folder = root / "python"
        self.current = self.folder / "current"

    def call(self, *wheels: Path, check: bool = False, **parameters: Any) -> dict[str, Any]:
        """What the module answers for these wheels."""
        packages = [self._stored(path) for path in wheels]
        given = {"path": str(self.folder), "python_version": _PYTHON, "packages": packages, **parameters}
        return _answer(self.root / "state", {"_ansible_check_mode": check, **given})

    def have(self, *wheels: Path, **parameters: Any) -> dict[str, Any]:
        """Apply; it must work."""
        answer = self.call(*wheels, **parameters)
        assert not answer.get("failed"), answer
        return answer

    def _stored(self, path: Path) -> dict[str, Any]:
        data = path.read_bytes()
        sha256 = hashlib.sha256(data).hexdigest()
        stored = self.root / "state/store/sha256" / sha256[:2] / sha256
        stored.parent.mkdir(parents=True, exist_ok=True)
        stored.write_bytes(data)
        return {"name": path.name, "sha256": sha256, "size": len(data)}


def _answer(home: Path, arguments: dict[str, Any]) -> dict[str, Any]:
    from ansible.module_utils.testing import patch_module_args

    state = importlib.import_module("ansible_collections.npudoctor.ascend.plugins.module_utils.state")
    module = importlib.import_module("ansible_collections.npudoctor.ascend.plugins.modules.python_env")
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, patch_module_args(arguments):
        host = state.State.host
        own = "/var/lib/npudoctor"
        patch.setattr(state.State, "host", lambda self, path: str(home) if path == own else host(self, path))
        with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
            module.main()
    answer: dict[str, Any] = json.loads(said.getvalue())
    return answer


def _equip(patch: pytest.MonkeyPatch) -> None:
    """The collection can be imported, and this Python is among the host's own."""
    folder = str(Path(sys.executable).parent)
    patch.setattr(sys, "path", [str(COLLECTIONS), *sys.path])
    patch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    tools = importlib.import_module("ansible_collections.npudoctor.ascend.plugins.module_utils.tools")
    patch.setattr(tools, "_FOLDERS", (folder, *tools._FOLDERS))


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    _equip(monkeypatch)
    return Host(tmp_path)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A host with torch_npu 2.7.1 in use: making it takes seconds, a copy none."""
    root = tmp_path_factory.mktemp("template")
    with pytest.MonkeyPatch.context() as patch:
        _equip(patch)
        host = Host(root)
        host.have(*_pair(host, "2.7.1"))
    return root


@pytest.fixture
def made(host: Host, template: Path) -> Host:
    """A host with torch_npu 2.7.1 in use."""
    shutil.copytree(template, host.root, symlinks=True, dirs_exist_ok=True)
    return host


def _pair(host: Host, version: str) -> tuple[Path, Path]:
    return torch(host.wheels, version), torch_npu(host.wheels, f"{version}.post1")


def test_it_is_made_of_the_wheels_and_the_link_leads_to_it(made: Host) -> None:
    answer = made.call(*_pair(made, "2.7.1"), verb="probe")
    assert answer["before"]["packages"]["torch-npu"] == "2.7.1.post1"
    subprocess.run([made.current / "bin/python", "-c", "import torch, torch_npu"], check=True)


def test_a_second_run_changes_nothing(made: Host) -> None:
    before = picture(made.folder)
    assert not made.have(*_pair(made, "2.7.1"))["changed"]
    assert picture(made.folder) == before


def test_check_mode_predicts_and_leaves_nothing_behind(made: Host) -> None:
    before = picture(made.folder)
    assert made.call(*_pair(made, "2.6.0"), check=True)["changed"]
    assert not made.call(*_pair(made, "2.7.1"), check=True)["changed"]
    assert picture(made.folder) == before


def test_the_previous_one_stays_and_undo_switches_back(made: Host) -> None:
    first = made.call(*_pair(made, "2.7.1"), verb="probe")["before"]["generation"]
    new = _pair(made, "2.8.0")
    second = made.have(*new)["after"]["generation"]
    assert first != second
    back = made.have(*new, verb="undo")
    assert (back["after"]["generation"], back["after"]["version"]) == (first, "2.7.1.post1")
    assert not made.have(*new, verb="undo")["changed"]
    assert made.have(*new)["after"]["generation"] == second


def test_undo_of_the_first_one_takes_the_link_away(made: Host) -> None:
    pair = _pair(made, "2.7.1")
    assert made.have(*pair, verb="undo")["after"]["generation"] == ""
    assert not made.current.is_symlink()


def test_only_so_many_are_kept_and_never_fewer_than_undo_needs(made: Host) -> None:
    for old in ("gen-000000000001", "gen-000000000002"):
        (made.folder / old).mkdir()
        os.utime(made.folder / old, (1, 1))
    first = made.current.resolve().name
    second = made.have(*_pair(made, "2.8.0"), keep=1)["after"]["generation"]
    assert sorted(path.name for path in made.folder.glob("gen-*")) == sorted([first, second])


@pytest.mark.parametrize("damage", ["removed", "cut off"])
def test_a_file_that_is_not_as_it_was_installed_is_found(made: Host, damage: str) -> None:
    library = next(made.current.glob("lib/python3*/site-packages/torch_npu/lib/libtorch_npu.so"))
    library.unlink() if damage == "removed" else library.write_bytes(b"")
    plan = made.call(*_pair(made, "2.7.1"), verb="plan")
    assert plan["differences"][0]["why"].endswith("libtorch_npu.so")


def test_a_half_made_one_is_made_anew(made: Host) -> None:
    for path in made.current.glob("lib/python3*/site-packages/torch_npu-*/RECORD"):
        path.unlink()
    made.current.unlink()
    pair = _pair(made, "2.7.1")
    assert made.have(*pair)["after"]["missing"] == []
    assert not made.have(*pair)["changed"]


def test_a_placeholder_is_refused_before_anything_is_made(host: Host) -> None:
    answer = host.call(torch(host.wheels, "2.7.1"), wheel(host.wheels, "torch_npu", "2.7.1"))
    assert answer["blockers"][0]["key"] == "placeholder-package"
    assert not list(host.folder.glob("*"))


def test_a_wheel_with_another_digest_is_refused(host: Host) -> None:
    path = torch_npu(host.wheels, "2.7.1")
    row = host._stored(path)
    (host.root / "state/store/sha256" / row["sha256"][:2] / row["sha256"]).write_bytes(
        path.read_bytes() + b"x"
    )
    answer = _answer(
        host.root / "state", {"path": str(host.folder), "python_version": _PYTHON, "packages": [row]}
    )
    assert answer["blockers"][0]["key"] == "package-damaged"


def test_what_a_wheel_needs_is_named_where_it_is_not_among_them(host: Host) -> None:
    answer = host.call(torch_npu(host.wheels, "2.7.1", needs=("filelock",)))
    assert answer["blockers"][0]["key"] == "wheel-missing"
    assert "filelock" in answer["msg"]
    assert not host.current.exists()


def test_what_is_asked_for_its_needs_and_those_of_cann_come_from_a_folder_that_is_named(host: Host) -> None:
    house = host.root / "house"
    wheel(house, "filelock", "3.16.0")
    wheel(house, "numpy", "1.26.4")
    answer = host.have(
        torch_npu(host.wheels, "2.7.1", needs=("filelock",)),
        torch(host.wheels, "2.6.0"),
        wheelhouse=str(house),
        requirements=["torch_npu==2.7.1"],
    )
    packages = answer["after"]["packages"]
    assert {"filelock": "3.16.0", "numpy": "1.26.4", "torch-npu": "2.7.1"}.items() <= packages.items()
    assert "torch" not in packages  # not asked for


def test_a_placeholder_in_the_folder_is_refused_too(host: Host) -> None:
    house = host.root / "house"
    wheel(house, "mindspeed", "0.0.1.dev1")
    answer = host.call(
        torch_npu(host.wheels, "2.7.1", needs=("mindspeed",)), wheelhouse=str(house), requirements=[]
    )
    assert answer["failed"]
    assert not host.current.exists()


def test_packages_that_do_not_fit_each_other_are_not_put_into_use(host: Host) -> None:
    answer = host.call(torch(host.wheels, "2.6.0"), torch_npu(host.wheels, "2.7.1", needs=("torch==2.7.1",)))
    assert answer["failed"]
    assert not host.current.exists()


def test_an_index_of_the_host_s_own_configuration_is_not_asked(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "http://127.0.0.1:9/simple")
    host.have(*_pair(host, "2.7.1"))
    logs = "".join(path.read_text() for path in (host.root / "state/logs").iterdir())
    assert "127.0.0.1:9" not in logs


def test_a_password_in_the_url_of_an_index_is_refused_before_it_is_used(host: Host) -> None:
    answer = host.call(*_pair(host, "2.7.1"), index_url="https://user:secret@mirror.invalid/simple")
    assert answer["blockers"][0]["key"] == "password-in-url"
    assert "secret" not in answer["msg"]


def test_a_python_that_the_host_lacks_is_a_blocker(host: Host) -> None:
    plan = host.call(*_pair(host, "2.7.1"), verb="plan", python_version="3.99")
    assert [each["key"] for each in plan["blockers"]] == ["python-missing"]


def test_what_cann_itself_imports_and_is_not_there_is_told(made: Host) -> None:
    numpy = made.current / "lib" / f"python{_PYTHON}" / "site-packages" / "numpy-1.26.4.dist-info"
    numpy.mkdir()
    (numpy / "METADATA").write_text("Name: numpy\nVersion: 1.26.4\n")
    answer = made.call(*_pair(made, "2.7.1"), verb="probe")
    assert "scipy" in answer["before"]["lacks"]
    assert "numpy" not in answer["before"]["lacks"]

"""Wheels are looked into before pip sees them: placeholders and damaged files are refused."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.provision.collection.calling import COLLECTIONS
from tests.provision.collection.wheel_files import MACHINE, torch, torch_npu, wheel

_OTHER = "aarch64" if MACHINE == "x86_64" else "x86_64"


@pytest.fixture
def wheels(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [str(COLLECTIONS), *sys.path])
    return importlib.import_module("ansible_collections.npudoctor.ascend.plugins.module_utils.wheels")


def _refused(wheels: Any, path: Path) -> str:
    with pytest.raises(wheels.Failure) as refused:
        wheels.inspect(str(path))
    return str(refused.value.blocker["key"])


def test_one_with_its_native_library_is_what_it_says(wheels: Any, tmp_path: Path) -> None:
    assert wheels.inspect(str(torch(tmp_path, "2.7.1+cpu"))) == ("torch", "2.7.1+cpu")
    assert wheels.inspect(str(torch_npu(tmp_path, "2.7.1.post1"))) == ("torch-npu", "2.7.1.post1")


def test_one_without_its_native_library_is_a_placeholder(wheels: Any, tmp_path: Path) -> None:
    assert _refused(wheels, wheel(tmp_path, "torch_npu", "2.7.1")) == "placeholder-package"


def test_a_native_library_for_another_machine_is_none(wheels: Any, tmp_path: Path) -> None:
    assert _refused(wheels, torch_npu(tmp_path, "2.7.1", machine=_OTHER)) == "placeholder-package"


@pytest.mark.parametrize(
    ("project", "version"),
    [
        ("cann", "0.0.1.dev1"),
        ("ascend_cann_toolkit", "0.0.1.dev1"),
        ("mindcluster", "0.0.1.dev0"),
        ("mindspeed_llm", "0.0.1"),
        ("llamafactory_ascend", "0.0.1.dev1"),
        ("torch_npu", "0.0.0"),
    ],
)
def test_the_versions_of_placeholders_are_refused(
    wheels: Any, tmp_path: Path, project: str, version: str
) -> None:
    assert _refused(wheels, wheel(tmp_path, project, version)) == "placeholder-package"


@pytest.mark.parametrize(
    ("project", "version"), [("six", "0.0.1"), ("mindspeed", "0.1.0"), ("cann", "8.5.0")]
)
def test_real_versions_are_not(wheels: Any, tmp_path: Path, project: str, version: str) -> None:
    assert wheels.inspect(str(wheel(tmp_path, project, version))) == (project, version)


def test_one_whose_inside_has_another_name_or_version_is_refused(wheels: Any, tmp_path: Path) -> None:
    assert (
        _refused(wheels, wheel(tmp_path, "numpy", "1.26.4", says=("numpyy", "1.26.4"))) == "package-damaged"
    )
    assert _refused(wheels, wheel(tmp_path, "numpy", "1.26.4", says=("numpy", "2.0.0"))) == "package-damaged"


def test_a_truncated_one_is_refused(wheels: Any, tmp_path: Path) -> None:
    path = wheel(tmp_path, "numpy", "1.26.4")
    path.write_bytes(path.read_bytes()[:-40])
    assert _refused(wheels, path) == "package-damaged"


def test_a_source_distribution_is_refused(wheels: Any, tmp_path: Path) -> None:
    path = tmp_path / "numpy-1.26.4.tar.gz"
    path.write_bytes(b"")
    assert _refused(wheels, path) == "package-mismatch"

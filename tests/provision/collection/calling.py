"""Calls a module of the collection in this process, as Ansible would: arguments in, JSON out."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

ROOM = Path(__file__).parent
REPOSITORY = ROOM.parents[2]
COLLECTIONS = REPOSITORY / "playbooks" / "collections"
STANDINS = ROOM / "standins"
UTILS = "ansible_collections.npudoctor.ascend.plugins.module_utils"


def call(module: str, root: Path, check: bool = False, **parameters: Any) -> dict[str, Any]:
    """What the module answers on the host whose files are under `root`; its programs are stand-ins."""
    with _path():
        return call_with_own_programs(module, root, check, **parameters)


def call_with_own_programs(module: str, root: Path, check: bool = False, **parameters: Any) -> dict[str, Any]:
    """The same with the programs of this machine."""
    arguments = {"root": str(root), "_ansible_check_mode": check, **parameters}
    with_collections()
    importlib.import_module("ansible.module_utils.common.warnings")._global_warnings.clear()  # of other calls
    with _arguments(arguments):
        main = importlib.import_module(f"ansible_collections.npudoctor.ascend.plugins.modules.{module}").main
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
            main()
    answer: dict[str, Any] = json.loads(said.getvalue())
    return answer


def give(root: Path, *tools: str) -> None:
    """Give a host these stand-ins."""
    folder = root / "usr" / "sbin"
    folder.mkdir(parents=True, exist_ok=True)
    for tool in tools:
        shutil.copy(STANDINS / tool, folder / tool)


def lay(root: Path, files: dict[str, str]) -> None:
    """Files of a host, by their paths on it."""
    for path, text in files.items():
        (root / path.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        (root / path.lstrip("/")).write_text(text)


def picture(root: Path) -> dict[str, tuple[int, bytes]]:
    """Every file of a host with its mode and bytes, but for what npudoctor and the stand-ins keep."""
    own = root / "var" / "lib" / "npudoctor"
    kept = {root / name for name in ("calls", "stack", "held", "ran", "loaded", "proc/100/stat")}
    files = (
        path
        for path in sorted(root.rglob("*"))
        if path.is_file() and own not in path.parents and path not in kept
    )
    return {str(path.relative_to(root)): (path.stat().st_mode, path.read_bytes()) for path in files}


def with_collections() -> None:
    """Let this process import what is in the collection."""
    if str(COLLECTIONS) not in sys.path:
        sys.path.insert(0, str(COLLECTIONS))


@contextlib.contextmanager
def _path() -> Any:
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{STANDINS}:{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before


@contextlib.contextmanager
def _arguments(arguments: dict[str, Any]) -> Any:
    with importlib.import_module("ansible.module_utils.testing").patch_module_args(arguments):
        yield

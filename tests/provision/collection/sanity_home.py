"""The home that `ansible-test` keeps its tools in: beside those of this environment, from a package index."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

_PIP = "import ensurepip\n\nensurepip.bootstrap()\n"
"""In place of the script that `ansible-test` would download: no test may need more than a package index."""


def sanity_home() -> Path:
    """Make the folder, or make it up to date."""
    home = Path(sys.prefix) / "ansible-test"
    cache = home / ".ansible" / "test" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    for version in _wanted_pips():
        (cache / f"get_pip_{version.replace('.', '_')}.py").write_text(_PIP)
    (home / ".config" / "pip").mkdir(parents=True, exist_ok=True)
    (home / ".config" / "pip" / "pip.conf").write_text(_pip_settings())
    return home


def _wanted_pips() -> list[str]:
    spec = importlib.util.find_spec("ansible_test")
    assert spec
    assert spec.submodule_search_locations
    source = Path(spec.submodule_search_locations[0]) / "_internal" / "python_requirements.py"
    return re.findall(r"\bpip='([\d.]+)'", source.read_text())


def _pip_settings() -> str:
    """What pip is told here by files and variables: `ansible-test` passes neither on with another home."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"^(?:global|install|:env:)\.([\w-]+)=(.+)$", told, re.MULTILINE)
    settings = {key: " ".join(ast.literal_eval(value).split()) for key, value in rows}
    return "".join(["[global]\n", *(f"{key} = {value}\n" for key, value in settings.items())])

"""Build step: validate every data file and pack its compiled form; invalid data fails the build."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileData(BuildHookInterface):
    """Compiles the YAML of the tree before it is packed (`[tool.hatch.build.hooks.custom]`)."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; say where the matrix and the published schema go, which lie outside the package."""
        sys.path.insert(0, self.root)
        from npudoctor.data import compile_all

        compile_all()
        if version != "editable" and self.target_name == "wheel":
            matrix = Path(self.root, "compat_matrix.yaml")
            build_data["force_include"][str(matrix)] = "npudoctor/compat_matrix.yaml"
            images = Path(self.root, "dockerfiles")
            build_data["force_include"][str(images)] = "npudoctor/dockerfiles"
            build_data["force_include"].update(playbooks(Path(self.root)))
            for name in ("waivers.schema.json", "answers.schema.json"):
                build_data["force_include"][str(Path(self.root, "docs", name))] = f"npudoctor/{name}"


def playbooks(root: Path) -> dict[str, str]:
    """What runs of the playbooks and their collection: not what linters read, nor what they leave behind."""
    files = [path.relative_to(root) for path in sorted((root / "playbooks").rglob("*")) if path.is_file()]
    left = {"__pycache__", "tests", "ruff.toml"}
    shipped = (file for file in files if not left & set(file.parts) and not file.name.startswith("."))
    return {str(root / file): f"npudoctor/{file}" for file in shipped}

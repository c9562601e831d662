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
            for name in ("waivers.schema.json", "answers.schema.json"):
                build_data["force_include"][str(Path(self.root, "docs", name))] = f"npudoctor/{name}"

"""Where the playbooks are: beside the package in a checkout, inside it where it was installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from npudoctor.errors import NpudoctorError
from npudoctor.words import _

_PACKAGE = Path(__file__).parents[1]
_COLLECTION = "collections/ansible_collections/npudoctor/ascend"


def playbooks() -> Path:
    """The folder of `step.yml` and `site.yml`."""
    for folder in (_PACKAGE.parent / "playbooks", _PACKAGE / "playbooks"):
        if (folder / "step.yml").exists():
            return folder
    raise NpudoctorError(_("the playbooks are not installed"), _("install npudoctor anew"))


def module_utils() -> Path:
    """The folder of what modules of the collection share."""
    return playbooks() / _COLLECTION / "plugins/module_utils"


def plugin_utils() -> Path:
    """The folder of what its plugins share; they run here, as we do."""
    return playbooks() / _COLLECTION / "plugins/plugin_utils"


def role_defaults(role: str) -> dict[str, Any]:
    """The variables of a role as it has them by itself; some hold a template."""
    import yaml

    text = (playbooks() / _COLLECTION / "roles" / role / "defaults/main.yml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found

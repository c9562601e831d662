"""Where the playbooks are: beside the package in a checkout, inside it where it was installed."""

from __future__ import annotations

from pathlib import Path

from npudoctor.errors import NpudoctorError
from npudoctor.words import _

_PACKAGE = Path(__file__).parents[1]
_UTILS = "collections/ansible_collections/npudoctor/ascend/plugins/module_utils"


def playbooks() -> Path:
    """The folder of `step.yml` and `site.yml`."""
    for folder in (_PACKAGE.parent / "playbooks", _PACKAGE / "playbooks"):
        if (folder / "step.yml").exists():
            return folder
    raise NpudoctorError(_("the playbooks are not installed"), _("install npudoctor anew"))


def module_utils() -> Path:
    """The folder of what modules of the collection share."""
    return playbooks() / _UTILS

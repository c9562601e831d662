"""What the documentation of the driver and the firmware shares."""

from __future__ import annotations


class ModuleDocFragment:
    """The parameters of both packages."""

    DOCUMENTATION = r"""
options:
  version:
    description: The version wanted, as its C(version.info) writes it.
    type: str
    default: ''
  packages:
    description: The package of O(version); only the first counts.
    type: list
    elements: dict
    default: []
    suboptions: &package
      name:
        description: File name; its chip and architecture must be those of the host.
        type: str
        required: true
      sha256:
        description: SHA-256, 64 hex digits.
        type: str
        required: true
      size:
        description: Bytes.
        type: int
        required: true
  previous_version:
    description: The version that O(verb=undo) brings back; V(absent) where there was none.
    type: str
    default: ''
  previous:
    description: The package of O(previous_version).
    type: list
    elements: dict
    default: []
    suboptions: *package
  chip:
    description: Chip family of the host (V(910b), V(910_93), V(310p), …); empty to take any package.
    type: str
    default: ''
  install_path:
    description: Where it is installed the first time. Later the place that the installer wrote down counts.
    type: path
    default: /usr/local/Ascend
  force:
    description: Install although NPUs are in use; it takes effect after the reboot.
    type: bool
    default: false
  seconds:
    description: How long the installer may run.
    type: int
    default: 3600
"""

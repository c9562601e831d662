"""What the documentation of the toolkit, the operators and NNAL shares."""

from __future__ import annotations


class ModuleDocFragment:
    """The parameters of all packages of CANN."""

    DOCUMENTATION = r"""
options:
  version:
    description: The version wanted, V(8.3.RC1), V(8.5.0). Where it is empty the name of the package says it.
    type: str
    default: ''
  packages:
    description: The package of O(version). Others in the list are passed over.
    type: list
    elements: dict
    default: []
    suboptions: &package
      name:
        description: File name; its architecture must be that of the host.
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
    description:
      - The version that O(verb=undo) brings back; V(absent) where there was none.
      - Where it is empty the name of the package in O(previous) says it, or what was kept before the last change.
    type: str
    default: ''
  previous:
    description: The package of O(previous_version).
    type: list
    elements: dict
    default: []
    suboptions: *package
  install_path:
    description: The folder of the installations. It has to be on a local disk.
    type: path
    default: /usr/local/Ascend
  install_for_all:
    description: Let every account use it, not only the group that the installation belongs to.
    type: bool
    default: true
  space_mb:
    description: MiB that must be free at O(install_path) before anything is changed.
    type: int
    default: 0
  seconds:
    description: How long one run of an installer may take.
    type: int
    default: 3600
"""

"""What the documentation of modules shares that keep copies of the files they edit."""

from __future__ import annotations


class ModuleDocFragment:
    """The run that the copies belong to."""

    DOCUMENTATION = r"""
options:
  run:
    description: The run under whose name files are kept before they are edited, in C(/var/lib/npudoctor/backup).
    type: str
    default: ''
"""

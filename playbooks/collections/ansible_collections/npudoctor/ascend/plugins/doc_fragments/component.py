"""What every component module's documentation shares."""

from __future__ import annotations


class ModuleDocFragment:
    """The common parameters."""

    DOCUMENTATION = r"""
options:
  verb:
    description:
      - V(probe) looks.
      - V(plan) says what differs and what is in the way.
      - V(apply) makes it as wanted.
      - V(verify) fails where it is not as wanted.
      - V(undo) makes it as it was before.
      - In check mode V(apply) and V(undo) answer as they would, and change nothing.
    type: str
    choices: [probe, plan, apply, verify, undo]
    default: apply
  root:
    description: Where the file system of the host begins. Another place than V(/) is for an image that is mounted.
    type: path
    default: /
"""

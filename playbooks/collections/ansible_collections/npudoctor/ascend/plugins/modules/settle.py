#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: settle
short_description: Wait until a host is back from its reboot, and well
version_added: 1.0.0
description:
  - Waits on the controller until M(npudoctor.ascend.reboot) finds with C(verb=verify) that the host is in another
    boot, that its system has started and that every NPU came up, several times in a row within that one boot.
options:
  before:
    description: The boot id from before the reboot.
    type: str
    required: true
  seconds:
    description: How long to wait.
    type: int
    default: 1800
  pause:
    description: Seconds between two looks.
    type: int
    default: 10
  times:
    description: How many good answers in a row are needed.
    type: int
    default: 3
attributes:
  check_mode:
    description: Does not wait.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
author: The npudoctor project (@npudoctor)
"""

EXAMPLES = r"""
- name: Wait for the host
  npudoctor.ascend.settle:
    before: "{{ reboot_result.before.boot_id }}"
"""

RETURN = r"""
boot_id:
  description: The boot in which the host is now.
  returned: success
  type: str
  sample: 5d1c2f8e-77b1-4a0c-8a53-0c7a0a2f3b11
seconds:
  description: How long it took.
  returned: always
  type: int
  sample: 240
"""

#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""The NPU firmware of a host."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: firmware
short_description: Bring the NPU firmware to a version
version_added: 1.0.0
description:
  - Compares the firmware on disk with the one wanted, and runs the vendor's installer where they differ.
  - The package is verified right before it runs. The installer runs in a unit of its own, which outlives a broken
    connection; a second call waits for it rather than starting another.
  - New firmware counts only after a reboot or a power cycle. It never reboots. What the installer asked for is kept on the host, and returned.
extends_documentation_fragment:
  - npudoctor.ascend.component
  - npudoctor.ascend.hdk
attributes:
  check_mode:
    description: Answers as it would, changes nothing.
    support: full
  diff_mode:
    description: Shows the version as it is and as it will be.
    support: full
author: The npudoctor project (@npudoctor)
"""

EXAMPLES = r"""
- name: Bring the firmware to 7.8.0.5.216
  npudoctor.ascend.firmware:
    verb: apply
    version: 7.8.0.5.216
    chip: 910b
    packages:
      - name: Ascend-hdk-910b-npu-firmware_7.8.0.5.216.run
        sha256: 9a343b0931126a20f133d67c2b018a3b5e2f4d4f9b0f7f4ac2f4a7f9f2d1c3e4
        size: 33554432
  register: firmware_result
"""

RETURN = r"""
before:
  description: The firmware as it was.
  returned: always
  type: dict
  sample: {"version": "7.5.0.1.129", "running": "7.5.0.1.129", "npus": 8, "silent": [], "state": "whole"}
after:
  description: The firmware as it is now.
  returned: always
  type: dict
  sample: {"version": "7.8.0.5.216", "running": "7.5.0.1.129", "npus": 8, "silent": [], "state": "whole"}
differences:
  description: What differed.
  returned: always
  type: list
  elements: dict
  sample: [{"what": "firmware", "before": "7.5.0.1.129", "after": "7.8.0.5.216", "why": "the stack wants 7.8.0.5.216"}]
reboot:
  description: Whether the host must be rebooted before what is on disk runs, and why.
  returned: always
  type: dict
  sample: {"required": true, "reasons": ["firmware: 7.8.0.5.216 is on disk, 7.5.0.1.129 runs"]}
undo:
  description: How far this can be taken back.
  returned: always
  type: str
  sample: full
blockers:
  description: What is in the way.
  returned: always
  type: list
  elements: dict
  sample: [{"key": "npu-in-use", "message": "NPUs are in use by python3 (4711)", "fix": "end them"}]
problems:
  description: What O(verb=verify) found.
  returned: always
  type: list
  elements: str
  sample: []
rc:
  description: What the installer ended with.
  returned: always
  type: int
  sample: 0
log:
  description: The file on the host that holds all that the installer printed; empty where it did not run.
  returned: always
  type: str
  sample: /var/lib/npudoctor/logs/firmware-20261130T020000Z.log
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import run
from ansible_collections.npudoctor.ascend.plugins.module_utils.hdk import Hdk, hdk_spec
from ansible_collections.npudoctor.ascend.plugins.module_utils.words import FIRMWARE


class Firmware(Hdk):
    """The firmware: it goes where the driver is, and counts only after a reboot."""

    name = "firmware"
    words = FIRMWARE
    field = "Firmware Version"

    def first_flags(self):
        return ["--full"]


def main():
    run(Firmware(AnsibleModule(argument_spec=hdk_spec(), supports_check_mode=True)))


if __name__ == "__main__":
    main()

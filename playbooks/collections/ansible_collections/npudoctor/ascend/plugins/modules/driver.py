#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""The NPU driver of a host."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: driver
short_description: Bring the NPU driver to a version
version_added: 1.0.0
description:
  - Compares the driver on disk with the one wanted, and runs the vendor's installer where they differ.
  - The package is verified right before it runs. The installer runs in a unit of its own, which outlives a broken
    connection; a second call waits for it rather than starting another.
  - It never reboots. What the installer asked for is kept on the host, and returned.
options:
  user:
    description: The account that owns the driver; only told to the installer where it is not V(HwHiAiUser).
    type: str
    default: HwHiAiUser
  group:
    description: The group of O(user).
    type: str
    default: HwHiAiUser
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
- name: Bring the driver to 25.5.0
  npudoctor.ascend.driver:
    verb: apply
    version: 25.5.0
    chip: 910b
    packages:
      - name: Ascend-hdk-910b-npu-driver_25.5.0_linux-aarch64.run
        sha256: 0f343b0931126a20f133d67c2b018a3b5e2f4d4f9b0f7f4ac2f4a7f9f2d1c3e4
        size: 178257920
  register: driver_result
"""

RETURN = r"""
before:
  description: The driver as it was.
  returned: always
  type: dict
  sample: {"version": "24.1.rc3", "running": "24.1.rc3", "npus": 8, "silent": [], "state": "whole"}
after:
  description: The driver as it is now.
  returned: always
  type: dict
  sample: {"version": "25.5.0", "running": "24.1.rc3", "npus": 8, "silent": [], "state": "whole"}
differences:
  description: What differed.
  returned: always
  type: list
  elements: dict
  sample: [{"what": "driver", "before": "24.1.rc3", "after": "25.5.0", "why": "the stack wants 25.5.0"}]
reboot:
  description: Whether the host must be rebooted before what is on disk runs, and why.
  returned: always
  type: dict
  sample: {"required": true, "reasons": ["driver: 25.5.0 is on disk, 24.1.rc3 runs"]}
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
  sample: /var/lib/npudoctor/logs/driver-20261130T020000Z.log
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import run
from ansible_collections.npudoctor.ascend.plugins.module_utils.hdk import Hdk, hdk_spec
from ansible_collections.npudoctor.ascend.plugins.module_utils.words import DRIVER

_ACCOUNT = "HwHiAiUser"


class Driver(Hdk):
    """The driver: its first installation is for all users, in the name of an account."""

    name = "driver"
    words = DRIVER
    field = "Software Version"

    def first_flags(self):
        flags = ["--full", "--install-for-all"]
        if self.params["install_path"] != "/usr/local/Ascend":
            flags.append("--install-path={0}".format(self.params["install_path"]))
        if (self.params["user"], self.params["group"]) != (_ACCOUNT, _ACCOUNT):
            flags.append("--install-username={0}".format(self.params["user"]))
            flags.append("--install-usergroup={0}".format(self.params["group"]))
        return flags


def main():
    account = {"type": "str", "default": _ACCOUNT}
    spec = dict(hdk_spec(), user=account, group=dict(account))
    run(Driver(AnsibleModule(argument_spec=spec, supports_check_mode=True)))


if __name__ == "__main__":
    main()

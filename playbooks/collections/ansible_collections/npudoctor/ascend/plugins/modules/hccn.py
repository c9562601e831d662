#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""The RoCE ports of the NPUs."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: hccn
short_description: Set addresses, gateways and TLS of the RoCE ports of NPUs
version_added: 1.0.0
description:
  - Sets each port with C(hccn_tool), reads it back, and sees that C(/etc/hccn.conf) says the same.
  - What cannot work together is refused before anything is set. An address given twice, a gateway outside of the
    subnet, several subnets without gateways, TLS on some ports only.
  - Where C(hccn_tool) refuses one setting of a port, its other settings go back to what they were.
  - IPv4 only.
options:
  ports:
    description: The ports, one for each NPU that shall have one.
    type: list
    elements: dict
    default: []
    suboptions:
      device:
        description: The number of the NPU, N of C(hccn_tool -i N).
        type: int
        required: true
      address:
        description: Its address.
        type: str
        required: true
      netmask:
        description: Empty takes O(netmask).
        type: str
        default: ''
      gateway:
        description: Empty takes O(gateway).
        type: str
        default: ''
      netdetect:
        description: Empty takes O(netdetect).
        type: str
        default: ''
  netmask:
    description: The netmask of ports that name none.
    type: str
    default: 255.255.255.0
  gateway:
    description: The gateway of ports that name none; empty leaves gateways alone.
    type: str
    default: ''
  netdetect:
    description: The address that a port pings to know its health, as the gateway; empty leaves it alone.
    type: str
    default: ''
  tls:
    description: The TLS switch of all ports. It must be the same on every server of a job.
    type: str
    choices: [enabled, disabled, keep]
    default: keep
  others:
    description: Addresses of the ports of all other hosts, which must not be given again.
    type: list
    elements: str
    default: []
  several_subnets:
    description: Whether several subnets without gateways are meant, as on servers of the first generation.
    type: bool
    default: false
  force:
    description: Set ports although NPUs are in use.
    type: bool
    default: false
extends_documentation_fragment:
  - npudoctor.ascend.component
  - npudoctor.ascend.settings
attributes:
  check_mode:
    description: Answers as it would, changes nothing.
    support: full
  diff_mode:
    description: Shows each setting as it is and as it will be.
    support: full
author: The npudoctor project (@npudoctor)
"""

EXAMPLES = r"""
- name: Set the ports of two NPUs
  npudoctor.ascend.hccn:
    ports:
      - device: 0
        address: 192.0.2.10
      - device: 1
        address: 192.0.2.11
    gateway: 192.0.2.1
    netdetect: 192.0.2.1
    tls: disabled
"""

RETURN = r"""
before:
  description: What was there.
  returned: always
  type: dict
  sample: {"npu0": "(not set)"}
after:
  description: What is there now.
  returned: always
  type: dict
  sample: {"npu0": "address 192.0.2.10 netmask 255.255.255.0 tls 0"}
differences:
  description: What differed.
  returned: always
  type: list
  elements: dict
  sample: [{"what": "hccn.npu0", "before": "(not set)", "after": "address 192.0.2.10 netmask 255.255.255.0", "why": "the inventory has it so"}]
reboot:
  description: Whether the host must be rebooted before what is on disk counts, and why.
  returned: always
  type: dict
  sample: {"required": false, "reasons": []}
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
  sample: [{"key": "npu-in-use", "message": "NPUs are in use by python3 (4711)", "fix": "end them, or set force"}]
problems:
  description: What O(verb=verify) found.
  returned: always
  type: list
  elements: str
  sample: []
rc:
  description: What the installer ended with, where one ran.
  returned: always
  type: int
  sample: 0
log:
  description: The file on the host that holds what an installer printed; empty where none ran.
  returned: always
  type: str
  sample: ''
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import run
from ansible_collections.npudoctor.ascend.plugins.module_utils.roce import Hccn, hccn_spec


def main():
    run(Hccn(AnsibleModule(argument_spec=hccn_spec(), supports_check_mode=True)))


if __name__ == "__main__":
    main()

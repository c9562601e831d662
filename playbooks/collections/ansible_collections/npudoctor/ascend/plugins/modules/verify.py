#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""Whether a whole host is as its stack says, and works."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: verify
short_description: Verify that a host is as its stack says and that its NPUs work
version_added: 1.0.0
description:
  - Compares versions on disk and running with those wanted, and the NPUs that are up with those on PCI.
  - Imports C(acl) with the environment of CANN, adds a tensor on every NPU through torch_npu, and lets all NPUs take
    part in one HCCL all-reduce where there are several.
  - What a host lacks for one of them is named in RV(not_verified), never passed over.
  - Uses no NPU while somebody else does, in check mode, or in an image. Fails where a check fails, but for check mode.
options:
  versions:
    description: The versions wanted, by key of the stack (C(driver), C(firmware), C(cann), C(nnal_abi), C(torch), C(torch_npu)).
    type: dict
    default: {}
  chip:
    description: Chip family whose operators are to be there.
    type: str
    default: ''
  install_path:
    description: The folder of the CANN installations.
    type: path
    default: /usr/local/Ascend
  python:
    description: The interpreter of the environment that has torch_npu.
    type: path
    default: /opt/npudoctor/python/current/bin/python
  seconds:
    description: How long each trial on the NPUs may take.
    type: int
    default: 600
  root:
    description: Where the file system of the host begins. Another place than V(/) is for an image that is mounted.
    type: path
    default: /
attributes:
  check_mode:
    description: Looks, but uses no NPU and never fails.
    support: full
  diff_mode:
    description: There is nothing that it changes.
    support: none
author: The npudoctor project (@npudoctor)
"""

EXAMPLES = r"""
- name: Verify the stack
  npudoctor.ascend.verify:
    versions:
      driver: 25.5.0
      cann: 8.5.0
      torch_npu: 2.9.0
    chip: 910b
  register: verify_result
"""

RETURN = r"""
checks:
  description: Every check. RV(ignore:status) is C(pass), C(fail) or C(unverified).
  returned: always
  type: list
  elements: dict
  sample: [{"what": "driver running", "status": "pass", "text": "driver running is 25.5.0"}]
problems:
  description: The words of the checks that failed.
  returned: always
  type: list
  elements: str
  sample: ["7 of 8 on PCI are up"]
not_verified:
  description: What could not be verified, and why.
  returned: always
  type: list
  elements: str
  sample: ["HCCL all-reduce: it takes two NPUs, 1 is up"]
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import State
from ansible_collections.npudoctor.ascend.plugins.module_utils.verification import FAIL, UNVERIFIED, Verification


def main():
    spec = {
        "versions": {"type": "dict", "default": {}},
        "chip": {"type": "str", "default": ""},
        "install_path": {"type": "path", "default": "/usr/local/Ascend"},
        "python": {"type": "path", "default": "/opt/npudoctor/python/current/bin/python"},
        "seconds": {"type": "int", "default": 600},
        "root": {"type": "path", "default": "/"},
    }
    module = AnsibleModule(argument_spec=spec, supports_check_mode=True)
    trying = not module.check_mode and module.params["root"] == "/"
    checks = Verification(State(module.params["root"]), module.params, trying).all()
    problems = [check.text for check in checks if check.status == FAIL]
    answer = {
        "changed": False,
        "checks": [check.row() for check in checks],
        "problems": problems,
        "not_verified": [check.text for check in checks if check.status == UNVERIFIED],
    }
    if problems and not module.check_mode:
        module.fail_json(msg="; ".join(problems), **answer)
    module.exit_json(**answer)


if __name__ == "__main__":
    main()

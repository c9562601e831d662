#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""The reboot of a host."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: reboot
short_description: Ask for the reboot that a host needs, and prove that it has happened
version_added: 1.0.0
description:
  - Whether a reboot is needed is read off the host - what is on disk and does not run, and what installers asked for
    in this boot - so that a need outlives whoever found it.
  - The boot id is kept on the host before the reboot is asked for; only another one proves it.
  - It does not wait. The role C(reboot) does.
options:
  verb:
    description:
      - V(probe) and V(plan) say whether a reboot is needed.
      - V(apply) asks for it where it is, in a few seconds.
      - V(verify) fails where the host has not rebooted from O(before), still starts, or has NPUs that did not come up.
    type: str
    choices: [probe, plan, apply, verify]
    default: apply
  root:
    description: Where the file system of the host begins.
    type: path
    default: /
  force:
    description: Ask for a reboot although none is needed.
    type: bool
    default: false
  before:
    description: The boot that O(verb=verify) must not find any more; empty for the one that was kept when asking.
    type: str
    default: ''
attributes:
  check_mode:
    description: Says whether it would ask, and does not.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
author: The npudoctor project (@npudoctor)
"""

EXAMPLES = r"""
- name: Ask for the reboot that is needed
  npudoctor.ascend.reboot:
    verb: apply
  register: reboot_result
"""

RETURN = r"""
before:
  description: The boot, as it was when asked.
  returned: always
  type: dict
  sample: {"boot_id": "0f343b09-31aa-4c0d-9d67-c2b018a3b5e2", "system": "running"}
reboot:
  description: Whether a reboot is needed, and why.
  returned: always
  type: dict
  sample: {"required": true, "reasons": ["firmware: 7.8.0.5.216 is on disk, 7.5.0.1.129 runs"]}
asks:
  description: How often a reboot was asked for in this boot.
  returned: O(verb=apply)
  type: int
  sample: 1
problems:
  description: What O(verb=verify) found.
  returned: always
  type: list
  elements: str
  sample: ["7 chips answer, 8 are on PCI"]
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.npudoctor.ascend.plugins.module_utils import rebooting
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import State


def main():
    module = AnsibleModule(
        argument_spec={
            "verb": {"type": "str", "default": "apply", "choices": ["probe", "plan", "apply", "verify"]},
            "root": {"type": "path", "default": "/"},
            "force": {"type": "bool", "default": False},
            "before": {"type": "str", "default": ""},
        },
        supports_check_mode=True,
    )
    state = State(module.params["root"])
    if module.params["verb"] == "verify":
        _verify(module, state)
    reasons = rebooting.reasons(state) + (["it was asked for"] if module.params["force"] else [])
    answer = _answer(state, reasons)
    if module.params["verb"] == "apply" and reasons and not module.check_mode:
        answer["asks"] = rebooting.ask(state, reasons)["asks"]
    module.exit_json(changed=bool(reasons) and module.params["verb"] != "probe", **answer)


def _verify(module, state):
    before = module.params["before"] or state.step(rebooting.STEP).get("boot_id", "")
    problems = rebooting.trouble(state, before)
    answer = dict(_answer(state, []), changed=False, problems=problems)
    if problems:
        module.fail_json(msg="; ".join(problems), **answer)
    module.exit_json(**answer)


def _answer(state, reasons):
    now = {"boot_id": state.boot_id(), "system": rebooting.system_state()}
    return {"before": now, "reboot": {"required": bool(reasons), "reasons": reasons}, "problems": []}


if __name__ == "__main__":
    main()

#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""The operators of CANN: kernels up to 8.3, ops from 8.5 on."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: ops
short_description: Bring the operators of CANN to a version
version_added: 1.0.0
description:
  - Compares the operators for the chip of the host with those wanted, and runs the vendor's package where they differ.
  - Up to CANN 8.3 the packages are called kernels, from 8.5 on ops. An upgrade of the toolkit takes either away, so
    this comes after M(npudoctor.ascend.toolkit).
  - The package is verified right before it runs. The installer runs in a unit of its own, which outlives a broken
    connection.
options:
  chip:
    description: Chip family of the host (V(910b), V(910_93), V(310p), …).
    type: str
    required: true
  toolkit_version:
    description:
      - The toolkit that the run brings. O(verb=plan) and check mode judge by it, as it may not be there yet.
    type: str
    default: ''
  type:
    description: What kernels go with, where the packages of CANN 8.3 or older have to be told; empty to let them find it.
    type: str
    choices: ['', toolkit, nnae, nnrt]
    default: ''
  whitelist:
    description: The parts to install, as the option C(--whitelist) of the package takes it; empty for all.
    type: str
    default: ''
extends_documentation_fragment:
  - npudoctor.ascend.component
  - npudoctor.ascend.cann
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
- name: Have the operators of CANN 8.5.0 for the 910B
  npudoctor.ascend.ops:
    version: 8.5.0
    chip: 910b
    packages:
      - name: Ascend-cann-910b-ops_8.5.0_linux-aarch64.run
        sha256: 5d1b9b7f0c6c4a51be1b7e0c3b6b2f3a9e0d5c4b3a2918070605040302010f0e
        size: 1932735283
  register: ops_result
"""

RETURN = r"""
before:
  description: The operators as they were.
  returned: always
  type: dict
  sample: {"version": "8.3.RC1", "chip": "910b", "toolkit": "8.3.RC1", "others": [], "missing": []}
after:
  description: The operators as they are now.
  returned: always
  type: dict
  sample: {"version": "8.5.0", "chip": "910b", "toolkit": "8.5.0", "others": [], "missing": []}
differences:
  description: What differed.
  returned: always
  type: list
  elements: dict
  sample: [{"what": "ops", "before": "absent", "after": "8.5.0", "why": "the stack wants 8.5.0"}]
reboot:
  description: Whether the host must be rebooted. Operators never need it.
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
  sample: [{"key": "toolkit-mismatch", "message": "there is no CANN toolkit to put the operators into", "fix": "install it first"}]
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
  sample: /var/lib/npudoctor/logs/ops-20261130T020000Z.log
"""

import re

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.npudoctor.ascend.plugins.module_utils.cann import current, trees
from ansible_collections.npudoctor.ascend.plugins.module_utils.cann_component import CannComponent, cann_spec
from ansible_collections.npudoctor.ascend.plugins.module_utils.cann_versions import has_new_layout
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import blocker, difference, run
from ansible_collections.npudoctor.ascend.plugins.module_utils.operators import (
    can_upgrade,
    family,
    operators,
    unfit,
    uninstaller,
)


class Ops(CannComponent):
    """The operators for the chip of the host, in the CANN in use."""

    name = "ops"
    pattern = re.compile(r"^(Ascend-cann-\w+-ops|Ascend-cann-kernels-\w+|Atlas-A3-cann-kernels)_")

    def look(self):
        tree = current(trees(self.ascend))
        chip = family(self.params["chip"])
        rows = operators(tree.folder) if tree else []
        own = next((row for row in rows if row.chip == chip), None)
        return {
            "version": own.version if own else "",
            "chip": chip,
            "toolkit": tree.version if tree else "",
            "folder": tree.folder if tree else "",
            "others": [row.chip for row in rows if row.chip != chip],
            "missing": (own.missing + self.cut_off()) if own else [],
        }

    def differences(self, now, back):
        found = super().differences(now, back)
        coming = self.params["toolkit_version"]
        if found or back or not self._planning() or not coming or now["toolkit"] == coming:
            return found
        why = "the toolkit goes from {0} to {1} and takes them away".format(now["toolkit"], coming)
        return [difference(self.name, now["version"], self.wanted(back), why)]

    def blockers(self, now, back):
        wanted = self.wanted(back)
        found = super().blockers(now, back)
        if not wanted:
            return found
        kernels = not has_new_layout(wanted)
        wrong = unfit(wanted, kernels, now["toolkit"])
        if wrong and self._planning() and self.params["toolkit_version"]:
            wrong = unfit(wanted, kernels, self.params["toolkit_version"])
        if wrong:
            found.append(blocker("toolkit-mismatch", wrong, "bring the toolkit to a version that goes with them first"))
        if now["others"] and now["toolkit"] and has_new_layout(now["toolkit"]):
            words = "{0} holds operators for {1}".format(now["folder"], ", ".join(now["others"]))
            found.append(blocker("ops-other-chip", words, "uninstall them: one CANN holds those of one chip"))
        return found

    def change(self, now, differences, back):
        self.remember(now, back)
        wanted, have = self.wanted(back), now["version"]
        if not wanted:
            return self.uninstall(uninstaller(now["folder"]), have, back)
        if have and have != wanted:
            if not now["missing"] and can_upgrade(have, wanted):
                return self.install("upgrade", back, *self._options(wanted))
            self.uninstall(uninstaller(now["folder"]), have, back)
        return self.install("install", back, *self._options(wanted))

    def _options(self, wanted):
        given = [
            ("--type=", "" if has_new_layout(wanted) else self.params["type"]),
            ("--whitelist=", self.params["whitelist"]),
        ]
        return [option + value for option, value in given if value]

    def _planning(self):
        return self.module.check_mode or self.params["verb"] == "plan"


def main():
    spec = cann_spec(
        chip={"type": "str", "required": True},
        toolkit_version={"type": "str", "default": ""},
        type={"type": "str", "default": "", "choices": ["", "toolkit", "nnae", "nnrt"]},
        whitelist={"type": "str", "default": ""},
    )
    run(Ops(AnsibleModule(argument_spec=spec, supports_check_mode=True)))


if __name__ == "__main__":
    main()

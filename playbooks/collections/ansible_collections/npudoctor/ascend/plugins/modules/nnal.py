#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""NNAL, the library of transformer operators (ATB)."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: nnal
short_description: Bring NNAL to a version
version_added: 1.0.0
description:
  - Compares the NNAL in use with the one wanted, and runs the vendor's package where they differ.
  - Versions lie side by side. One that is there already, as after O(verb=undo), is only switched to.
  - The package is verified right before it runs. The installer runs in a unit of its own, which outlives a broken
    connection.
options:
  abi:
    description:
      - The C++ ABI that has to be there; V(1) for torch 2.6 and newer, V(0) for older builds. Empty for any.
      - The module npudoctor.ascend.environment chooses the one that is used.
    type: str
    choices: ['', '0', '1']
    default: ''
  toolkit_version:
    description:
      - The toolkit that the run brings. O(verb=plan) and check mode judge by it, as it may not be there yet.
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
- name: Have NNAL 8.5.0 with the new C++ ABI
  npudoctor.ascend.nnal:
    version: 8.5.0
    abi: '1'
    packages:
      - name: Ascend-cann-nnal_8.5.0_linux-aarch64.run
        sha256: 1f0e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0
        size: 629145600
  register: nnal_result
"""

RETURN = r"""
before:
  description: NNAL as it was.
  returned: always
  type: dict
  sample: {"version": "8.3.RC1", "abis": ["0", "1"], "beside": [], "toolkit": "8.3.RC1", "missing": []}
after:
  description: NNAL as it is now.
  returned: always
  type: dict
  sample: {"version": "8.5.0", "abis": ["0", "1"], "beside": ["8.3.RC1"], "toolkit": "8.5.0", "missing": []}
differences:
  description: What differed.
  returned: always
  type: list
  elements: dict
  sample: [{"what": "nnal", "before": "8.3.RC1", "after": "8.5.0", "why": "the stack wants 8.5.0"}]
reboot:
  description: Whether the host must be rebooted. NNAL never needs it.
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
  sample: [{"key": "toolkit-missing", "message": "NNAL needs a CANN toolkit", "fix": "install it first"}]
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
  sample: /var/lib/npudoctor/logs/nnal-20261130T020000Z.log
"""

import os
import re

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.npudoctor.ascend.plugins.module_utils import atb, cann
from ansible_collections.npudoctor.ascend.plugins.module_utils.cann_component import CannComponent, cann_spec
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Done, blocker, run
from ansible_collections.npudoctor.ascend.plugins.module_utils.links import point
from ansible_collections.npudoctor.ascend.plugins.module_utils.shell_environment import after_sourcing


class Nnal(CannComponent):
    """The NNAL in use."""

    name = "nnal"
    pattern = re.compile(r"^Ascend-cann-nnal_")
    beside = True

    def look(self):
        found = atb.versions(self.ascend)
        now = next((each for each in found if each.in_use), None)
        toolkit = cann.current(cann.trees(self.ascend))
        return {
            "version": now.version if now else "",
            "folder": now.folder if now else "",
            "abis": now.abis if now else [],
            "beside": [each.version for each in found if not each.in_use],
            "toolkit": toolkit.version if toolkit else "",
            "missing": self._missing(now) if now else [],
        }

    def blockers(self, now, back):
        found = super().blockers(now, back)
        planning = self.module.check_mode or self.params["verb"] == "plan"
        if now["toolkit"] or (planning and self.params["toolkit_version"]) or not self.wanted(back):
            return found
        words = "NNAL needs a CANN toolkit, and {0} holds none".format(self.ascend)
        return [*found, blocker("toolkit-missing", words, "install the toolkit first")]

    def change(self, now, differences, back):
        self.remember(now, back)
        wanted = self.wanted(back)
        if not wanted:
            return self.uninstall(atb.uninstaller(self.ascend, now["folder"]), now["version"], back)
        beside = [each for each in atb.versions(self.ascend) if each.version == wanted and not self._missing(each)]
        if beside and not beside[0].in_use:
            point(atb.link(self.ascend), beside[0].folder)
            return Done()
        return self.install("install", back, environment=self._environment())

    def _missing(self, found):
        lacks = list(found.missing)
        abi = self.params["abi"]
        if abi and abi not in found.abis:
            lacks.append(os.path.join(found.folder, "atb", "cxx_abi_" + abi))
        script = atb.set_env(self.ascend)
        return lacks + ([] if os.path.isfile(script) else [script]) + self.cut_off()

    def _environment(self):
        tree = cann.current(cann.trees(self.ascend))
        return after_sourcing(self.tools, self.inside(cann.set_env(self.ascend, tree)))


def main():
    spec = cann_spec(
        abi={"type": "str", "default": "", "choices": ["", "0", "1"]},
        toolkit_version={"type": "str", "default": ""},
    )
    run(Nnal(AnsibleModule(argument_spec=spec, supports_check_mode=True)))


if __name__ == "__main__":
    main()

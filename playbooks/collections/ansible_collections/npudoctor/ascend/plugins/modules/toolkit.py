#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""The CANN toolkit, in the layout up to 8.3 and in that from 8.5 on."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: toolkit
short_description: Bring the CANN toolkit to a version
version_added: 1.0.0
description:
  - Compares the CANN in use with the one wanted, in the layout up to 8.3 (C(ascend-toolkit/V)) and in that from 8.5 on
    (C(cann-V)), and runs the vendor's package where they differ.
  - A newer one is an upgrade. No CANN can be downgraded, so for an older one the present one is uninstalled first.
  - Either takes the operators away; M(npudoctor.ascend.ops) brings them again.
  - The package is verified right before it runs. The installer runs in a unit of its own, which outlives a broken
    connection.
options:
  remove_others:
    description:
      - Uninstall other versions of the layout up to 8.3 too. From 8.5 on none may be left, or the installation can fail.
      - Without it they are named as a blocker.
    type: bool
    default: false
  whitelist:
    description: The parts to install, as the option C(--whitelist) of the package takes it (V(nnrt)); empty for all.
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
- name: Have CANN 8.5.0
  npudoctor.ascend.toolkit:
    version: 8.5.0
    packages:
      - name: Ascend-cann-toolkit_8.5.0_linux-aarch64.run
        sha256: 9b2f5bd0f6a5bb4f6e8e1c62cbb6a0b9f8a2b3a4c1f0d5e6978897a6b5c4d3e2
        size: 1288490188
  register: toolkit_result

- name: Say what would be done, and what is in the way
  npudoctor.ascend.toolkit:
    verb: plan
    version: 8.5.0
"""

RETURN = r"""
before:
  description:
    - The CANN in use as it was. RV(ignore:layout) is C(old) up to 8.3 and C(new) from 8.5 on, C(missing) is what a
      whole one has and this one lacks, C(versions) are all that lie there, C(partial) the folders of those that are
      not whole and not in use.
  returned: always
  type: dict
  sample: {"version": "8.3.RC1", "layout": "old", "versions": ["8.3.RC1"], "missing": [], "partial": []}
after:
  description: The CANN in use as it is now.
  returned: always
  type: dict
  sample: {"version": "8.5.0", "layout": "new", "versions": ["8.5.0"], "missing": [], "partial": []}
differences:
  description: What differed.
  returned: always
  type: list
  elements: dict
  sample: [{"what": "toolkit", "before": "8.3.RC1", "after": "8.5.0", "why": "the stack wants 8.5.0"}]
reboot:
  description: Whether the host must be rebooted. CANN never needs it.
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
  sample: [{"key": "old-cann", "message": "CANN 8.5.0 may not be installed beside 8.1.RC1", "fix": "uninstall it"}]
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
  sample: /var/lib/npudoctor/logs/toolkit-20261130T020000Z.log
"""

import contextlib
import os
import re
import shutil

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.npudoctor.ascend.plugins.module_utils.cann import (
    current,
    link_of,
    others_of_old_layout,
    trees,
)
from ansible_collections.npudoctor.ascend.plugins.module_utils.cann_component import CannComponent, cann_spec
from ansible_collections.npudoctor.ascend.plugins.module_utils.cann_versions import has_new_layout
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Done, blocker, run
from ansible_collections.npudoctor.ascend.plugins.module_utils.links import point
from ansible_collections.npudoctor.ascend.plugins.module_utils.toolkit_parts import (
    SWITCH,
    UNINSTALL,
    left_over,
    steps,
)


class Toolkit(CannComponent):
    """The CANN in use."""

    name = "toolkit"
    pattern = re.compile(r"^Ascend-cann(-toolkit)?_")

    def look(self):
        found = trees(self.ascend)
        now = current(found)
        return {
            "version": now.version if now else "",
            "layout": now.layout if now else "",
            "folder": now.folder if now else "",
            "missing": (now.missing + self.cut_off()) if now else [],
            "versions": [tree.version for tree in found],
            "partial": [tree.folder for tree in found if not tree.whole and not tree.in_use],
        }

    def differences(self, now, back):
        if back and not self.wanted(back) and now["partial"]:
            now = dict(now, missing=now["partial"])
        return super().differences(now, back)

    def blockers(self, now, back):
        wanted = self.wanted(back)
        if not wanted:
            return []
        others = [tree.folder for tree in self._left_over(wanted)]
        if has_new_layout(wanted):
            others += others_of_old_layout(self.ascend)
        words = "CANN {0} may not be installed beside {1}".format(wanted, ", ".join(others))
        fix = "uninstall them by their script/uninstall.sh, or set toolkit_remove_others"
        return super().blockers(now, back) + ([blocker("old-cann", words, fix)] if others else [])

    def change(self, now, differences, back):
        self.remember(now, back)
        wanted = self.wanted(back)
        found = trees(self.ascend)
        if self.params["remove_others"]:
            for tree in left_over(found, wanted):
                self._uninstall(tree, back)
        done = Done()
        for verb, tree in steps(found, wanted, self._can_upgrade(back)):
            done = self._step(verb, tree, back)
        return done

    def _step(self, verb, tree, back):
        if verb == SWITCH:
            point(link_of(self.ascend, tree.layout), tree.folder)
            return Done()
        if verb == UNINSTALL:
            return self._uninstall(tree, back)
        whitelist = self.params["whitelist"]
        return self.install(verb, back, *(["--whitelist=" + whitelist] if whitelist else []))

    def _uninstall(self, tree, back):
        """A part that was left by an installer that died has no script: it goes with its folder."""
        if not tree.whole and not tree.uninstaller():
            shutil.rmtree(tree.folder)
            self._drop_link(tree)
            return Done()
        return self.uninstall(tree.uninstaller(), tree.version, back)

    def _drop_link(self, tree):
        link = link_of(self.ascend, tree.layout)
        if os.path.islink(link) and not os.path.exists(link):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(link)

    def _left_over(self, wanted):
        return [] if self.params["remove_others"] else left_over(trees(self.ascend), wanted)

    def _can_upgrade(self, back):
        given = self.params["previous" if back else "packages"]
        return not any(each["name"].startswith("Ascend-cann_") for each in given)


def main():
    spec = cann_spec(
        remove_others={"type": "bool", "default": False},
        whitelist={"type": "str", "default": ""},
    )
    run(Toolkit(AnsibleModule(argument_spec=spec, supports_check_mode=True)))


if __name__ == "__main__":
    main()

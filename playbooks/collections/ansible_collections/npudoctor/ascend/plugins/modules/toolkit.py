#!/usr/bin/python
# Copyright: the npudoctor project
# Apache-2.0 (see LICENSE)

"""The CANN toolkit, in the layout up to 8.3 and in that from 8.5 on."""

from __future__ import annotations

DOCUMENTATION = r"""
module: toolkit
short_description: Bring the CANN toolkit to a version, or back
version_added: 0.1.0
description:
  - Reads which CANN lies below O(install_path), in the layout up to 8.3 (C(ascend-toolkit/V)) and in that from 8.5 on (C(cann-V)).
  - Installs, upgrades or, as no version of CANN can be downgraded, uninstalls and installs, by the vendor's own package.
  - An upgrade takes the operator packages away; M(npudoctor.ascend.ops) brings them again.
  - The package is verified by size and SHA-256 right before it runs, and runs in a unit of its own that outlives a lost connection.
author:
  - The npudoctor project (@npudoctor)
options:
  version:
    description:
      - The version to have, V(8.5.0), V(8.3.RC1). Taken from the name of the package where it is not given.
    type: str
    default: ""
  remove_others:
    description:
      - Uninstall other versions of the layout up to 8.3 too. From 8.5 on none may be left, or the installation can fail.
      - Without it they are named as a blocker.
    type: bool
    default: false
extends_documentation_fragment:
  - npudoctor.ascend.cann
  - npudoctor.ascend.component
"""

EXAMPLES = r"""
- name: Have CANN 8.5.0
  npudoctor.ascend.toolkit:
    version: 8.5.0
    packages:
      - name: Ascend-cann-toolkit_8.5.0_linux-aarch64.run
        sha256: 9b2f5bd0f6a5bb4f6e8e1c62cbb6a0b9f8a2b3a4c1f0d5e6978897a6b5c4d3e2
        size: 1288490188

- name: Say what would be done, and what is in the way
  npudoctor.ascend.toolkit:
    verb: plan
    version: 8.5.0
"""

RETURN = r"""
before:
  description: What was found.
  returned: always
  type: dict
  contains:
    version:
      description: The CANN in use; empty where there is none.
      type: str
    layout:
      description: V(old) up to 8.3, V(new) from 8.5 on; empty where there is none.
      type: str
    folder:
      description: Its folder.
      type: str
    missing:
      description: What a whole one has and this one lacks.
      type: list
      elements: str
    versions:
      description: All that lie there, the one in use among them.
      type: list
      elements: str
    partial:
      description: Folders of versions that are there in part and not in use.
      type: list
      elements: str
"""

import contextlib
import os
import re
import shutil

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.npudoctor.ascend.plugins.module_utils.cann import (
    Tree,
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

    def look(self) -> dict:
        found = trees(self.ascend)
        now = current(found)
        return {
            "version": now.version if now else "",
            "layout": now.layout if now else "",
            "folder": now.folder if now else "",
            "missing": now.missing if now else [],
            "versions": [tree.version for tree in found],
            "partial": [tree.folder for tree in found if not tree.whole and not tree.in_use],
        }

    def differences(self, now: dict, back: bool) -> list:
        if back and not self.wanted(back) and now["partial"]:
            now = dict(now, missing=now["partial"])
        return super().differences(now, back)

    def blockers(self, now: dict, back: bool) -> list:
        wanted = self.wanted(back)
        if not wanted:
            return []
        others = [tree.folder for tree in self._left_over(wanted)]
        if has_new_layout(wanted):
            others += others_of_old_layout(self.ascend)
        words = "CANN {0} may not be installed beside {1}".format(wanted, ", ".join(others))
        fix = "uninstall them by their script/uninstall.sh, or set toolkit_remove_others"
        return super().blockers(now, back) + ([blocker("old-cann", words, fix)] if others else [])

    def change(self, now: dict, differences: list, back: bool) -> Done:
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

    def _step(self, verb: str, tree: Tree, back: bool) -> Done:
        if verb == SWITCH:
            point(link_of(self.ascend, tree.layout), tree.folder)
            return Done()
        if verb == UNINSTALL:
            return self._uninstall(tree, back)
        return self.install(verb, back)

    def _uninstall(self, tree: Tree, back: bool) -> Done:
        """A part that was left by an installer that died has no script: it goes with its folder."""
        if not tree.whole and not tree.uninstaller():
            shutil.rmtree(tree.folder)
            self._drop_link(tree)
            return Done()
        return self.uninstall(tree.uninstaller(), tree.version, back)

    def _drop_link(self, tree: Tree) -> None:
        link = link_of(self.ascend, tree.layout)
        if os.path.islink(link) and not os.path.exists(link):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(link)

    def _left_over(self, wanted: str) -> list:
        return [] if self.params["remove_others"] else left_over(trees(self.ascend), wanted)

    def _can_upgrade(self, back: bool) -> bool:
        given = self.params["previous" if back else "packages"]
        return not any(each["name"].startswith("Ascend-cann_") for each in given)


def main() -> None:
    """Run the module."""
    spec = cann_spec(remove_others={"type": "bool", "default": False})
    run(Toolkit(AnsibleModule(argument_spec=spec, supports_check_mode=True)))


if __name__ == "__main__":
    main()

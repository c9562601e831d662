#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""What a host lacks before its NPU software can be changed, and what is in the way."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: preflight
short_description: Look at what a change of the NPU software needs, and what is in its way
version_added: 1.0.0
description:
  - Never changes the host. What is missing (packages, the account) is named, and the role C(preflight) adds it.
  - What is in the way is a blocker with a stable key, the evidence and the fix.
options:
  verb:
    description: V(probe) names all of it; V(verify) fails where a blocker is left that O(proceed) does not name.
    type: str
    choices: [probe, verify]
    default: verify
  root:
    description: Where the file system of the host begins.
    type: path
    default: /
  user:
    description: The account that owns the driver.
    type: str
    default: HwHiAiUser
  group:
    description: Its group.
    type: str
    default: HwHiAiUser
  driver_version:
    description: The driver that is to be installed; empty where it is not changed.
    type: str
    default: ''
  chip:
    description: The family of its NPUs, as in V(910b); some rules of the hardware are for V(910b) alone.
    type: str
    default: ''
  space:
    description: Room that is needed.
    type: list
    elements: dict
    default: []
    suboptions:
      path:
        description: Where; the nearest folder that is there counts.
        type: path
        required: true
      mb:
        description: Megabytes.
        type: int
        required: true
  build:
    description: Whether the driver is built on this host, so that compiler and headers are needed.
    type: bool
    default: true
  mended:
    description: Keys that somebody mends before the change; in check mode the role names those that it would mend.
    type: list
    elements: str
    default: []
  proceed:
    description: Keys of blockers that are known and do not count.
    type: list
    elements: str
    default: []
attributes:
  check_mode:
    description: It changes nothing anyway.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
author: The npudoctor project (@npudoctor)
"""

EXAMPLES = r"""
- name: See what is in the way of driver 25.5.0
  npudoctor.ascend.preflight:
    driver_version: 25.5.0
    space:
      - {path: /usr/local/Ascend, mb: 300}
    proceed: [secure-boot]
"""

RETURN = r"""
blockers:
  description: What is in the way.
  returned: always
  type: list
  elements: dict
  sample: [{"key": "no-space", "message": "/usr/local/Ascend has 12 MB, needs 300 MB", "fix": "make room"}]
packages:
  description: Packages of the distribution that are missing.
  returned: always
  type: list
  elements: str
  sample: [dkms, linux-headers-5.15.0-130-generic]
account:
  description: Which of the account's parts are missing, V(user) or V(group).
  returned: always
  type: list
  elements: str
  sample: [user]
before:
  description: What was seen.
  returned: always
  type: dict
  sample: {"running": "5.15.0-130-generic", "next": "5.15.0-131-generic", "family": "debian"}
"""

import grp
import os
import platform
import pwd

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.npudoctor.ascend.plugins.module_utils import kernels, npus
from ansible_collections.npudoctor.ascend.plugins.module_utils.anti_rollback import least_driver, too_old_firmware
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import blocker
from ansible_collections.npudoctor.ascend.plugins.module_utils.distributions import distribution
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import State, read_text

_ARCHES = ("x86_64", "aarch64")
_ROOTOK = "pam_rootok.so"
_SPACE = {"path": {"type": "path", "required": True}, "mb": {"type": "int", "required": True}}


class Preflight:
    """Everything that is looked at, once."""

    def __init__(self, params):
        self.params = params
        self.state = State(params["root"])
        self.distribution = distribution(self.state)
        self.running = kernels.running()
        self.next = kernels.next_kernel(self.state)
        self.tools = self.distribution.missing_tools() if params["build"] else {}
        boots = list(dict.fromkeys(filter(None, (self.running, self.next))))
        self.bare = kernels.without_headers(self.state, boots) if params["build"] else []

    def packages(self):
        """Packages of the distribution that are missing."""
        headers = [name for kernel in self.bare for name in self.distribution.headers(kernel)]
        return sorted(set(list(self.tools.values()) + headers))

    def account(self):
        """What is missing of the account."""
        found = (("group", grp.getgrnam, "group"), ("user", pwd.getpwnam, "user"))
        return [part for part, look, option in found if not _there(look, self.params[option])]

    def blockers(self):
        """All that is in the way, in the order in which a person would mend it."""
        found = self._system() + self._account() + self._build() + self._room() + self._npus()
        return [each for each in found if each["key"] not in self.params["mended"]]

    def _system(self):
        found = []
        machine = platform.machine()
        if machine not in _ARCHES:
            found.append(
                blocker(
                    "unsupported-arch", "the host is {0}".format(machine), "the vendor builds for x86_64 and aarch64"
                )
            )
        if not self.distribution.family:
            words = "{0} is of no family that is known".format(self.distribution.id or "the distribution")
            found.append(blocker("unsupported-os", words, "see the vendor's list of systems"))
        if kernels.secure_boot(self.state):
            words = "Secure Boot is on: the driver's modules are not loaded unless they are signed"
            found.append(blocker("secure-boot", words, "sign them and enrol the key, or turn Secure Boot off"))
        return found

    def _account(self):
        found = []
        missing = self.account()
        if missing:
            words = "no {0} {1}".format(" and no ".join(missing), self.params["user"])
            found.append(blocker("no-account", words, "groupadd and useradd -m, before the driver"))
        path = self.state.host("/etc/pam.d/su")
        if os.path.exists(path) and not _lets_root(read_text(path)):
            words = "/etc/pam.d/su does not let root become another user without a password; the installer does so"
            found.append(blocker("pam-su", words, "add `auth sufficient pam_rootok.so` as its first line"))
        return found

    def _build(self):
        found = []
        if self.tools:
            words = "missing: {0}".format(", ".join(sorted(self.tools)))
            found.append(blocker("build-tools", words, "install {0}".format(" ".join(sorted(self.tools.values())))))
        for kernel in self.bare:
            which = "that runs" if kernel == self.running else "that the next boot starts"
            words = "no headers for kernel {0}, {1}".format(kernel, which)
            fix = "install {0}".format(" ".join(self.distribution.headers(kernel)) or "its headers")
            found.append(blocker("kernel-headers", words, fix))
        return found

    def _room(self):
        found = []
        for row in _summed(self.state, self.params["space"]):
            free = _free_mb(row["folder"])
            if free < row["mb"]:
                words = "{0} has {1} MB free, needs {2} MB".format(row["path"], free, row["mb"])
                found.append(blocker("no-space", words, "make room there"))
        return found

    def _npus(self):
        found = []
        users = npus.users(self.state)
        if users:
            words = "NPUs are in use by {0}".format(", ".join(users))
            found.append(blocker("npu-in-use", words, "end them"))
        wanted = self.params["driver_version"]
        return found + self._refused(wanted, npus.Npus().boards) if wanted else found

    def _refused(self, wanted, boards):
        """Why the NPUs would not take the driver: the plan of npudoctor has the same keys for it."""
        found = []
        least = least_driver(self.state, wanted, boards, self.params["chip"])
        if least:
            words = "the NPUs take no driver older than {0}; {1} is wanted".format(least, wanted)
            found.append(blocker("anti-rollback", words, "take {0} or newer".format(least)))
        for firmware in too_old_firmware(wanted, boards, self.params["chip"]):
            words = "firmware {0} is of generation 11: driver 23.0.RC1 has to come first".format(firmware)
            found.append(blocker("needs-older-driver-first", words, "bring it to driver 23.0.RC1, then to this one"))
        return found


def _there(look, name):
    try:
        look(name)
    except KeyError:
        return False
    return True


def _lets_root(text):
    return any(_ROOTOK in line for line in text.splitlines() if not line.lstrip().startswith("#"))


def _summed(state, rows):
    """What is needed on each file system: rows of one share their room."""
    found = {}
    for row in rows:
        folder = _nearest(state.host(row["path"]))
        each = found.setdefault(os.stat(folder).st_dev, {"path": row["path"], "folder": folder, "mb": 0})
        each["mb"] += row["mb"]
    return list(found.values())


def _nearest(path):
    while not os.path.isdir(path):
        path = os.path.dirname(path)
    return path


def _free_mb(folder):
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize >> 20


def main():
    text = {"type": "str", "default": ""}
    words = {"type": "list", "elements": "str", "default": []}
    module = AnsibleModule(
        argument_spec={
            "verb": {"type": "str", "default": "verify", "choices": ["probe", "verify"]},
            "root": {"type": "path", "default": "/"},
            "user": dict(text, default="HwHiAiUser"),
            "group": dict(text, default="HwHiAiUser"),
            "driver_version": text,
            "chip": text,
            "space": {"type": "list", "elements": "dict", "default": [], "options": _SPACE},
            "build": {"type": "bool", "default": True},
            "mended": words,
            "proceed": dict(words),
        },
        supports_check_mode=True,
    )
    found = Preflight(module.params)
    blockers = found.blockers()
    seen = {"running": found.running, "next": found.next, "family": found.distribution.family}
    answer = {"blockers": blockers, "packages": found.packages(), "account": found.account(), "before": seen}
    left = [each for each in blockers if each["key"] not in module.params["proceed"]]
    if left and module.params["verb"] == "verify":
        lines = ["{key}: {message} ({fix})".format(**each) for each in left]
        module.fail_json(msg="; ".join(lines), changed=False, **answer)
    module.exit_json(changed=False, **answer)


if __name__ == "__main__":
    main()

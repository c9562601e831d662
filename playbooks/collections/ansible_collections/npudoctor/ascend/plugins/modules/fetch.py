#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""Packages, fetched into the store of a host."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: fetch
short_description: Fetch packages into the store of a host, by their digest
version_added: 1.0.0
description:
  - Tries places in order. A download that broke off goes on where it ended; it is hashed while it is written.
  - A place that gives other bytes than the manifest names is passed over for the rest of the call, and the bytes are
    set aside.
  - A package that is there is not read again as long as size, time and inode are those of when it was hashed.
options:
  packages:
    description: What is needed.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: File name.
        type: str
        required: true
      sha256:
        description: SHA-256, 64 hex digits.
        type: str
        required: true
      size:
        description: Bytes.
        type: int
        required: true
  sources:
    description: Places, V(file:///…) or V(http://…), that hold packages as V(sha256/ab/abcd…) or by their name.
    type: list
    elements: str
    default: []
  token:
    description: Sent to V(http://) places, where they ask for one.
    type: str
    default: ''
  megabytes_per_second:
    description: The most that is taken from the network; 0 for as fast as it goes.
    type: float
    default: 0
  rehash:
    description: Read what is there again, whatever was recorded.
    type: bool
    default: false
  root:
    description: Where the file system of the host begins.
    type: path
    default: /
attributes:
  check_mode:
    description: Says what would be fetched.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
author: The npudoctor project (@npudoctor)
"""

EXAMPLES = r"""
- name: Stage the firmware
  npudoctor.ascend.fetch:
    packages:
      - name: Ascend-hdk-910b-npu-firmware_7.8.0.5.216.run
        sha256: 9a343b0931126a20f133d67c2b018a3b5e2f4d4f9b0f7f4ac2f4a7f9f2d1c3e4
        size: 33554432
    sources:
      - file:///mnt/shared/store
      - http://mirror.example.net/store
"""

RETURN = r"""
fetched:
  description: What was fetched, and where from.
  returned: always
  type: list
  elements: dict
  sample: [{"name": "Ascend-hdk-910b-npu-firmware_7.8.0.5.216.run", "source": "file:///mnt/shared/store", "bytes": 33554432}]
missing:
  description: What was not there before.
  returned: always
  type: list
  elements: str
  sample: [Ascend-hdk-910b-npu-firmware_7.8.0.5.216.run]
distrusted:
  description: Places that gave bad bytes.
  returned: always
  type: list
  elements: str
  sample: []
blockers:
  description: What is in the way.
  returned: always
  type: list
  elements: dict
  sample: []
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Failure
from ansible_collections.npudoctor.ascend.plugins.module_utils.package import PACKAGES_SPEC
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import State
from ansible_collections.npudoctor.ascend.plugins.module_utils.store import Store


def main():
    module = AnsibleModule(
        argument_spec={
            "packages": dict(PACKAGES_SPEC, default=[]),
            "sources": {"type": "list", "elements": "str", "default": []},
            "token": {"type": "str", "default": "", "no_log": True},
            "megabytes_per_second": {"type": "float", "default": 0},
            "rehash": {"type": "bool", "default": False},
            "root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    given = module.params
    store = Store(State(given["root"]), given["megabytes_per_second"] * 1e6, given["token"])
    missing = [each for each in given["packages"] if not store.has(each, given["rehash"])]
    answer = {
        "missing": [each["name"] for each in missing],
        "fetched": [],
        "distrusted": store.distrusted,
        "blockers": [],
    }
    if not module.check_mode:
        _fetch(module, store, missing, answer)
    module.exit_json(changed=bool(missing), **answer)


def _fetch(module, store, missing, answer):
    try:
        for package in missing:
            answer["fetched"].append(store.fetch(package, module.params["sources"]))
        for package in module.params["packages"]:
            store.remember(package)
    except Failure as failure:
        answer.update(blockers=[failure.blocker])
        module.fail_json(msg=str(failure), changed=bool(answer["fetched"]), **answer)


if __name__ == "__main__":
    main()

#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""The Ascend runtime of Docker."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: ascend_runtime
short_description: Install the Ascend runtime of Docker
version_added: 1.0.0
description:
  - Runs the vendor's installer, which is told that its licence is accepted. Another version that is there is removed first.
  - Of C(/etc/docker/daemon.json) only the runtime's own entries change, whatever the installer does to the file.
  - Done is what C(docker info) lists. Docker reads its configuration again for that; it is restarted only where that is
    not enough, and under the rule of O(docker_restart).
options:
  version:
    description: The version wanted, with or without a leading C(v).
    type: str
    default: ''
  packages:
    description: The package of O(version); only the first counts.
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
  previous_version:
    description: The version that O(verb=undo) brings back; V(absent) where there was none.
    type: str
    default: ''
  previous:
    description: The package of O(previous_version).
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
  install_path:
    description: The folder in which C(Ascend-Docker-Runtime) lies.
    type: path
    default: /usr/local/Ascend
  install_type:
    description: Only for edge products, as the vendor names them.
    type: str
    choices: ['', A500, A500A2, A200ISoC, A200IA2, A200]
    default: ''
  default_runtime:
    description: Whether containers that name no runtime use it, as the vendor's installer has it.
    type: bool
    default: true
  docker_restart:
    description: Restart Docker where that is needed, although containers run and live-restore is off.
    type: bool
    default: false
  seconds:
    description: How long the installer may run.
    type: int
    default: 600
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
- name: Install the Ascend runtime
  npudoctor.ascend.ascend_runtime:
    version: 7.2.RC1
    packages:
      - name: Ascend-docker-runtime_7.2.RC1_linux-aarch64.run
        sha256: 0f343b0931126a20f133d67c2b018a3b5e2f4d4f9b0f7f4ac2f4a7f9f2d1c3e4
        size: 17825792
"""

RETURN = r"""
before:
  description: What was there.
  returned: always
  type: dict
  sample: {"version": "absent", "docker": "24.0.7"}
after:
  description: What is there now.
  returned: always
  type: dict
  sample: {"version": "7.2.RC1", "docker": "24.0.7", "runtimes": ["ascend", "runc"]}
differences:
  description: What differed.
  returned: always
  type: list
  elements: dict
  sample: [{"what": "ascend_runtime.version", "before": "absent", "after": "7.2.RC1", "why": "the stack wants it"}]
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
  sample: [{"key": "no-docker", "message": "Docker is not on this host", "fix": "the role docker installs it"}]
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
from ansible_collections.npudoctor.ascend.plugins.module_utils.runtime_component import AscendRuntime, runtime_spec


def main():
    run(AscendRuntime(AnsibleModule(argument_spec=runtime_spec(), supports_check_mode=True)))


if __name__ == "__main__":
    main()

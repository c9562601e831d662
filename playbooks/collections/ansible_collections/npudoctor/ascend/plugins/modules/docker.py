#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""Docker's engine."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: docker
short_description: Install Docker's engine and merge its configuration
version_added: 1.0.0
description:
  - Installs the engine where there is none, from given packages or from the repositories of the system, in a version
    that the Ascend tools name (18.09 to 28.5.1). An engine that is there is not replaced.
  - Entries of C(/etc/docker/daemon.json) are merged; all others stay. A file that is no valid JSON is an error, and is
    not written.
  - Docker is not restarted while containers run, unless live-restore is on or O(docker_restart) is set. It then reads
    its configuration again, and the rest counts from its next start on.
options:
  packages:
    description: The engine's packages, and those that they need; empty takes the repositories of the system.
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
  names:
    description: Names of the engine's package in the repositories, best first; empty takes the usual ones.
    type: list
    elements: str
    default: []
  config:
    description: Entries of C(daemon.json) by name, each as a whole.
    type: dict
    default: {}
  stack_kb:
    description: The soft stack limit that containers get, in KiB; V(0) leaves it alone. A higher one stays.
    type: int
    default: 16384
  any_version:
    description: Accept an engine of any version.
    type: bool
    default: false
  docker_restart:
    description: Restart Docker where that is needed, although containers run and live-restore is off.
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
- name: See that Docker is there and containers outlive its restart
  npudoctor.ascend.docker:
    config:
      live-restore: true
"""

RETURN = r"""
before:
  description: What was there.
  returned: always
  type: dict
  sample: {"version": "absent"}
after:
  description: What is there now.
  returned: always
  type: dict
  sample: {"version": "24.0.7", "running": true, "containers": 0, "live_restore": false}
differences:
  description: What differed.
  returned: always
  type: list
  elements: dict
  sample: [{"what": "docker.version", "before": "absent", "after": "24.0.7", "why": "containers need an engine"}]
reboot:
  description: Whether the host must be rebooted before what is on disk counts, and why.
  returned: always
  type: dict
  sample: {"required": false, "reasons": []}
undo:
  description: How far this can be taken back.
  returned: always
  type: str
  sample: files
blockers:
  description: What is in the way.
  returned: always
  type: list
  elements: dict
  sample: [{"key": "docker-version", "message": "Docker 29.0.0 is not one that the Ascend tools name", "fix": "install another"}]
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
from ansible_collections.npudoctor.ascend.plugins.module_utils.docker_component import DockerComponent, docker_spec


def main():
    run(DockerComponent(AnsibleModule(argument_spec=docker_spec(), supports_check_mode=True)))


if __name__ == "__main__":
    main()

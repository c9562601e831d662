#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""The environment of CANN for logins and services."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: environment
short_description: Give logins and services the environment of CANN
version_added: 1.0.0
description:
  - Logins source C(set_env.sh) of the toolkit and of NNAL, through C(/etc/profile.d/npudoctor-ascend.sh).
  - Services get C(/etc/npudoctor/ascend.env), which holds what those scripts set when they are sourced once on this host,
    and a drop-in for each unit in O(units).
  - Files of others stay as they are. A left-over C(ASCEND_LAUNCH_BLOCKING=1), and other places that source
    C(set_env.sh), are named in RV(before) and as warnings.
options:
  install_path:
    description: Where CANN is installed.
    type: path
    default: /usr/local/Ascend
  cann_version:
    description:
      - Which layout counts. From 8.5 on C(cann/set_env.sh), before C(ascend-toolkit/set_env.sh).
      - Empty takes the one that is there, the newer one first.
    type: str
    default: ''
  nnal_abi:
    description: The C++ ABI that C(nnal/atb/set_env.sh) is told, as torch was built; empty lets it ask torch at each login.
    type: str
    choices: ['', '0', '1']
    default: ''
  variables:
    description: Variables beside those of the scripts, as pool settings. In a login they only fill what is not set.
    type: dict
    default: {PYTORCH_NPU_ALLOC_CONF: 'expandable_segments:True'}
  logins:
    description: Whether logins get the environment.
    type: bool
    default: true
  services:
    description: Whether the file for services is written.
    type: bool
    default: true
  units:
    description: Services that read that file from their next start on, without C(.service).
    type: list
    elements: str
    default: []
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
- name: Give logins and the serving unit the environment of CANN
  npudoctor.ascend.environment:
    cann_version: 8.5.0
    nnal_abi: "1"
    units:
      - vllm
"""

RETURN = r"""
before:
  description: What was there.
  returned: always
  type: dict
  sample: {"logins": "(no file)", "left_over": []}
after:
  description: What is there now.
  returned: always
  type: dict
  sample: {"logins": "8 lines", "scripts": ["/usr/local/Ascend/cann/set_env.sh"], "left_over": []}
differences:
  description: What differed.
  returned: always
  type: list
  elements: dict
  sample: [{"what": "environment.logins", "before": "(no file)", "after": "8 lines", "why": "logins need the paths of CANN"}]
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
  sample: [{"key": "no-cann", "message": "no set_env.sh of CANN is there", "fix": "install the toolkit first"}]
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
from ansible_collections.npudoctor.ascend.plugins.module_utils.login_environment import Environment, environment_spec


def main():
    run(Environment(AnsibleModule(argument_spec=environment_spec(), supports_check_mode=True)))


if __name__ == "__main__":
    main()

#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""A virtual environment with torch and torch_npu."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: python_env
short_description: Have a virtual environment with torch and torch_npu
version_added: 1.0.0
description:
  - Makes an environment beside the present one and switches the link C(current) to it when it is whole and C(pip check)
    finds that its packages fit each other. Going back is a switch of the link.
  - Each wheel is verified by its SHA-256 where one is given, and opened before pip sees it. The placeholders that the
    public Python index holds under names of the Ascend stack are refused, and so are a torch, torch_npu or
    triton_ascend without its native library for this machine.
  - pip gets no index unless O(index_url) names one, whatever the host's own configuration says. Sources are never built.
options:
  path:
    description: The folder of the environments. Services use C(current) in it.
    type: path
    default: /opt/npudoctor/python
  python:
    description: The interpreter to make it with, a name or a path. Empty to find one of O(python_version).
    type: str
    default: ''
  python_version:
    description: The Python wanted, V(3.11). Empty for that of C(python3).
    type: str
    default: ''
  packages:
    description: Wheels to install from. Where O(requirements) is empty, all of them are installed.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: File name; its tags must fit the interpreter.
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
  requirements:
    description:
      - What to install, as V(name==version), or V(name) for whichever version there is.
      - What CANN's own Python parts import is installed too, as far as there are wheels of it.
    type: list
    elements: str
    default: []
  wheelhouse:
    description: A folder on the host with more wheels, for O(requirements) and for what the wheels need.
    type: str
    default: ''
  index_url:
    description: An index to fetch those from. A password for it belongs into C(~/.netrc) of the host.
    type: str
    default: ''
  keep:
    description: How many environments to keep, the one in use among them.
    type: int
    default: 2
  previous_version:
    description: What O(verb=undo) brings back; V(absent) for none, otherwise the environment that was in use before the last change.
    type: str
    default: ''
  seconds:
    description: How long one call of pip may take.
    type: int
    default: 3600
extends_documentation_fragment:
  - npudoctor.ascend.component
attributes:
  check_mode:
    description: Answers as it would, changes nothing.
    support: full
  diff_mode:
    description: Shows the environment as it is and as it will be.
    support: full
author: The npudoctor project (@npudoctor)
"""

EXAMPLES = r"""
- name: Have torch_npu 2.7.1 with what it needs from a folder of the host
  npudoctor.ascend.python_env:
    python_version: '3.11'
    packages:
      - name: torch_npu-2.7.1.post1-cp311-cp311-manylinux_2_28_aarch64.whl
        sha256: 7c6b5a49382716050f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a6978
        size: 20971520
    requirements:
      - torch==2.7.1
      - torch_npu==2.7.1.post1
    wheelhouse: /srv/wheels
  register: python_env_result
"""

RETURN = r"""
before:
  description: The environment as it was. C(lacks) are packages that CANN's own Python parts import and that are not in it.
  returned: always
  type: dict
  sample: {"version": "2.5.1", "generation": "gen-91d0c4aa5e12", "python": "3.11.7", "missing": [], "lacks": []}
after:
  description: The environment as it is now.
  returned: always
  type: dict
  sample: {"version": "2.7.1.post1", "generation": "gen-3f2a9c01b7de", "python": "3.11.7", "missing": [], "lacks": []}
differences:
  description: What differed.
  returned: always
  type: list
  elements: dict
  sample: [{"what": "python_env", "before": "absent", "after": "torch_npu 2.7.1.post1 (gen-3f2a9c01b7de)", "why": "…"}]
reboot:
  description: Whether the host must be rebooted. This never needs it.
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
  sample: [{"key": "python-missing", "message": "there is no Python 3.11", "fix": "install it"}]
problems:
  description: What O(verb=verify) found.
  returned: always
  type: list
  elements: str
  sample: []
rc:
  description: What pip ended with.
  returned: always
  type: int
  sample: 0
log:
  description: The file on the host that holds all that pip printed; empty where it did not run.
  returned: always
  type: str
  sample: /var/lib/npudoctor/logs/python_env-20261130T020000Z.log
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import component_spec, run
from ansible_collections.npudoctor.ascend.plugins.module_utils.package import PACKAGES_SPEC
from ansible_collections.npudoctor.ascend.plugins.module_utils.python_environment import PythonEnvironment


def main():
    spec = component_spec(
        path={"type": "path", "default": "/opt/npudoctor/python"},
        python={"type": "str", "default": ""},
        python_version={"type": "str", "default": ""},
        packages=dict(PACKAGES_SPEC, default=[]),
        requirements={"type": "list", "elements": "str", "default": []},
        wheelhouse={"type": "str", "default": ""},
        index_url={"type": "str", "default": ""},
        keep={"type": "int", "default": 2},
        previous_version={"type": "str", "default": ""},
        seconds={"type": "int", "default": 3600},
    )
    run(PythonEnvironment(AnsibleModule(argument_spec=spec, supports_check_mode=True)))


if __name__ == "__main__":
    main()

#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""The container that serves a model."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: serving
short_description: Run the container that serves a model
version_added: 1.0.0
description:
  - Runs one container with the NPUs, the driver and a model of the host, as a service that comes back after a reboot.
  - Another image or other settings make another container. The one that runs is stopped and kept; where the new one is
    not ready in its time, or does not answer a request, the old one comes back and the module fails.
  - Before it starts, the devices and the model are looked at; what is wrong is a blocker, and nothing is stopped.
  - Not privileged. Capabilities only as O(capabilities) names them.
options:
  name:
    description: The container's name; the one before it is kept as C(<name>-previous).
    type: str
    default: npudoctor-serving
  image:
    description: The image.
    type: str
    required: true
  packages:
    description: The archive of O(image) (docker save), loaded where the image is not on the host; only the first counts.
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
  command:
    description: What runs in it; empty for what the image names.
    type: list
    elements: str
    default: []
  model:
    description: The model's folder on the host, mounted read-only; empty for none.
    type: path
    default: ''
  model_target:
    description: Where it is in the container.
    type: str
    default: /model
  chip:
    description: The chip family. Of V(A3) the two dies of a module go into one container.
    type: str
    default: ''
  devices:
    description: Numbers of the NPUs; empty for all that the host has.
    type: list
    elements: int
    default: []
  ascend_runtime:
    description: Whether the Ascend runtime brings devices and driver into it; else they are named one by one.
    type: bool
    default: false
  port:
    description: The port of the service, on the host as in the container.
    type: int
    default: 8000
  host_network:
    description: Whether it uses the host's network.
    type: bool
    default: false
  shm_size:
    description: Shared memory.
    type: str
    default: 16g
  stack_kb:
    description: The stack limit, in KiB.
    type: int
    default: 32768
  environment:
    description: "Variables. Secrets go into O(environment_file): these can be read in the container's settings."
    type: dict
    default: {}
  environment_file:
    description: A file on the host with C(NAME=value) lines; empty for none.
    type: path
    default: ''
  volumes:
    description: Further mounts, as C(docker run -v) takes them.
    type: list
    elements: str
    default: []
  user:
    description: User and group, C(1000:1000); empty for what the image names. The group that owns the NPUs is added.
    type: str
    default: ''
  capabilities:
    description: Capabilities to add, such as C(SYS_ADMIN).
    type: list
    elements: str
    default: []
  log_size:
    description: The most that one log file may hold.
    type: str
    default: 100m
  log_files:
    description: How many log files are kept.
    type: int
    default: 5
  restart_policy:
    description: When Docker starts it again.
    type: str
    choices: ['no', on-failure, always, unless-stopped]
    default: unless-stopped
  stop_seconds:
    description: How long a container that is replaced may take to end.
    type: int
    default: 60
  ready_path:
    description: What answers with 200 once it is ready.
    type: str
    default: /health
  ready_seconds:
    description: 'How long that may take: the first start compiles and loads.'
    type: int
    default: 1800
  request_path:
    description: Where a real request goes once it is ready; empty for none.
    type: str
    default: /v1/completions
  request_body:
    description: That request; without a C(model) the first one that the service lists is named.
    type: dict
    default: {prompt: Hello, max_tokens: 1}
  memory_plan:
    description:
      - What C(npudoctor accept memory --format json) says. Its options are added to a O(command) that begins with C(vllm),
        its variables to O(environment) of every other; what is given by hand stays.
    type: dict
    default: {}
extends_documentation_fragment:
  - npudoctor.ascend.component
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
- name: Serve a model on all NPUs
  npudoctor.ascend.serving:
    image: npudoctor/vllm-ascend:a2-cann8.5.0-vllm0.13.0
    model: /models/Qwen2.5-7B-Instruct
    user: 1000:1000

- name: Serve it on the two dies of one A3 module
  npudoctor.ascend.serving:
    image: npudoctor/vllm-ascend:a3-cann8.5.0-vllm0.13.0
    model: /models/Qwen2.5-7B-Instruct
    chip: A3
    devices: [0, 1]
"""

RETURN = r"""
before:
  description: What was there.
  returned: always
  type: dict
  sample: {"state": "running", "image": "npudoctor/vllm-ascend:a2-cann8.5.0-vllm0.13.0", "ready": true}
after:
  description: What is there now.
  returned: always
  type: dict
  sample: {"state": "running", "image": "npudoctor/vllm-ascend:a2-cann8.5.1-vllm0.18.0", "ready": true}
differences:
  description: What differed.
  returned: always
  type: list
  elements: dict
  sample: [{"what": "serving.shm_size", "before": "1g", "after": "16g", "why": "the service is to have it"}]
reboot:
  description: Whether the host must be rebooted before it counts; never.
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
  sample: [{"key": "model-incomplete", "message": "/models/m: model-00002-of-00004.safetensors is not there", "fix": ""}]
problems:
  description: What O(verb=verify) found.
  returned: always
  type: list
  elements: str
  sample: []
rc:
  description: Always 0; other components run installers.
  returned: always
  type: int
  sample: 0
log:
  description: The file on the host that holds the last lines of the container.
  returned: always
  type: str
  sample: /var/lib/npudoctor/logs/serving-npudoctor-serving.log
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import run
from ansible_collections.npudoctor.ascend.plugins.module_utils.serving_component import Serving, serving_spec


def main():
    run(Serving(AnsibleModule(argument_spec=serving_spec(), supports_check_mode=True)))


if __name__ == "__main__":
    main()

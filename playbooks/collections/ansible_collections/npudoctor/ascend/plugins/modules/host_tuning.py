#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""How a host that runs NPUs is tuned."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: host_tuning
short_description: Tune a host that runs NPUs
version_added: 1.0.0
description:
  - Stack limit of shells, services and containers; PCIe ASPM; kernel settings; transparent huge pages; governor;
    kernel packages held. Each can be switched off, and then goes back to what it was before.
  - What was there before the first change is kept in C(/var/lib/npudoctor/originals), each edited file in
    C(/var/lib/npudoctor/backup). What somebody else has changed since is left alone.
  - Of shared files only the own lines, words and entries are edited.
  - Docker is never restarted. Its entry counts from its next start on.
options:
  stack_kb:
    description: The soft stack limit in KiB. A higher one that is there stays.
    type: int
    default: 16384
  stack_of_shells:
    description: Whether logins get it, through C(/etc/security/limits.d).
    type: bool
    default: true
  stack_of_services:
    description: Whether services of systemd get it, by C(DefaultLimitSTACK).
    type: bool
    default: true
  stack_of_containers:
    description: Whether containers of Docker get it, by C(default-ulimits) in C(/etc/docker/daemon.json).
    type: bool
    default: true
  aspm:
    description:
      - V(disabled) puts C(pcie_aspm=off) on the command line of the kernel, which counts from the next boot on, and
        sets the policy of the running kernel to C(performance).
      - V(performance) sets that policy now and at each boot, and leaves the command line alone.
      - V(keep) leaves both alone.
    type: str
    choices: [disabled, performance, keep]
    default: disabled
  sysctl:
    description: Kernel settings by name, now and at each boot. Those that this kernel does not have are left out.
    type: dict
    default: {vm.swappiness: "1", kernel.numa_balancing: "0", kernel.sched_migration_cost_ns: "50000"}
  thp:
    description: Transparent huge pages; V(keep) leaves them alone.
    type: str
    choices: [always, madvise, never, keep]
    default: always
  governor:
    description: The governor of all processors; V(keep) leaves it alone.
    type: str
    default: performance
  hugepages:
    description: How many huge pages of the default size are set aside; V(-1) leaves that alone.
    type: int
    default: -1
  kernel_hold:
    description:
      - Whether the packages of the running kernel are held (C(apt-mark hold), C(dnf versionlock)), and the meta
        packages with them.
      - An update of the kernel would leave the driver's modules behind.
    type: bool
    default: true
  skip:
    description: Settings that this call neither makes nor puts back.
    type: list
    elements: str
    choices: [stack, aspm, sysctl, thp, governor, hugepages, kernel_hold]
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
- name: Tune the host
  npudoctor.ascend.host_tuning:
    verb: apply
    sysctl:
      vm.swappiness: 1
  register: host_tuning_result

- name: Put everything back
  npudoctor.ascend.host_tuning:
    verb: undo
"""

RETURN = r"""
before:
  description: What was there.
  returned: always
  type: dict
  sample: {"thp": "madvise", "pcie_aspm": "(not set)"}
after:
  description: What is there now.
  returned: always
  type: dict
  sample: {"thp": "always", "pcie_aspm": "pcie_aspm=off"}
differences:
  description: What differed.
  returned: always
  type: list
  elements: dict
  sample: [{"what": "host_tuning.thp", "before": "madvise", "after": "always", "why": "serving allocates much host memory"}]
reboot:
  description: Whether the host must be rebooted before what is on disk counts, and why.
  returned: always
  type: dict
  sample: {"required": true, "reasons": ["host_tuning: the kernel runs with no pcie_aspm, the next boot has pcie_aspm=off"]}
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
  sample: [{"key": "set-elsewhere", "message": "/etc/sysctl.conf:3 sets 60", "fix": "take that line out"}]
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
from ansible_collections.npudoctor.ascend.plugins.module_utils.tuning import Tuning, tuning_spec


def main():
    run(Tuning(AnsibleModule(argument_spec=tuning_spec(), supports_check_mode=True)))


if __name__ == "__main__":
    main()

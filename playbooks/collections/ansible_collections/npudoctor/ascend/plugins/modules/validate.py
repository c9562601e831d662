#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: validate
short_description: Look at every variable of a host before anything is done
version_added: 1.0.0
description:
  - Argument specifications do not see a misspelt name, and let an empty value pass. This does not.
  - A name that is almost one of ours is an error that names the one that is meant; V(npudoctor_known_variables)
    lists names that are right all the same.
  - Runs on the controller; the host is not asked.
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
- name: Check the variables
  npudoctor.ascend.validate:
"""

RETURN = r"""
problems:
  description: What is wrong, a sentence each.
  returned: always
  type: list
  elements: str
  sample: ["driver_verison is no variable of any role: is driver_version meant?"]
"""

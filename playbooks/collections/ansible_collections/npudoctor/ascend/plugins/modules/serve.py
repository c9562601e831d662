#!/usr/bin/python
# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""The store of a host, served to its neighbours."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: serve
short_description: Serve the package store of a host to others, for a while
version_added: 1.0.0
description:
  - Starts a small read-only HTTP server that gives packages by their digest to those who send a token.
  - It ends by itself after O(seconds).
options:
  state:
    description: Whether it serves.
    type: str
    choices: [present, absent]
    default: present
  address:
    description: The address to listen on.
    type: str
    default: 0.0.0.0
  port:
    description: The port to listen on.
    type: int
    default: 18760
  token:
    description: What the others must send; needed with O(state=present).
    type: str
    default: ''
  seconds:
    description: How long it serves, from now on.
    type: int
    default: 7200
  root:
    description: Where the file system of the host begins.
    type: path
    default: /
attributes:
  check_mode:
    description: Says whether it would start or stop it.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
author: The npudoctor project (@npudoctor)
"""

EXAMPLES = r"""
- name: Serve the rack
  npudoctor.ascend.serve:
    token: "{{ serve_token }}"
    seconds: 3600
"""

RETURN = r"""
port:
  description: Where it listens.
  returned: always
  type: int
  sample: 18760
"""

import inspect
import os
import sys
import time
import urllib.error
import urllib.request

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.npudoctor.ascend.plugins.module_utils import store_server
from ansible_collections.npudoctor.ascend.plugins.module_utils.detached import detach
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import State, read_json, write_json, write_whole

_UNIT = "npudoctor-serve"
_START = 10.0
_KEYS = ("address", "port", "token")


def main():
    module = AnsibleModule(
        argument_spec={
            "state": {"type": "str", "default": "present", "choices": ["present", "absent"]},
            "address": {"type": "str", "default": "0.0.0.0"},  # noqa: S104 (who may read is the token's matter)
            "port": {"type": "int", "default": 18760},
            "token": {"type": "str", "default": "", "no_log": True},
            "seconds": {"type": "int", "default": 7200},
            "root": {"type": "path", "default": "/"},
        },
        supports_check_mode=True,
    )
    state = State(module.params["root"])
    told = os.path.join(state.home, "serve.json")
    if module.params["state"] == "absent":
        _stop(module, told)
    if not module.params["token"]:
        module.fail_json(msg="no token is given: anybody could read the store; give one")
    _start(module, state, told)


def _stop(module, told):
    there = os.path.exists(told)
    if there and not module.check_mode:
        os.unlink(told)
    module.exit_json(changed=there, port=module.params["port"])


def _start(module, state, told):
    """A server that answers as it should is only given more time."""
    given = module.params
    same = all(read_json(told).get(key) == given[key] for key in _KEYS) and _answers(given["port"])
    if not module.check_mode:
        store = state.folder("store")
        wanted = {"folder": store, "until": time.time() + given["seconds"], **{key: given[key] for key in _KEYS}}
        if not same:
            _replace(module, state, told)
        write_json(told, wanted)
        if not same:
            detach(_UNIT, [sys.executable, os.path.join(state.home, "store_server.py"), told])
            _await(module)
    module.exit_json(changed=not same, port=given["port"])


def _replace(module, state, told):
    """End a server that listens with other words, and lay the program."""
    if os.path.exists(told):
        os.unlink(told)
        end = time.monotonic() + _START
        while _answers(module.params["port"]) and time.monotonic() < end:
            time.sleep(0.2)
    write_whole(os.path.join(state.home, "store_server.py"), inspect.getsource(store_server).encode())


def _await(module):
    end = time.monotonic() + _START
    while not _answers(module.params["port"]):
        if time.monotonic() > end:
            module.fail_json(msg="nothing listens on port {0}: is it taken by another?".format(module.params["port"]))
        time.sleep(0.2)


def _answers(port):
    """Whether something speaks HTTP there; it refuses, as no token is sent."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        opener.open("http://127.0.0.1:{0}/".format(port), timeout=2).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()

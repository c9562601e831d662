# Copyright: the npudoctor project
# SPDX-License-Identifier: Apache-2.0
# The Apache License can be combined with the GNU General Public License, version 3, of Ansible.

"""One line of JSON for what a program wants to know of each task, and nothing for people."""

from __future__ import annotations

DOCUMENTATION = """
name: jsonl
type: stdout
short_description: Writes one line of JSON for each task of each host
version_added: "1.0.0"
description:
  - Meant for programs. Each line is an object with C(event) (C(ok), C(failed), C(skipped), C(unreachable)), C(host),
    C(task), C(action), and of the result what component modules of this collection answer.
  - Of a task with C(no_log) only the event is told.
author: The npudoctor project (@npudoctor)
"""

import json
import sys

from ansible.plugins.callback import CallbackBase

_TOLD = (
    "changed",
    "msg",
    "before",
    "after",
    "differences",
    "reboot",
    "undo",
    "blockers",
    "problems",
    "rc",
    "log",
    "fetched",
    "distrusted",
    "port",
)


class CallbackModule(CallbackBase):
    """Writes the lines."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "npudoctor.ascend.jsonl"

    def v2_runner_on_ok(self, result):
        self._tell("ok", result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._tell("ignored" if ignore_errors else "failed", result)

    def v2_runner_on_skipped(self, result):
        self._tell("skipped", result)

    def v2_runner_on_unreachable(self, result):
        self._tell("unreachable", result)

    def _tell(self, event, result):
        answer = result._result
        hidden = answer.get("_ansible_no_log") or getattr(result._task, "no_log", False)
        told = {} if hidden else {key: answer[key] for key in _TOLD if key in answer}
        line = {
            "event": event,
            "host": result._host.get_name(),
            "task": result._task.get_name(),
            "action": result._task.action,
            "result": told,
        }
        sys.stdout.write(json.dumps(line, default=str) + "\n")
        sys.stdout.flush()

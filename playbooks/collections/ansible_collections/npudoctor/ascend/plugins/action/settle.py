"""Waits until a host is back from its reboot, and well."""

from __future__ import annotations

import contextlib
import time

from ansible.errors import AnsibleConnectionFailure, AnsibleError
from ansible.plugins.action import ActionBase

_DEFAULTS = {"seconds": 1800, "pause": 10, "times": 3}


class ActionModule(ActionBase):
    """Asks the host itself, again and again: a connection that breaks is what a reboot looks like."""

    _VALID_ARGS = frozenset((*_DEFAULTS, "before"))
    _requires_connection = False

    def run(self, tmp=None, task_vars=None):
        """Answer once the host has been well in one boot for several looks, or when the time is over."""
        result = super().run(tmp, task_vars)
        if self._task.check_mode:
            return dict(result, changed=False, boot_id="", seconds=0)
        wanted = {key: int(self._task.args.get(key, value)) for key, value in _DEFAULTS.items()}
        begin = time.monotonic()
        good, last = [], "it was not asked"
        while time.monotonic() < begin + wanted["seconds"]:
            look, last = self._look(task_vars)
            boot = look.get("boot_id", "")
            good = [*good, boot] if boot and set(good) <= {boot} else [boot] if boot else []
            if len(good) >= wanted["times"]:
                return dict(result, changed=False, boot_id=boot, seconds=int(time.monotonic() - begin))
            time.sleep(wanted["pause"])
        message = f"not well {wanted['seconds']} s after its reboot was asked for: {last}"
        return dict(result, failed=True, msg=message, seconds=wanted["seconds"])

    def _look(self, task_vars):
        """The boot where the host is well, else an empty mapping; and what was the matter."""
        with contextlib.suppress(AnsibleError, AttributeError, NotImplementedError):
            self._connection.reset()
        arguments = {"verb": "verify", "before": self._task.args["before"]}
        try:
            answer = self._execute_module("npudoctor.ascend.reboot", arguments, task_vars=task_vars)
        except (AnsibleConnectionFailure, AnsibleError) as error:
            return {}, f"it does not answer ({error})"
        if answer.get("failed") or answer.get("unreachable"):
            return {}, answer.get("msg") or "it does not answer"
        return answer["before"], ""

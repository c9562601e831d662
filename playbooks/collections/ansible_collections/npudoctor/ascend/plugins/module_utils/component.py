"""What every component module shares: verbs, common parameters, and the shape of its answer.

A component is a class with a few methods that look or act; `run` turns the verb into calls of them:

| verb   | changes the host    | answer                                                            |
| ------ | ------------------- | ----------------------------------------------------------------- |
| probe  | no                  | `before`                                                          |
| plan   | no                  | + `differences`, `blockers`                                       |
| apply  | yes                 | + `after`, `rc`, `log`, `reboot`; fails where a difference is left |
| verify | no                  | `problems`; fails where there are any                             |
| undo   | yes                 | as apply, back to what was there before                           |

In check mode apply and undo answer as they would, and change nothing.
"""

from __future__ import annotations

import os

from ansible_collections.npudoctor.ascend.plugins.module_utils.state import State, read_json

VERBS = ("probe", "plan", "apply", "verify", "undo")


class Failure(Exception):
    """What keeps a component from being changed: a stable key, what is wrong, and how to mend it."""

    def __init__(self, key: str, message: str, fix: str = "", **more: object) -> None:
        super().__init__(message)
        self.blocker = {"key": key, "message": message, "fix": fix}
        self.more = more


class Done:
    """What a change came to: the installer's code, where its words are, and why it wants a reboot."""

    def __init__(self, rc: int = 0, log: str = "", reasons: tuple = ()) -> None:
        self.rc = rc
        self.log = log
        self.reasons = tuple(reasons)


class Component:
    """One component of a host. A subclass says what is there, what differs, and how to change it.

    Attributes:
        name: As the role and the module.
        undo: How far a change can be taken back: `full`, `files` (only those that it laid) or `forward` (not at all).
        module: The AnsibleModule.
        params: Its parameters.
        state: The paths of the host.
    """

    name = ""
    undo = "full"

    def __init__(self, module) -> None:
        self.module = module
        self.params = module.params
        self.state = State(self.params["root"])

    def look(self) -> dict:
        """What is there, by names of its own; `version` is what is on disk, `running` what runs, where it has them."""
        raise NotImplementedError

    def differences(self, now: dict, back: bool) -> list:
        """What differs from what is wanted, or (`back`) from what was there before: see `difference`."""
        raise NotImplementedError

    def blockers(self, now: dict, back: bool) -> list:
        """What is in the way of a change: see `blocker`."""
        return []

    def change(self, now: dict, differences: list, back: bool) -> Done:
        """Make what differs as it is wanted, or (`back`) as it was. Raises Failure where it cannot."""
        raise NotImplementedError

    def reboot_reasons(self, now: dict) -> list:
        """Why the host must be rebooted before what is on disk runs, as a probe sees it."""
        return []

    def problems(self, now: dict) -> list:
        """What is not as it should be although nothing differs: sentences."""
        return []


def component_spec(**own: dict) -> dict:
    """The parameters of a component module: the common ones and its own."""
    return {
        "verb": {"type": "str", "default": "apply", "choices": list(VERBS)},
        "root": {"type": "path", "default": "/"},
        **own,
    }


def difference(what: str, before: str, after: str, why: str) -> dict:
    """One thing that differs: its name (`driver`, `host_tuning.pcie_aspm`), as it is, as it will be, one sentence."""
    return {"what": what, "before": before, "after": after, "why": why}


def blocker(key: str, message: str, fix: str) -> dict:
    """One thing in the way: a key that is stable for ever, what is wrong with its evidence, how to mend it."""
    return {"key": key, "message": message, "fix": fix}


def run(component: Component) -> None:
    """Do what the verb says and answer. Ends the module."""
    verb = component.params["verb"]
    try:
        answer = _VERBS[verb](component)
    except Failure as failure:
        answer = dict(_answer(component, {}, {}, []), blockers=[failure.blocker], **failure.more)
        component.module.fail_json(msg=_line(failure.blocker), **answer)
    component.module.exit_json(failed=False, **answer)  # an installer's code other than 0 is no failure by itself


def _probe(component: Component) -> dict:
    now = component.look()
    return _answer(component, now, now, [])


def _plan(component: Component) -> dict:
    back = False
    now = component.look()
    differences = component.differences(now, back)
    answer = _answer(component, now, now, differences)
    answer["blockers"] = component.blockers(now, back) if differences else []
    return answer


def _verify(component: Component) -> dict:
    now = component.look()
    answer = _answer(component, now, now, component.differences(now, False))
    wrong = ["{what} is {before}, wanted {after}".format(**each) for each in answer["differences"]]
    answer["problems"] = wrong + component.problems(now)
    if answer["problems"]:
        component.module.fail_json(msg="; ".join(answer["problems"]), **answer)
    return answer


def _change(component: Component, back: bool) -> dict:
    now = component.look()
    differences = component.differences(now, back)
    answer = _answer(component, now, now, differences)
    if not differences:
        _settle(component)
        return answer
    answer["blockers"] = component.blockers(now, back)
    if answer["blockers"]:
        component.module.fail_json(msg=_line(answer["blockers"][0]), **answer)
    answer["changed"] = True
    if component.module.check_mode:
        return answer
    _check_fence(component.state)
    done = component.change(now, differences, back)
    _settle(component)
    answer.update(_after(component, done, back))
    return answer


def _settle(component: Component) -> None:
    """A run of the installer that failed or was cut off counts no more: what it left has been put right."""
    from ansible_collections.npudoctor.ascend.plugins.module_utils import installer  # it needs this module

    if not component.module.check_mode:
        installer.settle(component.state, component.name)


def _check_fence(state: State) -> None:
    """Refuse where another run has taken the host over since this one was told to begin."""
    ours = os.environ.get("NPUDOCTOR_FENCE", "")
    lease = read_json(os.path.join(state.home, "lease"))
    if ours and lease.get("fence", 0) != int(ours):
        raise Failure("taken-over", "run {0} has taken this host over".format(lease.get("run", "?")))


def _after(component: Component, done: Done, back: bool) -> dict:
    after = component.look()
    left = component.differences(after, back)
    reasons = list(done.reasons) + component.reboot_reasons(after)
    found = {"after": after, "rc": done.rc, "log": done.log, "reboot": _reboot(reasons)}
    if left:
        words = ", ".join("{what} is {before}, wanted {after}".format(**each) for each in left)
        raise Failure(
            "half-changed",
            "{0} ran and ended with {1}, but {2}".format(component.name, done.rc, words),
            "read {0}".format(done.log) if done.log else "",
            **dict(found, differences=left, changed=True),
        )
    return found


_VERBS = {
    "probe": _probe,
    "plan": _plan,
    "verify": _verify,
    "apply": lambda component: _change(component, False),
    "undo": lambda component: _change(component, True),
}


def _answer(component: Component, before: dict, after: dict, differences: list) -> dict:
    return {
        "changed": False,
        "before": before,
        "after": after,
        "differences": differences,
        "reboot": _reboot(component.reboot_reasons(after) if after else []),
        "undo": component.undo,
        "blockers": [],
        "problems": [],
        "rc": 0,
        "log": "",
        "diff": {
            "before": "".join("{what}: {before}\n".format(**each) for each in differences),
            "after": "".join("{what}: {after}\n".format(**each) for each in differences),
        },
    }


def _reboot(reasons: list) -> dict:
    return {"required": bool(reasons), "reasons": list(dict.fromkeys(reasons))}


def _line(found: dict) -> str:
    return ": ".join(filter(None, (found["message"], found["fix"])))

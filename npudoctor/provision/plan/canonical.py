"""A plan as JSON (`npudoctor.plan/1`), back again, and the digest that it is known by."""

from __future__ import annotations

import hashlib
import json
from enum import Enum
from typing import TYPE_CHECKING, Any

from npudoctor.errors import UsageError
from npudoctor.finding import Action, Fix
from npudoctor.provision.planned import Blocker, Change, HostPlan, Outcome, Plan, Reboot, Step, Undo
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA = "npudoctor.plan/1"


def digest(content: Any) -> str:
    """SHA-256 of its canonical JSON: keys in order, no blanks, UTF-8."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def as_json(plan: Plan) -> dict[str, Any]:
    """The plan as plain data, with its own digest."""
    body = {
        "schema": SCHEMA,
        "stack": plan.stack,
        "wanted": plan.wanted,
        "made": plan.made,
        "summary": _summary(plan),
        "packages": [
            {"sha256": sha256, "name": name, "size_bytes": size}
            for sha256, (name, size) in plan.files.items()
        ],
        "hosts": [_plain(host) | _effort(host) for host in plan.hosts],
    }
    return body | {"sha256": digest(body)}


def of_json(content: Mapping[str, Any]) -> Plan:
    """The plan out of its JSON.

    Raises:
        UsageError: It is none, or somebody has changed it.
    """
    try:
        body = {key: value for key, value in content.items() if key != "sha256"}
        if content["schema"] != SCHEMA or content["sha256"] != digest(body):
            raise ValueError
        hosts = tuple(_host(host) for host in content["hosts"])
        files = {row["sha256"]: (row["name"], row["size_bytes"]) for row in content["packages"]}
        return Plan(content["stack"], dict(content["wanted"]), content["made"], hosts, files)
    except (ValueError, KeyError, TypeError):
        what = _("the plan is no plan of this version, or was changed by hand")
        raise UsageError(what, _("make a new one: npudoctor provision … --plan")) from None


def _summary(plan: Plan) -> dict[str, int]:
    outcomes = [host.outcome for host in plan.hosts]
    return {"hosts": len(outcomes)} | {one.value: outcomes.count(one) for one in Outcome}


def _file(sha256: str, name: str, size: int) -> dict[str, Any]:
    return {"sha256": sha256, "name": name, "size_bytes": size}


def _effort(host: HostPlan) -> dict[str, Any]:
    return {"minutes": host.minutes, "reboot": host.reboot.value}


def _plain(value: Any) -> Any:
    """A dataclass as what JSON knows."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Fix):
        return {"action": value.action.value, "summary": value.summary, "commands": list(value.commands)}
    if hasattr(value, "__match_args__"):
        return {name: _plain(getattr(value, name)) for name in value.__match_args__}
    return value


def _host(plain: Mapping[str, Any]) -> HostPlan:
    row = {name: plain[name] for name in HostPlan.__match_args__}
    return HostPlan(
        **{
            **row,
            "outcome": Outcome(row["outcome"]),
            "steps": tuple(map(_step, row["steps"])),
            "blockers": tuple(map(_blocker, row["blockers"])),
            "accepted": tuple(row["accepted"]),
        }
    )


def _step(plain: Mapping[str, Any]) -> Step:
    return Step(
        **{
            **plain,
            "changes": tuple(Change(**change) for change in plain["changes"]),
            "packages": tuple(plain["packages"]),
            "previous": tuple(plain["previous"]),
            "reboot": Reboot(plain["reboot"]),
            "undo": Undo(plain["undo"]),
        }
    )


def _blocker(plain: Mapping[str, Any]) -> Blocker:
    fix = plain["fix"]
    made = Fix(Action(fix["action"]), fix["summary"], tuple(fix["commands"]))
    return Blocker(plain["key"], plain["message"], made, plain["answer"])

"""The packages of a stack as JSON, which the playbooks take as it is (`ansible-playbook -e @FILE`)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from npudoctor.provision.packages.find import Found, State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from npudoctor.matrix.stacks import NamedStack

SCHEMA = "npudoctor.packages/1"


def packages_json(
    stack: NamedStack, arches: list[str], where: str, found: list[Found], sources: dict[str, str]
) -> dict[str, Any]:
    """What is needed, and for one architecture also the variables of the playbooks."""
    content: dict[str, Any] = {
        "schema": SCHEMA,
        "stack": stack.as_json(),
        "arches": arches,
        "packages": where,
        "needed": [_needed(one, sources.get(one.name, "")) for one in found],
        "npudoctor_stack": {"name": stack.name, "chip": stack.chip, "versions": stack.versions},
        "npudoctor_sources": [where if "://" in where else f"file://{os.path.abspath(where)}"],
    }
    if len(arches) == 1:
        content["npudoctor_packages"] = _by_component(found)
    return content


def _needed(one: Found, url: str) -> dict[str, Any]:
    return {
        "component": one.need.component,
        "version": one.need.version,
        "chip": one.need.file.chip or None,
        "arch": one.need.file.arch or None,
        "name": one.name,
        "optional": one.need.file.optional,
        "state": one.state.value,
        "size_bytes": one.size,
        "sha256": one.sha256 or None,
        "proof": one.proof,
        "signature": one.signature,
        "where": one.where or None,
        "archive": one.need.file.archive or None,
        "url": url or None,
        "why": one.why or None,
    }


def _by_component(found: Iterable[Found]) -> dict[str, list[dict[str, Any]]]:
    listed: dict[str, list[dict[str, Any]]] = {}
    for one in found:
        if one.state is State.FOUND:
            row = {"name": one.name, "sha256": one.sha256, "size": one.size}
            listed.setdefault(one.need.component, []).append(row)
    return listed

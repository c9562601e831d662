"""The facts of hosts as JSON, without a judgement: schema `npudoctor.facts/1`."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from npudoctor import __version__
from npudoctor.collect.redact.quick import may_hold_secret
from npudoctor.fact import Fact, Unavailable
from npudoctor.host import AREAS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.host import Host

SCHEMA = "npudoctor.facts/1"


def facts_to_json(hosts: Iterable[str]) -> Iterator[str]:
    """The document, host by host, out of what `facts_of` gave."""
    head = {"schema": SCHEMA, "tool": {"name": "npudoctor", "version": __version__}}
    yield json.dumps(head, indent=2).removesuffix("\n}") + ',\n  "hosts": ['
    mark = ""
    for host in hosts:
        yield f"{mark}\n    {host}"
        mark = ","
    yield ("\n  ]" if mark else "]") + "\n}\n"


def facts_of(host: Host, areas: Iterable[str] = AREAS) -> str:
    """The wanted areas of one host as JSON text, indented as it stands in the document."""
    text = json.dumps(_host(host, areas), indent=2, ensure_ascii=False)
    return text.replace("\n", "\n    ")  # no JSON text holds a bare line feed


def plain(value: Any) -> Any:
    """Facts, dataclasses and collections as plain Python that JSON can hold.

    A fact becomes `{"value": …, "source": …}`, or `{"unavailable": why}` where it could not be read.
    """
    if isinstance(value, Fact):
        return _fact(value)
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): _named(str(key), item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value if isinstance(value, int | float | bool | None) else _safe(str(value))


def _named(name: str, value: Any) -> Any:
    """The value of a variable: its name says whether it is a secret."""
    if not isinstance(value, str):
        return plain(value)
    return _safe(f"{name}={value}", whole_line=True).removeprefix(f"{name}=")


def _safe(text: str, *, whole_line: bool = False) -> str:
    if not may_hold_secret(text):
        return text
    from npudoctor.collect.redact.secrets import redact_variables, redact_words

    return redact_variables(text.encode()).decode() if whole_line else redact_words(text)


def _host(host: Host, areas: Iterable[str]) -> dict[str, Any]:
    return {
        "name": host.name,
        "source": host.snapshot.source,
        "error": "; ".join(host.snapshot.problems) or None,
        **{area: plain(getattr(host, area)) for area in areas},
    }


def _fact(fact: Fact[Any]) -> dict[str, Any]:
    if isinstance(fact.content, Unavailable):
        return {"unavailable": fact.content.why}
    return {"value": plain(fact.content), "source": ", ".join(_sources(fact))}


def _sources(fact: Fact[Any]) -> list[str]:
    return list(dict.fromkeys(line.source for line in fact.evidence))

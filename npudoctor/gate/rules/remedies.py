"""Changes of files that mend containers and variables, in the form of the file that they stand in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.finding import Edit
from npudoctor.gate.rules.verdicts import added, replaced
from npudoctor.gate.unit import Kind
from npudoctor.regex import regex

if TYPE_CHECKING:
    from npudoctor.gate.unit import Setting, Unit, Where

_RUN = regex(r"\b(?:docker|podman|nerdctl|isula)\s+(?:container\s+)?(?:run|create)(?=\s)")
_KEY = regex(r"\s*[\w.-]+\s*:\s.*")


def with_option(unit: Unit, option: str) -> tuple[Edit, ...]:
    """One more option right behind `docker run`, where the line holds that once."""
    line = unit.where.text
    found = list(_RUN.finditer(line)) if unit.kind is Kind.RUN else []
    if len(found) != 1:
        return ()
    after = f"{line[: found[0].end()]} {option}{line[found[0].end() :]}"
    return (Edit(unit.where.path, unit.where.line, line, after),)


def with_entry(where: Where, entry: str) -> tuple[Edit, ...]:
    """One more entry behind one of a list that has a line for each (`- /dev/davinci0`)."""
    return added(where, f"- {entry}") if where.text.lstrip().startswith("- ") else ()


def with_shm(unit: Unit) -> tuple[Edit, ...]:
    """Enough shared memory for a `docker run` or a Compose service; a pod needs it in two places."""
    size = "16gb" if unit.kind is Kind.SERVICE else "16g"
    if unit.shm is not None and unit.kind is not Kind.POD:
        return replaced(unit.shm.where, unit.shm.text, size)
    if unit.kind is Kind.SERVICE and unit.image and unit.image.where.text.lstrip().startswith("image:"):
        return added(unit.image.where, f"shm_size: {size}")
    return with_option(unit, f"--shm-size={size}")


def with_variable(unit: Unit, beside: Setting | None, name: str, value: str) -> tuple[Edit, ...]:
    """One more variable of a container: as an option, or beside another one of a Compose service."""
    if unit.kind is not Kind.SERVICE or beside is None:
        return with_option(unit, f"-e {name}={value}")
    if _KEY.fullmatch(beside.where.text) and "environment" not in beside.where.text:
        return added(beside.where, f'{name}: "{value}"')
    return with_entry(beside.where, f"{name}={value}")


def with_value(name: str, setting: Setting, value: str) -> tuple[Edit, ...]:
    """A variable with another value, on its own line or on that of the build argument that gives it."""
    text = re.escape(setting.text)
    forms = [rf"\b{name}[\"']?\s*[=:]\s*[\"']?({text})(?![\w.])", rf"\bvalue\s*:\s*[\"']?({text})(?![\w.])"]
    for where in (setting.where, *setting.parts):
        for form in forms if where is setting.where else [rf"[=-]\s*[\"']?({text})(?![\w.])"]:
            found = list(re.finditer(form, where.text))
            if setting.text and len(found) == 1:
                start, end = found[0].span(1)
                return (
                    Edit(where.path, where.line, where.text, where.text[:start] + value + where.text[end:]),
                )
    return ()

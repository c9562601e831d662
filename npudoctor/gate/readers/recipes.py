"""Makefiles and jobs of CI: the containers that their commands start.

What else they do is the business of the build; only `docker run` lines are judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.gate.reader import reader
from npudoctor.gate.readers.shell import Reading
from npudoctor.gate.shell import hole
from npudoctor.gate.yaml_nodes import documents
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.files import File, Repository
    from npudoctor.gate.unit import Unit
    from npudoctor.gate.yaml_nodes import Yaml

_STARTS = regex(r"(?:docker|podman|nerdctl|isula|DOCKER\))\s+(?:container\s+)?(?:run|create)\s")
_MAKEFILE = regex(r"(?i)(?:gnu)?makefile(?:\..+)?|.*\.mk")
_JOBS = regex(r"(?:.*/)?(?:\.gitlab-ci[\w.-]*|azure-pipelines[\w.-]*|(?:workflows|actions)/.*)\.ya?ml")
_ASSIGNMENT = regex(r"(?:export\s+|override\s+)*([A-Za-z_]\w*)\s*(\+|\?|:{1,3})?=\s*(.*)", 16)  # re.DOTALL
_OF_MAKE = regex(r"\$\$|\$\((\w+)\)")
_EXPRESSION = regex(r"\$\{\{.*?\}\}")
_SCRIPTS = ("run", "script", "before_script", "after_script", "bash")
_VARIABLES = ("variables", "env")
_DEEPEST = 12


def is_makefile(file: File) -> bool:
    """By its name, where it starts a container."""
    return _MAKEFILE.fullmatch(file.name) is not None and _STARTS.search(file.text) is not None


def is_jobs(file: File) -> bool:
    """Jobs of GitLab, GitHub or Azure by their place, where they start a container."""
    return _JOBS.fullmatch(file.path) is not None and _STARTS.search(file.text) is not None


@reader("Makefile", is_makefile)
def read_makefile(file: File, repository: Repository) -> Iterator[Unit]:
    """The containers that recipes start, with the variables of the Makefile."""
    yield from Reading(file, repository, script_of_makefile(file.text)).containers()


@reader("CI", is_jobs)
def read_jobs(file: File, repository: Repository) -> Iterator[Unit]:
    """The containers that the scripts of jobs start, with the variables of the file."""
    found = documents(file)
    variables: dict[str, str] = {}
    for document in found:
        for name, value in _variables(document, 0):
            variables[name] = value if variables.get(name, value) == value else hole(name)
    for document in found:
        for line, text in _scripts(document, 0):
            script = "\n" * (line - 1) + _EXPRESSION.sub("${EXPRESSION}", text)
            yield from Reading(file, repository, script, variables).containers()


def script_of_makefile(text: str) -> str:
    """The recipes and variables of a Makefile as a shell script, each on its own line."""
    lines, script, at = text.split("\n"), [], 0
    while at < len(lines):
        end = at
        while lines[end].endswith("\\") and end + 1 < len(lines):
            end += 1
        script += _as_shell(lines[at : end + 1])
        at = end + 1
    return "\n".join(script)


def _as_shell(lines: list[str]) -> list[str]:
    if lines[0].startswith("\t"):
        bare = [_expanded(line.lstrip("\t")) for line in lines]
        return [bare[0].lstrip("@+- "), *bare[1:]]
    whole = " ".join(line.removesuffix("\\").strip() for line in lines)
    found = _ASSIGNMENT.fullmatch(whole.partition(" #")[0].strip())
    empty = [""] * (len(lines) - 1)
    if found is None:
        return ["", *empty]
    name, how = found[1], found[2]
    value = _expanded(found[3]).replace('"', '\\"')
    return [f'{name}="${{{name}}} {value}"' if how == "+" else f'{name}="{value}"', *empty]


def _expanded(text: str) -> str:
    """`$(NAME)` as `${NAME}` and `$$` as `$`; a function of make stays what the shell cannot know either."""
    return _OF_MAKE.sub(lambda found: f"${{{found[1]}}}" if found[1] else "$", text)


def _variables(value: Yaml, depth: int) -> Iterator[tuple[str, str]]:
    for key, inner in _inner(value, depth):
        if key in _VARIABLES and inner.is_map:
            for name, one in inner.items():
                text = one.text
                yield name, hole(name) if text is None or "$" in text else text
        else:
            yield from _variables(inner, depth + 1)


def _scripts(value: Yaml, depth: int) -> Iterator[tuple[int, str]]:
    """Line and text of each script; the entries of a list are one after the other in one shell."""
    for key, inner in _inner(value, depth):
        if key not in _SCRIPTS or inner.is_map:
            yield from _scripts(inner, depth + 1)
            continue
        parts = list(inner.elements()) if inner.is_list else [inner]
        written = [part for part in parts if part.text is not None]
        if written:
            yield _joined(written)


def _joined(parts: list[Yaml]) -> tuple[int, str]:
    first = parts[0].line + parts[0].is_block
    text = ""
    for part in parts:
        gap = part.line + part.is_block - first - text.count("\n")
        text += "\n" * max(gap, 1 if text else 0) + (part.text or "").rstrip("\n")
    return first, text


def _inner(value: Yaml, depth: int) -> Iterator[tuple[str, Yaml]]:
    if depth < _DEEPEST:
        yield from value.items() if value.is_map else (("", one) for one in value.elements())

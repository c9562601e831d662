"""A Dockerfile as a list of instructions: dockerfile-parse reads them, here-documents are joined here."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.gate.unit import Where
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.files import File

_FLAG = regex(r"\s*--[\w.-]+(?:=(?:\"[^\"]*\"|\S*))?")
_HEREDOC = regex(r"<<-?\s*([\"']?)([A-Za-z_]\w*)\1")
_HEAD = regex(r"\s*[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction.

    Attributes:
        name: `FROM`, `RUN`, … in capitals.
        value: What follows, on one line, comments left out.
        flags: `--from=base`, `--platform=…`.
        line: Its first line, 1-based.
        text: The lines of the file, with lines of comment in between made empty continuations; without the
            name and the flags (blanks in their place), so that each stands on the line it has in the file.
        heredocs: The bodies of its here-documents, each with its first line.
    """

    name: str
    value: str
    flags: tuple[str, ...]
    line: int
    text: str
    heredocs: tuple[tuple[int, str], ...]

    @property
    def words(self) -> tuple[str, ...] | None:
        """The words of the JSON form (`["a", "b"]`); None for the other form."""
        if not self.value.startswith("["):
            return None
        try:
            found = json.loads(self.value)
        except ValueError:
            return None
        return tuple(found) if all(isinstance(word, str) for word in found) else None

    def flag(self, name: str) -> str:
        """The value of a flag; empty where it is not given."""
        start = f"--{name}="
        return next(
            (flag.removeprefix(start).strip('"') for flag in self.flags if flag.startswith(start)), ""
        )

    def place(self, file: File, part: str = "") -> Where:
        """Its line, or of an instruction of several lines the one that holds `part`."""
        for offset, line in enumerate(self.text.split("\n")):
            if part and part in line:
                return Where(file.path, self.line + offset, file.line(self.line + offset))
        return Where(file.path, self.line, file.line(self.line))


def instructions(file: File) -> Iterator[Instruction]:
    """The instructions of a Dockerfile, without comments."""
    behind = 0
    for row in _structure(file.text):
        start, end = row["startline"] + 1, row["endline"] + 1
        if start <= behind or row["instruction"] == "COMMENT":
            continue
        heredocs, behind = _heredocs(file, row, end)
        flags, value = _flags(row["value"])
        yield Instruction(
            name=row["instruction"].upper(),
            value=value,
            flags=flags,
            line=start,
            text=_text(file, start, end),
            heredocs=heredocs,
        )


def _structure(text: str) -> list[dict[str, Any]]:
    from dockerfile_parse import DockerfileParser

    parser = DockerfileParser(fileobj=io.BytesIO(text.encode()))
    rows: list[dict[str, Any]] = parser.structure
    return rows


def _flags(value: str) -> tuple[tuple[str, ...], str]:
    flags = []
    while match := _FLAG.match(value):
        flags.append(match[0].strip())
        value = value[match.end() :]
    return tuple(flags), value.strip()


def _heredocs(file: File, row: dict[str, Any], end: int) -> tuple[tuple[tuple[int, str], ...], int]:
    """The here-documents that start on the last line of an instruction, and the line that ends them."""
    if row["instruction"] not in ("RUN", "COPY", "ADD"):
        return (), end
    bodies = []
    for match in _HEREDOC.finditer(file.line(end) if row["instruction"] == "RUN" else row["value"]):
        body, number = [], end + 1
        while number <= len(file.lines) and file.line(number).strip() != match[2]:
            body.append(file.line(number))
            number += 1
        if number > len(file.lines):
            return (), row["endline"] + 1
        bodies.append((end + 1, "\n".join(body) + "\n"))
        end = number
    return tuple(bodies), end


def _text(file: File, start: int, end: int) -> str:
    """The instruction's lines as a shell takes them: Docker leaves out comments and empty lines inside."""
    lines = [file.line(number) for number in range(start, end + 1)]
    kept = lines[:1]
    for line in lines[1:]:
        bare = line.strip()
        kept.append("\\" if not bare or bare.startswith("#") else line)
    head = _HEAD.match(kept[0])
    if head:
        kept[0] = kept[0][head.end() :]
    text = "\n".join(kept)
    while match := _FLAG.match(text):
        text = "\n" * match[0].count("\n") + text[match.end() :]
    return text

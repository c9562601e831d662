"""Shell scripts: what they export and start, and every `docker run` line as a unit of its own."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from npudoctor.finding import Edit, Status
from npudoctor.gate.commands import command_of, exported_of
from npudoctor.gate.docker.run import RunUnit
from npudoctor.gate.docker.run_line import run_line
from npudoctor.gate.dotenv import engine_variables, is_shell_file
from npudoctor.gate.files import File
from npudoctor.gate.kubernetes.manifest import manifest_units
from npudoctor.gate.reader import reader
from npudoctor.gate.shell import read_script
from npudoctor.gate.shell.word import is_hole
from npudoctor.gate.unit import Kind, Setting, Slip, Unit, Unreadable, Where
from npudoctor.gate.yaml_nodes import documents
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.gate import shell
    from npudoctor.gate.docker.run_line import RunLine
    from npudoctor.gate.files import Repository

_WORTH = regex(
    r"(?:docker|podman|nerdctl|isula)\s|apiVersion|\batc\s|Ascend-(?:hdk|cann|mindie)|npu-(?:driver|firmware)|git\s+clone|pip3?\s+install"
    r"|(?:ASCEND|HCCL|ATB|ASDOPS|MINDIE|MIES|TORCH|PYTORCH|VLLM|ACL|NPU|LCCL|GLOO|TP|OMP|GLOG|MS|MSPROF|RANK|TASK|RAY)_\w+\s*=",
    re.IGNORECASE,
)
"""What a script holds that anything can be said of: most scripts of a large repository hold nothing."""
_JUDGED = regex(r"(?:docker|podman|nerdctl|isula)\s+(?:container\s+)?(?:run|create)\s|\batc\s+(?:\\\s*)?-")
_OBJECT = regex(r"(?m)^\s*apiVersion\s*:")
_OPTION = regex(r"--?[A-Za-z][\w-]*(?:=.*)?", re.DOTALL)
_INTERPRETER = regex(r"#!\s*\S*(?:env\s+)?(?:ba|da|a|z|k)?sh\b.*")


def is_script(file: File) -> bool:
    """By its name or its first line; a file of variables with shell in it too."""
    named = file.name.endswith((".sh", ".bash")) or is_shell_file(file)
    return (named or bool(_INTERPRETER.match(file.line(1)))) and _WORTH.search(file.text) is not None


@reader("shell script", is_script)
def read_shell(file: File, repository: Repository) -> Iterator[Unit]:
    """The script, and the containers that it starts."""
    yield from Reading(file, repository).units()


class Reading:
    """One script while it is read.

    Args:
        file: The file that holds it.
        repository: Where its other files are found.
        text: The script, line for line as in the file, where that is not one as it stands.
        variables: What is exported to it from outside.
    """

    def __init__(
        self,
        file: File,
        repository: Repository,
        text: str | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._file = file
        self._repository = repository
        self._script = read_script(
            file.text if text is None else text, file.path, variables=variables, sourced=self._sourced
        )
        self._places: dict[tuple[str, int], Where] = {}

    def containers(self) -> Iterator[Unit]:
        """The containers that it starts."""
        seen: set[tuple[str, int, str]] = set()
        for command, line in self._runs():
            key = (command.file, command.line, command.text)
            if key not in seen and command.file == self._file.path:
                seen.add(key)
                yield RunUnit(line, command, self.place, self._env_file).unit()

    def units(self) -> Iterator[Unit]:
        """The script and its containers."""
        script = self._script
        yield from self.containers()
        shared: dict[int, dict[str, Setting]] = {}
        yield from self._applied(script)
        started = {id(command) for command, _line in self._runs()}
        own = [one for one in script.commands if id(one) not in started and one.file == self._file.path]
        yield Unit(
            kind=Kind.SCRIPT,
            name=self._file.name,
            where=self.place(self._file.path, 1),
            environment=exported_of(script.exported, self.place),
            commands=tuple(command_of(one, self.place, shared) for one in own),
            slips=tuple(self._slips(script)),
        )

    def _runs(self) -> list[tuple[shell.Command, RunLine]]:
        return [(one, line) for one in self._script.commands if (line := run_line(one.words))]

    def _applied(self, script: shell.Script) -> Iterator[Unit]:
        """Pods that stand in the script itself: `kubectl apply -f - <<EOF`."""
        for one in script.written:
            if one.file == self._file.path and _OBJECT.search(one.raw):
                text = "\n" * (one.line - 1) + one.raw  # each line has the number that it has in the script
                try:
                    found = documents(File(one.file, text), marked=True)
                except Unreadable:
                    continue
                yield from manifest_units(found, self._repository)

    def place(self, path: str, line: int) -> Where:
        """A line of this script, or of a file that it sources."""
        if (path, line) not in self._places:
            file = self._file if path == self._file.path else self._repository.at(path)
            self._places[path, line] = Where(path, line, file.line(line) if file else "")
        return self._places[path, line]

    def _slips(self, script: shell.Script) -> Iterator[Slip]:
        for one in script.refused:
            if one.file == self._file.path:
                yield refused(one, self.place(one.file, one.line))
        yield from self._broken_off(script)
        found = _JUDGED.search(self._file.text) if script.complaint else None
        if found and script.complaint:
            where = self.place(self._file.path, self._file.text.count("\n", 0, found.start()) + 1)
            yield Slip(id="gate.readable", where=where, actual=script.complaint, status=Status.UNKNOWN)

    def _broken_off(self, script: shell.Script) -> Iterator[Slip]:
        """Commands that are options: the line above should have gone on, and ends without a backslash."""
        for one in script.commands:
            above = self._file.line(one.line - 1)
            is_option = _OPTION.match(one.words[0].raw) is not None and one.file == self._file.path
            if is_option and not one.damaged and above.strip() and not above.lstrip().startswith("#"):
                yield broken_off(one.words[0].raw, self.place(one.file, one.line - 1))

    def _sourced(self, raw: str, file: str) -> tuple[str, str] | None:
        found = self._find(raw, posixpath.dirname(file))
        return (found.path, found.text) if found else None

    def _find(self, raw: str, folder: str) -> File | None:
        """A file of the repository: from the script's folder, or from the root, where most are run."""
        first, slash, rest = raw.partition("/")
        path = rest if slash and is_hole(first) else raw
        if not path or "\ue000" in path or path.startswith("/"):
            return None
        near = self._repository.at(posixpath.join(folder, path))
        return near or self._repository.near_root(path)

    def _env_file(self, raw: str) -> dict[str, Setting] | None:
        found = self._find(raw, self._file.folder)
        return engine_variables(found) if found else None


def broken_off(option: str, above: Where) -> Slip:
    """A line that ends before the options that were meant for it."""
    after = f"{above.text.rstrip().removesuffix(chr(92)).rstrip()} \\"
    return Slip(
        id="gate.line_continuation",
        where=above,
        actual=_("the command ends here, and {option} below is run as a command of its own").format(
            option=option
        ),
        expected=_("a backslash as the last character of the line"),
        summary=_("End the line with a backslash and nothing behind it."),
        edits=(Edit(above.path, above.line, above.text, after),),
    )


def refused(one: shell.Refused, where: Where) -> Slip:
    """`export X = Y`: what is wrong with it, and the line as it should be."""
    after = where.text.replace(one.text, one.meant) if one.text in where.text else one.meant
    return Slip(
        id="env.assignment_syntax",
        where=where,
        actual=_("{name} is not set: the shell takes no blanks around the equals sign").format(name=one.name),
        expected=one.meant,
        summary=_("Take the blanks out."),
        edits=(Edit(where.path, where.line, where.text, after),),
    )

"""The stages of a Dockerfile: what each is built on, and what its instructions put into it."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from npudoctor.finding import Edit
from npudoctor.gate.docker.copied import Copies
from npudoctor.gate.docker.variables import Variables, as_setting, pairs, take_argument, words_of
from npudoctor.gate.packages import Packages
from npudoctor.gate.shell import read_script
from npudoctor.gate.shell.word import holes, shown
from npudoctor.gate.unit import Command, Kind, Setting, Slip, Unit, Where
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from npudoctor.gate.docker.instructions import Instruction
    from npudoctor.gate.files import File, Repository
    from npudoctor.gate.unit import Requirement, Scope


class Stage:
    """One stage while its instructions are read.

    Attributes:
        name: `AS NAME`, or its number.
        base: The image that it is built on; of a stage on a stage, that of the first one.
        parents: Names of the stages under it.
    """

    def __init__(self, name: str, line: Where, file: File, repository: Repository, context: str) -> None:
        self.name = name
        self.line = line
        self.base: Setting | None = None
        self.parents: tuple[str, ...] = ()
        self.copied_from: set[str] = set()
        self.arguments = Variables()
        self.environment = Variables()
        self.global_arguments = Variables()
        self.commands: list[Command] = []
        self.entry: Command | None = None
        self.user: Setting | None = None
        self.folder = "/"
        self.copies = Copies(repository, file.folder, context)
        self.packages = Packages(repository)
        self._file = file

    def build_on(self, parent: Stage) -> None:
        """Take over what a stage under this one has; its build arguments end with it."""
        self.base = parent.base
        self.parents = (*parent.parents, parent.name)
        self.environment = parent.environment.copy()
        self.commands = list(parent.commands)
        self.entry, self.user, self.folder = parent.entry, parent.user, parent.folder
        self.copies = parent.copies.copy()
        self.packages = parent.packages.copy()

    def take(self, one: Instruction, given: Scope) -> None:
        """One instruction behind FROM."""
        handler = getattr(self, f"_{one.name.lower()}", None)
        if one.name == "ARG":
            self._arg(one, given)
        elif handler is not None:
            handler(one)

    def unit(self) -> Unit:
        """What the stage is in the end."""
        environment = {
            name: as_setting(raw, self.environment.where[name]) for name, raw in self.environment.raw.items()
        }
        commands = (*self.commands, self.entry) if self.entry else tuple(self.commands)
        return Unit(
            kind=Kind.BUILD,
            name=self.name,
            where=self.line,
            image=self.base,
            environment=environment,
            user=self.user,
            requirements=tuple(self.packages.installed.values()),
            commands=commands,
            python=self.packages.python,
            slips=tuple(self._lost()),
        )

    @property
    def seen(self) -> Variables:
        """Build arguments and variables; a variable hides a build argument."""
        both = self.arguments.copy()
        for name, raw in self.environment.raw.items():
            both.set(name, raw, self.environment.where[name])
        return both

    def _arg(self, one: Instruction, given: Scope) -> None:
        for name, value in pairs(one.value):
            where = one.place(self._file, name)
            take_argument(self.arguments, name, value, where, given, self.global_arguments, self.seen)

    def _env(self, one: Instruction) -> None:
        seen = self.seen
        for name, value in pairs(one.value, old_form=True):
            self.environment.set(name, seen.expand(value or ""), one.place(self._file, name))

    def _workdir(self, one: Instruction) -> None:
        self.folder = posixpath.join(self.folder, shown(self.seen.expand(one.value)))

    def _user(self, one: Instruction) -> None:
        self.user = self.seen.setting(one.value, one.place(self._file))

    def _copy(self, one: Instruction) -> None:
        if source := one.flag("from"):
            self.copied_from.add(shown(self.seen.expand(source)))
            return
        words = one.words or tuple(words_of(one.value))
        paths = [shown(self.seen.expand(word)) for word in words]
        if len(paths) > 1:
            self.copies.add(paths[:-1], posixpath.join(self.folder, paths[-1]), paths[-1].endswith("/"))

    def _add(self, one: Instruction) -> None:
        self._copy(one)
        words = tuple(shown(self.seen.expand(word)) for word in (one.words or tuple(words_of(one.value))))
        self.commands.append(Command(("ADD", *words), one.place(self._file)))

    def _run(self, one: Instruction) -> None:
        for flag in one.flags:
            mount = dict(part.partition("=")[::2] for part in flag.removeprefix("--mount=").split(","))
            if mount.get("type") == "bind" and "from" not in mount:
                target = mount.get("target") or mount.get("dst") or mount.get("destination") or ""
                source = mount.get("source") or mount.get("src") or "."
                self.copies.add([source], posixpath.join(self.folder, target), source == ".")
        if one.words is not None:
            self._ran([self._exec(one)])
            return
        bodies = one.heredocs if one.value.startswith("<<") else ((one.line, one.text),)
        for line, text in bodies:
            self._ran(self._commands_of(text, line))

    def _cmd(self, one: Instruction) -> None:
        self.entry = (
            self._exec(one) if one.words is not None else _last(self._commands_of(one.text, one.line))
        )

    def _entrypoint(self, one: Instruction) -> None:
        self._cmd(one)

    def _exec(self, one: Instruction) -> Command:
        return Command(tuple(one.words or ()), one.place(self._file), environment=self._exported())

    def _ran(self, commands: Iterable[Command]) -> None:
        for command in commands:
            self.commands.append(command)
            self.packages.run(command, self._file_inside, self.seen.lines_of)

    def _file_inside(self, path: str) -> File | None:
        return self.copies.file(path, self.folder)

    def _lost(self) -> Iterator[Slip]:
        """Packages whose version is a build argument of before the first FROM: here it is empty."""
        for one in self.packages.installed.values():
            for name in one.unresolved:
                if name in self.global_arguments.raw and name not in self.seen.raw:
                    yield self._lost_argument(one, name)

    def _lost_argument(self, one: Requirement, name: str) -> Slip:
        first = self.line
        return Slip(
            id="container.build_arguments",
            where=one.where,
            actual=_("ARG {name} stands before FROM, so it is empty here").format(name=name),
            expected=_("ARG {name} again behind FROM").format(name=name),
            summary=_("Declare the build argument again in the stage that uses it."),
            edits=(Edit(first.path, first.line, first.text, f"{first.text}\nARG {name}"),),
        )

    def _exported(self) -> dict[str, Setting]:
        seen = self.seen
        return {name: as_setting(raw, seen.where[name]) for name, raw in seen.raw.items()}

    def _commands_of(self, text: str, line: int) -> list[Command]:
        """The commands of a RUN line, with build arguments and variables put in."""
        seen = self.seen
        script = read_script(text, self._file.path, first_line=line, variables=seen.raw)
        found = []
        for command in script.commands:
            raw = [word.raw for word in command.words]
            found.append(
                Command(
                    words=tuple(map(shown, raw)),
                    where=self._at(command.line),
                    unresolved=tuple(dict.fromkeys(name for text in raw for name in holes(text))),
                    environment={
                        name: as_setting(one.value.raw, self._at(one.line))
                        for name, one in command.environment.items()
                    },
                    lines=tuple(self._at(word.line) for word in command.words),
                    sure=command.sure,
                )
            )
        return found

    def _at(self, line: int) -> Where:
        return Where(self._file.path, line, self._file.line(line))


def read_stages(
    found: Sequence[Instruction], file: File, repository: Repository, context: str, given: Scope
) -> list[Stage]:
    """All stages of a Dockerfile, for the build arguments that are given."""
    outside = Variables()
    stages: list[Stage] = []
    for one in found:
        if one.name == "FROM":
            stages.append(_from(one, file, repository, context, outside, stages))
        elif stages:
            stages[-1].take(one, given)
        elif one.name == "ARG":
            for name, value in pairs(one.value):
                take_argument(outside, name, value, one.place(file, name), given, Variables(), outside)
    return stages


def leaves(stages: Sequence[Stage], target: str) -> list[Stage]:
    """The stages that are results: the target, or all that no other stage is built on or copies from."""
    wanted = [stage for stage in stages if target and stage.name == target.lower()]
    if wanted:
        return wanted[-1:]
    used = {name for stage in stages for name in (*stage.parents, *stage.copied_from)}
    numbered = {str(number): stage.name for number, stage in enumerate(stages)}
    used |= {numbered[name] for name in used if name in numbered}
    open_base = any(stage.base and stage.base.unresolved for stage in stages)
    if open_base and len(stages) > 1:
        return list(stages[-1:])
    return [stage for stage in stages if stage.name not in used or stage is stages[-1]]


def _from(
    one: Instruction,
    file: File,
    repository: Repository,
    context: str,
    outside: Variables,
    stages: list[Stage],
) -> Stage:
    image, _as, name = _from_parts(one.value)
    stage = Stage(name.lower() or str(len(stages)), one.place(file), file, repository, context)
    stage.global_arguments = outside
    base = outside.setting(image, one.place(file))
    parent = next((other for other in stages if other.name == base.text.lower()), None)
    if parent is not None:
        stage.build_on(parent)
    else:
        stage.base = base
    return stage


def _from_parts(value: str) -> tuple[str, str, str]:
    match = re.fullmatch(r"(\S+)(?:\s+(as)\s+(\S+))?.*", value.strip('"'), re.IGNORECASE)
    return (match[1].strip('"'), match[2] or "", match[3] or "") if match else (value, "", "")


def _last(commands: list[Command]) -> Command | None:
    return commands[-1] if commands else None

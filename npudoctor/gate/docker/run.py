"""`docker run` lines of scripts as units."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from npudoctor.finding import Edit
from npudoctor.gate.commands import container_commands, setting_of
from npudoctor.gate.docker.run_line import OF_DOCKER, RunLine, pairs
from npudoctor.gate.shell.word import hole, holes, shown
from npudoctor.gate.unit import Kind, Mount, Setting, Slip, Unit, Where
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from npudoctor.gate import shell
    from npudoctor.gate.commands import Place
    from npudoctor.gate.shell import Word
    from npudoctor.gate.unit import Command, Scope

_MEANT = {"--port": "--publish", "--ports": "--publish", "--environment": "--env", "--volumes": "--volume"}


class RunUnit:
    """Makes the unit of one `docker run` line.

    Args:
        line: The line in its parts.
        command: The same as the script holds it.
        place: Finds the text of a line.
        variables: Reads an `--env-file`; None where it is not there.
    """

    def __init__(
        self,
        line: RunLine,
        command: shell.Command,
        place: Place,
        variables: Callable[[str], Mapping[str, Setting] | None],
    ) -> None:
        self._line = line
        self._command = command
        self._place = place
        self._variables = variables
        self._open: list[Setting] = []

    def unit(self) -> Unit:
        """The unit."""
        line = self._line
        environment = self._environment()
        name = line.last("--name")
        devices, cdi = self._devices()
        mounts = tuple(self._mounts())
        return Unit(
            kind=Kind.RUN,
            name=name.text if name else Kind.RUN.value,
            where=self._place(self._command.file, self._command.line),
            image=self._setting(line.image) if line.image else None,
            environment=environment,
            devices=devices,
            cdi=cdi,
            mounts=mounts,
            privileged=self._one("--privileged"),
            runtime=self._one("--runtime"),
            shm=self._one("--shm-size"),
            ipc=self._one("--ipc"),
            user=self._one("--user"),
            capabilities_dropped=tuple(map(self._setting, line.all("--cap-drop"))),
            commands=tuple(self._commands(environment)),
            open=tuple(self._all_open()),
            slips=tuple(map(self._slip, line.refused)),
        )

    def _slip(self, option: str) -> Slip:
        """An option that docker does not have, at its line."""
        where = self._place(self._command.file, self._command.line)
        last = max(word.line for _name, word in self._line.options)
        lines = (self._place(self._command.file, number) for number in range(where.line, last + 1))
        here = next((line for line in lines if option in line.text), where)
        meant = next(iter(get_close_matches(option, OF_DOCKER, n=1)), "")
        meant = _MEANT.get(option, meant)
        return Slip(
            id="container.run_options",
            where=here,
            actual=_("docker run has no option {option}").format(option=option),
            expected=meant,
            summary=_("Write the option as docker knows it, or take it out."),
            edits=(Edit(here.path, here.line, here.text, here.text.replace(option, meant, 1)),)
            if meant and option in here.text
            else (),
        )

    def _setting(self, word: Word) -> Setting:
        return setting_of(word.raw, self._where(word))

    def _where(self, word: Word) -> Where:
        """The line of a word: where an array or a variable brings it, the line that set it there."""
        here = self._place(self._command.file, word.line)
        text = word.text
        if text in here.text or not text:
            return here
        for number in range(word.line - 1, 0, -1):
            there = self._place(self._command.file, number)
            if text in there.text and not there.text.lstrip().startswith("#"):
                return there
        return here

    def _one(self, name: str) -> Setting | None:
        word = self._line.last(name)
        return self._setting(word) if word else None

    def _environment(self) -> dict[str, Setting]:
        found: dict[str, Setting] = {}
        for word in self._line.all("--env-file"):
            read = self._variables(word.raw)
            if read is None:
                self._open.append(setting_of(hole(shown(word.raw)), self._where(word)))
            found.update(read or {})
        for word in self._line.all("--env"):
            name, equals, value = word.raw.partition("=")
            outside = self._command.environment.get(name)
            inherited = outside.value.raw if outside else hole(name)
            found[shown(name)] = setting_of(value if equals else inherited, self._where(word))
        return found

    def _devices(self) -> tuple[tuple[Setting, ...], tuple[Setting, ...]]:
        found = [self._setting(word) for word in self._line.all("--device")]
        if self._line.last("--device-cgroup-rule"):  # gives the right to open nodes that are mounted
            nodes = [mount for mount in self._mounts() if mount.source.startswith("/dev/")]
            found += [Setting(mount.source, mount.where) for mount in nodes]
        return (
            tuple(one for one in found if not is_cdi(one.text)),
            tuple(one for one in found if is_cdi(one.text)),
        )

    def _mounts(self) -> Iterator[Mount]:
        for word in self._line.all("--volume"):
            yield volume(word.raw, self._where(word))
        for word in self._line.all("--mount"):
            yield _mount(word.raw, self._where(word))
        for word in self._line.all("--tmpfs"):
            target, _colon, options = word.raw.partition(":")
            yield memory_mount(target, dict(pairs(options)).get("size", ""), self._where(word))

    def _commands(self, environment: Scope) -> Iterator[Command]:
        entry = self._line.last("--entrypoint")
        words = ([entry] if entry else []) + list(self._line.arguments)
        yield from container_commands(words, environment, self._command.file, self._place)

    def _all_open(self) -> Iterator[Setting]:
        yield from self._open
        yield from map(self._setting, self._line.open)
        yield from map(self._setting, self._line.all("--volumes-from"))
        if self._command.damaged:
            where = self._place(self._command.file, self._command.line)
            yield Setting("", where, ("…",))


def volume(raw: str, where: Where) -> Mount:
    """`/a:/b:ro`; a source without a slash is a named volume."""
    source, colon, rest = raw.partition(":")
    target = rest.partition(":")[0] if colon else source
    host = source if colon and _is_path(source) else ""
    return Mount(shown(host), shown(target), where, unresolved=holes(source + target))


def _is_path(source: str) -> bool:
    return source.startswith(("/", ".", "~")) or bool(holes(source))


def _mount(raw: str, where: Where) -> Mount:
    values = dict(pairs(raw))
    target = next((values[name] for name in ("target", "destination", "dst") if name in values), "")
    if values.get("type") == "tmpfs":
        return memory_mount(target, values.get("tmpfs-size", ""), where)
    source = values.get("source", values.get("src", "")) if values.get("type") == "bind" else ""
    return Mount(shown(source), shown(target), where, unresolved=holes(source + target))


def memory_mount(target: str, size: str, where: Where) -> Mount:
    """Memory that is mounted as a folder."""
    return Mount("", shown(target), where, memory=True, size=shown(size), unresolved=holes(target))


def is_cdi(text: str) -> bool:
    """`huawei.com/npu=0`: a name of the Container Device Interface, and no path."""
    return not text.startswith("/") and "/" in text and "=" in text

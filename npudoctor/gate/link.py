"""Units that build on each other: a service or a run line, and the Dockerfile that makes its image."""

from __future__ import annotations

import posixpath
from dataclasses import replace
from typing import TYPE_CHECKING

from npudoctor.gate.readers.dockerfile import built
from npudoctor.gate.scope import is_container
from npudoctor.gate.unit import Build, Kind, Setting, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from npudoctor.gate.files import Repository
    from npudoctor.gate.unit import Command, Unit

_VALUED = frozenset(
    ("-t", "--tag", "-f", "--file", "--build-arg", "--target", "--platform", "--network", "--label",
     "--secret",
     "--ssh", "--cache-from", "--cache-to", "--progress", "-o", "--output", "--builder", "--add-host", "-m",
     "--memory", "--shm-size", "--ulimit", "--iidfile", "--pull", "--build-context")
)  # fmt: skip
_NOT_VALUED = frozenset(("--pull", "--no-cache", "--push", "--load", "-q", "--quiet", "--rm", "--squash"))


def linked(units: Sequence[Unit], repository: Repository) -> list[Unit]:
    """The units, each container with what its own Dockerfile puts into its image."""
    images = {name: build for unit in units for name, build in _built_here(unit)}
    return [_with_image(unit, images, repository) for unit in units]


def _with_image(unit: Unit, images: dict[str, Build], repository: Repository) -> Unit:
    if not is_container(unit):
        return unit
    named = images.get(unit.image.text) if unit.image and unit.image.known else None
    build = unit.build or named
    stage = _stage(build, repository) if build else None
    if stage is None:
        return unit
    return replace(
        unit,
        image=stage.image,
        build=build,
        environment={**stage.environment, **unit.environment},
        requirements=(*stage.requirements, *unit.requirements),
        commands=(
            *(command for command in stage.commands if unit.kind is Kind.BUILD),
            *_started(unit, stage),
        ),
        python=unit.python or stage.python,
        slips=(*stage.slips, *unit.slips),
    )


def _started(unit: Unit, stage: Unit) -> tuple[Command, ...]:
    """What runs: the container's own command, or the image's."""
    return unit.commands or stage.commands[-1:]


def _stage(build: Build, repository: Repository) -> Unit | None:
    """What a build gives; None where its Dockerfile is not here, or cannot be read."""
    file = repository.at(build.dockerfile)
    if file is None:
        return None
    try:
        return next(iter(reversed(list(built(file, repository, build)))), None)
    except Unreadable:
        return None


def _built_here(unit: Unit) -> Iterator[tuple[str, Build]]:
    """Images that the commands of a unit build, by name."""
    for command in unit.commands:
        if build := build_of(command):
            yield from ((tag, build[1]) for tag in build[0])


def build_of(command: Command) -> tuple[list[str], Build] | None:
    """Names and build of a `docker build` line; None for any other command."""
    words = command.words
    if words[:2] == ("docker", "build"):
        at = 2
    elif words[:3] in (("docker", "buildx", "build"), ("docker", "image", "build")):
        at = 3
    else:
        return None
    found: dict[str, list[Setting]] = {}
    paths: list[str] = []
    while at < len(words):
        at = _take(command, at, found, paths)
    context = posixpath.normpath(posixpath.join(_folder(command), paths[0] if paths else "."))
    file = found["-f"][0].text if "-f" in found else posixpath.join(paths[0] if paths else ".", "Dockerfile")
    arguments = {one.text.partition("=")[0]: one for one in found.get("--build-arg", ())}
    return [one.text for one in found.get("-t", ())], Build(
        context=context,
        dockerfile=posixpath.normpath(posixpath.join(_folder(command), file)),
        where=command.where,
        arguments={name: replace(one, text=one.text.partition("=")[2]) for name, one in arguments.items()},
        target=found["--target"][0].text if "--target" in found else "",
    )


def _take(command: Command, at: int, found: dict[str, list[Setting]], paths: list[str]) -> int:
    word = command.words[at]
    option, equals, value = word.partition("=")
    if not word.startswith("-"):
        paths.append(word)
        return at + 1
    taken = 1
    if not equals and option in _VALUED - _NOT_VALUED:
        value, taken = (command.words[at + 1] if at + 1 < len(command.words) else ""), 2
    short = {"--tag": "-t", "--file": "-f"}.get(option, option)
    open_names = tuple(name for name in command.unresolved if name in value)
    found.setdefault(short, []).append(Setting(value, command.place(at + taken - 1), open_names))
    return at + taken


def _folder(command: Command) -> str:
    return posixpath.dirname(command.where.path) or "."

"""Dockerfiles: the stage that is built in the end, with its build arguments, variables and packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.gate.docker.instructions import instructions
from npudoctor.gate.docker.stages import leaves, read_stages
from npudoctor.gate.reader import reader
from npudoctor.gate.unit import Build, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.files import File, Repository
    from npudoctor.gate.unit import Unit

_ENDINGS = (".dockerfile", ".containerfile")
_OTHERS = (
    ".md", ".rst", ".txt", ".sh", ".py", ".go", ".js", ".ts", ".json", ".yml", ".yaml", ".toml", ".html",
    ".j2", ".jinja", ".tmpl", ".tpl", ".template", ".dockerignore", ".orig", ".swp",
)  # fmt: skip


def is_dockerfile(file: File) -> bool:
    """By its name: `Dockerfile`, `Dockerfile.npu`, `npu.Dockerfile`, `Containerfile`."""
    name = file.name.lower()
    if name.endswith(_OTHERS):
        return False
    starts = name.startswith(("dockerfile", "containerfile"))
    return starts or name.endswith(_ENDINGS) or "dockerfile" in name.split("_")


@reader("Dockerfile", is_dockerfile)
def read_dockerfile(file: File, repository: Repository) -> Iterator[Unit]:
    """The stages that nothing else is built on, with the defaults of all build arguments."""
    yield from built(file, repository, None)


def built(file: File, repository: Repository, build: Build | None) -> Iterator[Unit]:
    """What a Dockerfile gives for a build: of its target, or of each stage that nothing is built on.

    Raises:
        Unreadable: It has no FROM.
    """
    found = list(instructions(file))
    if not any(one.name == "FROM" for one in found):
        raise Unreadable("no FROM: this is no Dockerfile", 1)
    arguments = build.arguments if build else {}
    context = build.context if build else file.folder
    stages = read_stages(found, file, repository, context, arguments)
    target = build.target if build else ""
    for stage in leaves(stages, target):
        yield stage.unit()

"""`npudoctor provision image`: the command that builds the serving image of a stack, or the build itself."""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import TYPE_CHECKING, Annotated

import typer

from npudoctor.cli import options
from npudoctor.errors import Exit, UsageError
from npudoctor.words import _, choose_language

if TYPE_CHECKING:
    from npudoctor.provision.image import Image

FORMATS = ("text", "json")
Stack = Annotated[
    str | None,
    typer.Option(metavar="NAME", help=_("The stack: npudoctor matrix show stacks."), show_default=False),
]
Build = Annotated[bool, typer.Option("--build", help=_("Build it, with the engine of this machine."))]
KindOf = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        help=_("vllm-ascend, mindie or torch-npu; else as the stack serves."),
        show_default=False,
    ),
]
Base = Annotated[
    str | None,
    typer.Option(metavar="IMAGE", help=_("Another base, such as your mirror's."), show_default=False),
]
Tag = Annotated[
    str | None, typer.Option(metavar="NAME", help=_("The name of the image."), show_default=False)
]
Platform = Annotated[
    list[str] | None,
    typer.Option(
        metavar="OS/ARCH", help=_("For buildx: linux/arm64, linux/amd64; repeatable."), show_default=False
    ),
]
Engine = Annotated[str, typer.Option(metavar="COMMAND", help=_("docker, or what takes the same options."))]
Format = Annotated[str, typer.Option(metavar="FORMAT", help=", ".join(FORMATS) + ".")]


def image(
    stack: Stack = None,
    build: Build = False,
    kind: KindOf = None,
    base: Base = None,
    tag: Tag = None,
    platform: Platform = None,
    engine: Engine = "docker",
    matrix: options.MatrixFile = None,
    format: Format = "text",
    lang: options.Lang = None,
) -> int:
    """Print the command that builds the serving image of a stack; with --build, build it.

    Base image, CANN, chip and Python come from the matrix. What is built refuses to start where devices,
    driver or pairing are wrong, and says so.
    """
    choose_language(lang)
    if stack is None:
        raise UsageError(_("--stack is missing"), _("npudoctor matrix show stacks lists them"))
    if format not in FORMATS:
        raise UsageError(_("--format {format}: no such format").format(format=format), ", ".join(FORMATS))
    from npudoctor.matrix import load_matrix
    from npudoctor.matrix.stacks import load_stack
    from npudoctor.provision.image import image_of

    known = load_matrix(matrix)
    found = image_of(known, load_stack(known, stack), kind, base, tag)
    command = found.command(engine, platform or ())
    print(_told(found, command, format))
    return _build(command) if build else Exit.OK


def _told(image: Image, command: list[str], format: str) -> str:
    if format == "text":
        return shlex.join(command).replace(" --build-arg", " \\\n  --build-arg")
    document = {
        "schema": "npudoctor.image/1",
        "kind": image.kind,
        "tag": image.tag,
        "arguments": image.arguments,
    }
    return json.dumps({**document, "command": command}, indent=2)


def _build(command: list[str]) -> int:
    try:
        done = subprocess.run(command, check=False)
    except FileNotFoundError:
        raise UsageError(
            _("{engine} is not on this machine").format(engine=command[0]), "--engine podman"
        ) from None
    if done.returncode:
        what = _("the build ended with {code}").format(code=done.returncode)
        typer.echo(f"npudoctor: {what}; " + _("see its output above"), err=True)
        return Exit.FINDINGS
    return Exit.OK

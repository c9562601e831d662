"""What readers themselves see: their troubles come as slips of a unit; here is what these mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.gate.rules.registry import gate_check
from npudoctor.words import N_

if TYPE_CHECKING:
    from collections.abc import Iterable

    from npudoctor.gate.rules.registry import Subject, Trouble

_DOCKER = "docs.docker.com: Dockerfile reference, understand how ARG and FROM interact"


@gate_check(
    "gate.readable",
    title=N_("The deployment file can be read"),
    sources=("docs.docker.com: Compose file reference", "kubernetes.io: objects in Kubernetes"),
    dated="2026-08",
)
def readable(_subject: Subject) -> Iterable[Trouble]:
    """A file that is broken, or a template that a program fills in first, cannot be judged: it is unknown.

    What a template gives can be judged: `helm template CHART > rendered.yaml`, then gate that file.
    """
    return ()


@gate_check(
    "gate.line_continuation",
    title=N_("Command lines go on to their last option"),
    sources=("POSIX.1-2024: Shell Command Language, 2.2.1 Escape Character (Backslash)",),
    dated="2026-11",
)
def line_continuation(_subject: Subject) -> Iterable[Trouble]:
    """A command over several lines ends where a backslash is missing, or where a blank follows it.

    What follows is run as a command of its own and not found, and the first part runs without it: a
    container without its image, a server without its model. (Seen in example scripts of serving stacks,
    2026-11.)
    """
    return ()


@gate_check(
    "container.run_options",
    title=N_("Options of docker run are options that docker has"),
    sources=("docs.docker.com: docker container run",),
    dated="2026-11",
)
def run_options(_subject: Subject) -> Iterable[Trouble]:
    """With an option that it does not know docker ends at once: unknown flag, exit code 125, no container.

    Seen in guides: `--port 8000:8000` for `--publish`. Judged only for docker itself, and only where all
    options and the image are known. (Docker 28.2, 2026-11.)
    """
    return ()


@gate_check(
    "container.build_arguments",
    title=N_("Build arguments are declared in the stage that uses them"),
    sources=(_DOCKER,),
    dated="2026-08",
)
def build_arguments(_subject: Subject) -> Iterable[Trouble]:
    """An ARG before the first FROM is for FROM lines only: in a stage it is empty until it is declared again.

    `pip install torch-npu==${VERSION}` becomes `torch-npu==`, and pip stops. Right: `ARG VERSION` once more
    behind FROM; the value is taken over. (Dockerfile reference, 2026-08.)
    """
    return ()


@gate_check(
    "env.assignment_syntax",
    title=N_("Variables are set in a way that the shell takes"),
    sources=(
        "POSIX.1-2024: Shell Command Language, 2.9.1 Simple Commands",
        "vllm-ascend faqs.md, MindIE README",
    ),
    dated="2026-08",
)
def assignment_syntax(_subject: Subject) -> Iterable[Trouble]:
    """`export X = Y` with blanks around the equals sign sets nothing: X stays empty, and `=` is an error.

    It was seen in guides of vllm-ascend and MindIE. Right: `export X=Y`. (2026-08.)
    """
    return ()

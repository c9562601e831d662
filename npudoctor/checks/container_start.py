"""What a container starts first, and whether it has the CANN environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.container_scope import RUNTIME_DOCS, npu_containers, trouble, verdict_of
from npudoctor.checks.registry import check
from npudoctor.finding import Action, Fix, Status, Verdict, skip
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.host.containers import NpuContainer

SHELLS = ("sh", "bash", "dash")
INITS = ("tini", "dumb-init", "docker-init")
_OF_SEVERAL = (";", "&", "|", "\n", "$(", "`", "(", "{")
"""What a text for a shell holds that is more than one plain command."""


@check(
    "container.entrypoint",
    title=N_("What a container starts has the CANN environment"),
    sources=("github.com/Ascend/cann-container-image tools/template", RUNTIME_DOCS),
    dated="2026-08",
    role="serving",
)
def entrypoint(host: Host) -> Verdict:
    """The entrypoint of CANN images sources set_env.sh of toolkit and NNAL before it runs the command.

    A command that replaces the entrypoint starts without it, and ends with libhccl.so or libatb.so not
    found, where the image does not set LD_LIBRARY_PATH itself. A shell that is handed one program is that
    program; else a shell or a script may source it: what is inside cannot be seen, and it is not judged.
    (Templates of cann-container-image, 2026-08; bash(1), INVOCATION: `bash -c` reads no start-up file.)
    """
    containers, reason = npu_containers(host)
    if reason:
        return skip(reason)
    judged = tuple(npu for npu in containers if _has_environment(npu) or _is_program(npu))
    if not judged:
        return skip(_("they start a shell or a script: what it sources cannot be seen"))
    troubles = [
        trouble(
            Status.WARN,
            npu,
            _("{program} runs without set_env.sh").format(program=_first_word(npu)),
            f"Entrypoint: {' '.join(npu.container.entrypoint)} Cmd: {' '.join(npu.container.command)}",
        )
        for npu in judged
        if not _has_environment(npu)
    ]
    fix = Fix(
        Action.CONFIGURE,
        _("Start the program from a shell that sources set_env.sh, or keep the image's entrypoint."),
        ("bash -c 'source /usr/local/Ascend/ascend-toolkit/set_env.sh && exec PROGRAM'",),
        role="serving",
    )
    return verdict_of(troubles, judged, _("set_env.sh is sourced"), fix)


def _has_environment(npu: NpuContainer) -> bool:
    container = npu.container
    folders = container.environment.get("LD_LIBRARY_PATH", "")
    words = " ".join((*container.entrypoint, *container.command))
    return any(part in folders for part in ("/ascend-toolkit", "/cann", "/nnae")) or "set_env.sh" in words


def _first_word(npu: NpuContainer) -> str:
    words = (*npu.container.entrypoint, *npu.container.command)
    while words and words[0].rpartition("/")[2] in INITS:
        words = words[2:] if words[1:2] == ("--",) else words[1:]
    if not words or "BASH_ENV" in npu.container.environment:
        return words[0] if words else ""
    return _handed_over(words[2]) or words[0] if _is_shell_with_text(words) else words[0]


def _is_shell_with_text(words: tuple[str, ...]) -> bool:
    return len(words) > 2 and words[0].rpartition("/")[2] in SHELLS and words[1] == "-c"


def _handed_over(text: str) -> str:
    """The program of a text for a shell; empty where it is more than one command."""
    if any(sign in text.strip() for sign in _OF_SEVERAL):
        return ""
    words = [word for word in text.split() if "=" not in word.partition("/")[0]]
    return next((word for word in words if word != "exec"), "")


def _is_program(npu: NpuContainer) -> bool:
    program = _first_word(npu).rpartition("/")[2]
    return (
        bool(program)
        and program not in (*SHELLS, *INITS, ".", "source", "eval")
        and not program.endswith(".sh")
        and "entrypoint" not in program
    )

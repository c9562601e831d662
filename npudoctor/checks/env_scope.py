"""What every check of environment variables shares: where it applies, how judgements become a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, warn
from npudoctor.host.environment import SOURCE
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable

    from npudoctor.envvars import Judgement
    from npudoctor.host import Host

TABLE = "npudoctor explain NAME: the sources of each variable"
ENV_MANUAL = (
    "https://www.hiascend.com/document/detail/zh/CANNCommunityEdition/920beta1/maintenref/envvar/"
    "envref_07_0001.html"
)
FIELD_REPORT = "field report: a long-context chat model on Ascend 910B (CANN 7.0, driver 6.0)"
_SHOWN = 4
_OURS = (
    "ASCEND_", "HCCL_", "ATB_", "ASDOPS_", "MINDIE_", "MIES_", "TORCH_HCCL_", "TORCH_NPU_", "PYTORCH_NPU_",
    "VLLM_ASCEND_", "ACL_", "NPU_", "MSPROF_", "LCCL_",
)  # fmt: skip


def judged(host: Host, wanted: Callable[[Judgement], bool], right: str, advice: str) -> Verdict:
    """One verdict out of the judgements that a check wants.

    Args:
        host: The machine.
        wanted: Whether a judgement is this check's.
        right: What holds where there is none, for a person.
        advice: The sentence above the lines that mend it.
    """
    found = [one for one in host.environment_judgements if one.severity != "info" and wanted(one)]
    if not found:
        return ok(host.environment.variables, actual=right) if applies(host) else nothing()
    evidence = dict.fromkeys(line for one in found for line in one.evidence)
    commands = tuple(dict.fromkeys(line for one in found for line in one.fix))
    references = tuple(dict.fromkeys(source for one in found for source in one.source))
    say = fail if any(map(_stops_here, found)) else warn
    return say(
        *evidence,
        actual=shortened([one.text for one in found]),
        fix=Fix(Action.CONFIGURE, advice, commands),
        references=references[:6],
    )


def _stops_here(one: Judgement) -> bool:
    """Whether a program here stops; what only the container runtime reads was read long ago."""
    return one.severity == "fail" and one.name != "ASCEND_VISIBLE_DEVICES"


def shortened(texts: list[str]) -> str:
    """The first few texts, and how many more there are."""
    unique = list(dict.fromkeys(texts))
    more = len(unique) - _SHOWN
    words = _("; ").join(unique[:_SHOWN])
    return words + _("; and {count} more").format(count=more) if more > 0 else words


def applies(host: Host) -> bool:
    """Whether this environment is one of an Ascend host: it sets such a variable, or an NPU or CANN is there.

    Raises:
        Unavailable: No environment was collected.
    """
    if any(name.startswith(_OURS) for name in host.environment.variables.value):
        return True
    return bool(host.npus.present.or_none()) or bool(host.cann.installations.or_none())


def nothing() -> Verdict:
    """For an environment that has nothing to do with Ascend."""
    return skip(_("no Ascend software in this environment"))


def line(name: str, value: str, part: str = "") -> Evidence:
    """The line that sets a variable; of a path list only `part`, with dots for what is around it."""
    if not part or part == value:
        return Evidence(SOURCE, f"{name}={value}")
    before = "" if value.startswith(part) else "…:"
    behind = "" if value.endswith(part) else ":…"
    return Evidence(SOURCE, f"{name}={before}{part}{behind}")

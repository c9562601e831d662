"""The environment judged by what is known of the stack on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.envvars import Judgement, Versions, judge

if TYPE_CHECKING:
    from npudoctor.host import Host


def judge_environment(host: Host) -> list[Judgement]:
    """What the engine of `npudoctor.envvars` says of this environment, worst first.

    Raises:
        Unavailable: No environment was collected.
    """
    return judge(host.environment.judged(), versions_of(host))


def versions_of(host: Host) -> Versions:
    """What is known of the stack that reads the variables; a version that differs between Pythons is not."""
    cann = host.cann.active.or_none()
    return Versions(
        cann=cann.version if cann else None,
        driver=host.driver.version.or_none(),
        torch=_package(host, "torch"),
        torch_npu=_package(host, "torch_npu"),
        vllm_ascend=_package(host, "vllm_ascend"),
        mindie=_mindie(host),
        mindspore=_package(host, "mindspore"),
        chip=host.npus.family.or_none(),
    )


def _mindie(host: Host) -> str | None:
    installed = host.mindie.installed.or_none()
    return installed.version if installed else _package(host, "mindie_llm")


def _package(host: Host, name: str) -> str | None:
    """The version in this environment's Python, else the one that all Pythons with it agree on."""
    current = host.python.current.or_none()
    if current is not None and name in current.packages:
        return current.packages[name]
    pythons = host.python.interpreters.or_none() or ()
    found = {python.packages[name] for python in pythons if name in python.packages}
    return found.pop() if len(found) == 1 else None

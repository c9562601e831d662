"""Switches for finding faults that were left on in the environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.env_scope import ENV_MANUAL, FIELD_REPORT, TABLE, applies, judged, line, nothing
from npudoctor.checks.registry import check
from npudoctor.envvars import Judgement, Kind
from npudoctor.finding import Action, Fix, Verdict, fail, ok
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host

BLOCKING = "ASCEND_LAUNCH_BLOCKING"
_PROFILES = ("MSPROF_OUTPUT_DIR", "VLLM_TORCH_PROFILER_DIR", "PROFILING_FILEPATH")
_FULL_KB = 1024 * 1024
"""Less than 1 GB left is full: one trace of a step is larger."""


@check(
    "env.launch_blocking",
    title=N_("Launches are asynchronous"),
    sources=(FIELD_REPORT, "Ascend/pytorch:docs/zh/api/environment_variable/op_execution@9e73e708a"),
    dated="2026-08",
    role="environment",
)
def launch_blocking(host: Host) -> Verdict:
    """ASCEND_LAUNCH_BLOCKING=1 makes every operator wait for the device and switches the task queue off.

    It shows which operator fails, and it makes a service several times slower, so it has no place outside
    debugging. vllm-ascend refuses to start ACL graphs with it. Right is 0 or not set.
    """
    value = host.environment.of(BLOCKING)
    if value.absent:
        return ok(host.environment.variables, actual=_("not set")) if applies(host) else nothing()
    if value.value.strip():
        return judged(host, _is_blocking, f"{BLOCKING}={value.value}", _("Unset it outside debugging."))
    return ok(value, actual=_("empty"))


def _is_blocking(one: Judgement) -> bool:
    return one.name == BLOCKING and (one.kind is Kind.DEBUG or one.topic == "blocking-with-queue")


@check(
    "env.log_level",
    title=N_("Logs are not verbose"),
    sources=(FIELD_REPORT, ENV_MANUAL, TABLE),
    dated="2026-08",
    role="environment",
)
def log_level(host: Host) -> Verdict:
    """Debug and info logs slow a job down and fill the disk.

    Looked at are ASCEND_GLOBAL_LOG_LEVEL and ASCEND_MODULE_LOG_LEVEL (0 debug, 1 info, 2 warning, 3 error),
    GLOG_v of MindSpore, the log switches of HCCL and Triton, and the names ACL_LOG_LEVEL and GE_LOG_LEVEL of
    a field report. Right in production is 2 or 3.
    """
    advice = _("Take the debug level out of the environment of the service.")
    return judged(host, lambda one: _debug(one, "log"), _("no verbose log"), advice)


@check(
    "env.profiling",
    title=N_("No profiler was left on"),
    sources=(FIELD_REPORT, TABLE),
    dated="2026-08",
    role="environment",
)
def profiling(host: Host) -> Verdict:
    """A profiler that stays on costs speed and fills the folder that it writes to; then the job stops.

    Looked at are MSPROF_ENABLE with MSPROF_OUTPUT_DIR, PROFILING_MODE, and the switches of torch_npu, MindIE,
    vLLM and Triton. A folder with less than 1 GB left fails.
    """
    advice = _("Take the profiler out of the environment of the service.")
    verdict = judged(host, lambda one: _debug(one, "profiling"), _("no profiler is on"), advice)
    full = _full_folder(host) if verdict.status.value == "warn" else None
    return full or verdict


def _full_folder(host: Host) -> Verdict | None:
    for name in _PROFILES:
        path = host.environment.of(name).or_none()
        space = host.storage.space_at(path) if path and path.startswith("/") else None
        rows = space.or_none() if space else None
        if path and space and rows and rows.free < _FULL_KB:
            actual = _("a profiler is on and {path} has {free} MB left").format(
                path=path, free=rows.free // 1024
            )
            fix = Fix(Action.FREE, _("Switch the profiler off and make room."), (f"du -sh {path}",))
            return fail(line(name, path), space, actual=actual, expected=_("1 GB or more"), fix=fix)
    return None


@check(
    "env.debug_switches",
    title=N_("No debug switch was left on"),
    sources=(TABLE,),
    dated="2026-08",
    role="environment",
)
def debug_switches(host: Host) -> Verdict:
    """Switches that dump tensors and graphs, synchronise launches or skip work are for finding faults.

    They cost speed and disk; some make results wrong (ASCEND_MC2_DEBUG_MODE=1, MS_KERNEL_LAUNCH_SKIP), and
    those fail. The table of variables says for each what it does while it is on.
    """
    advice = _("Take the switch out of the environment of the service.")
    return judged(host, _other_switch, _("no debug switch is on"), advice)


def _other_switch(one: Judgement) -> bool:
    return one.kind is Kind.DEBUG and one.topic not in ("log", "profiling") and one.name != BLOCKING


def _debug(one: Judgement, topic: str) -> bool:
    return one.kind is Kind.DEBUG and one.topic == topic

"""Whether a host is what it is to be: a named stack of the matrix, given with `--stack`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.registry import check
from npudoctor.errors import UsageError
from npudoctor.fact import Evidence, Fact
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip
from npudoctor.host.installed import base_of, packages_of
from npudoctor.matrix.stacks import same_version
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterable

    from npudoctor.host import Host
    from npudoctor.matrix import Matrix
    from npudoctor.matrix.stacks import NamedStack

_STACKS = ("compat_matrix.yaml, section stacks",)
_ROLES = {"driver": "driver", "firmware": "firmware", "cann": "toolkit"}


@check("npu.of_stack", title=N_("The NPUs are those that the stack is for"), sources=_STACKS, dated="2026-11")
def chip(host: Host, matrix: Matrix) -> Verdict:
    """A stack is put together for one family of chips: packages of another do not install or do not run.

    Judged with --stack NAME alone. Right: the family of the NPUs is the one of the stack.
    """
    stack = matrix.wanted
    if stack is None:
        return skip(_("no --stack was given"))
    family = host.npus.family
    if family.value == stack.chip:
        return ok(family)
    summary = _("Choose a stack for {chip}: npudoctor matrix show stacks.").format(chip=family.value)
    return fail(family, expected=_wanted(stack, stack.chip), fix=Fix(Action.NONE, summary))


@check(
    "driver.of_stack",
    title=N_("The driver is the one of the stack"),
    sources=_STACKS,
    dated="2026-11",
    role="driver",
)
def driver(host: Host, matrix: Matrix) -> Verdict:
    """Judged with --stack NAME alone: the driver on disk is of the version that the stack names."""
    return _of_host(host, matrix, "driver")


@check(
    "firmware.of_stack",
    title=N_("The firmware is the one of the stack"),
    sources=_STACKS,
    dated="2026-11",
    role="firmware",
)
def firmware(host: Host, matrix: Matrix) -> Verdict:
    """Judged with --stack NAME alone: the NPU firmware is of the version that the stack names."""
    return _of_host(host, matrix, "firmware")


@check(
    "cann.of_stack",
    title=N_("CANN is the one of the stack"),
    sources=_STACKS,
    dated="2026-11",
    role="toolkit",
)
def cann(host: Host, matrix: Matrix) -> Verdict:
    """Judged with --stack NAME alone: the CANN that is in use is the one that the stack names."""
    return _of_host(host, matrix, "cann")


@check(
    "torch.of_stack",
    title=N_("torch and torch_npu are those of the stack"),
    sources=_STACKS,
    dated="2026-11",
    role="python_env",
)
def torch(host: Host, matrix: Matrix) -> Verdict:
    """Judged with --stack NAME alone: torch and torch_npu of this Python are those that the stack names.

    A Python without them is passed over: they may be in a container.
    """
    return _of_python(host, matrix, ("torch", "torch_npu"), "python_env")


@check(
    "python.of_stack",
    title=N_("Python is the one of the stack"),
    sources=_STACKS,
    dated="2026-11",
    role="python_env",
)
def python(host: Host, matrix: Matrix) -> Verdict:
    """Judged with --stack NAME alone: the Python with torch_npu is of the release that the stack names."""
    stack = matrix.wanted
    if stack is None or "python" not in stack.versions:
        return skip(_("no --stack was given") if stack is None else not_named(stack))
    facts = packages_of(host.python.current.value)
    if "torch_npu" not in facts or "python" not in facts:
        return skip(_("no torch_npu in this Python"))
    fact, wanted = facts["python"], stack.versions["python"]
    if fact.value == wanted or fact.value.startswith(f"{wanted}."):
        return ok(fact)
    return fail(fact, expected=_wanted(stack, wanted), fix=fix_of(stack, "Python", "python_env"))


@check(
    "serving.of_stack",
    title=N_("The serving engine is the one of the stack"),
    sources=_STACKS,
    dated="2026-11",
    role="serving",
)
def serving(host: Host, matrix: Matrix) -> Verdict:
    """Judged with --stack NAME alone: the serving engine of this Python is the one that the stack names.

    A Python without them is passed over: they may be in a container.
    """
    return _of_python(host, matrix, ("vllm_ascend", "vllm", "triton_ascend"), "serving")


def _of_host(host: Host, matrix: Matrix, key: str) -> Verdict:
    stack = matrix.wanted
    if stack is None or key not in stack.versions:
        return skip(_("no --stack was given") if stack is None else not_named(stack))
    fact, wanted = base_of(host)[key], stack.versions[key]
    expected = _wanted(stack, wanted)
    if fact.absent:
        there = Evidence(key, _("not there"))
        return fail(there, actual=_("not there"), expected=expected, fix=fix_of(stack, key, _ROLES[key]))
    if _same(key, fact, wanted):
        return ok(fact)
    return fail(fact, expected=expected, fix=fix_of(stack, key, _ROLES[key]))


def _of_python(host: Host, matrix: Matrix, keys: Iterable[str], role: str) -> Verdict:
    stack = matrix.wanted
    if stack is None:
        return skip(_("no --stack was given"))
    facts = packages_of(host.python.current.value)
    compared = [key for key in keys if key in stack.versions and key in facts]
    if not compared:
        return skip(_("none of them is in this Python, or in the stack"))
    wrong = [key for key in compared if not _same(key, facts[key], stack.versions[key])]
    if not wrong:
        return ok(*(facts[key] for key in compared))
    told = ", ".join(f"{key} {stack.versions[key]}" for key in wrong)
    actual = ", ".join(f"{key} {facts[key].value}" for key in wrong)
    fix = fix_of(stack, ", ".join(wrong), role)
    return fail(*(facts[key] for key in wrong), actual=actual, expected=_wanted(stack, told), fix=fix)


def _same(key: str, fact: Fact[str], wanted: str) -> bool:
    """A version that cannot be placed is the wanted one where it is written so."""
    try:
        return same_version(key, fact.value, wanted)
    except UsageError:
        return fact.value == wanted


def _wanted(stack: NamedStack, version: str) -> str:
    return _("{version} (stack {stack})").format(version=version, stack=stack.name)


def not_named(stack: NamedStack) -> str:
    """Why a check is skipped."""
    return _("{stack} names no version of it").format(stack=stack.name)


def fix_of(stack: NamedStack, what: str, role: str) -> Fix:
    """Provisioning brings a host to the stack."""
    return Fix(
        Action.UPGRADE,
        _("Bring {what} to the version of the stack.").format(what=what),
        (f"npudoctor provision --hosts HOSTS --stack {stack.name} --plan",),
        role=role,
    )

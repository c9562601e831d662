"""Whether parts that come with others are those of a stack: NNAL with CANN, torchair in torch_npu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.registry import check
from npudoctor.checks.stack import fix_of, not_named
from npudoctor.errors import UsageError
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip
from npudoctor.matrix.stacks import same_version
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.fact import Fact
    from npudoctor.host import Host
    from npudoctor.host.nnal import Nnal
    from npudoctor.matrix import Matrix

_STACKS = ("compat_matrix.yaml, section stacks",)


@check(
    "cann.nnal_of_stack",
    title=N_("NNAL (ATB) is the one of the stack, in its C++ ABI"),
    sources=_STACKS,
    dated="2026-11",
    role="nnal",
)
def nnal(host: Host, matrix: Matrix) -> Verdict:
    """Judged with --stack NAME alone: ATB is of the CANN that the stack names, and built for its C++ ABI.

    Where ATB_HOME_PATH is set, it has to lead to that ABI. A host without CANN is passed over here:
    `cann.of_stack` tells it.
    """
    stack = matrix.wanted
    if stack is None or "nnal_abi" not in stack.versions:
        return skip(_("no --stack was given") if stack is None else not_named(stack))
    if host.cann.active.absent:
        return skip(_("no CANN is installed"))
    wanted, abi = stack.versions["cann"], int(stack.versions["nnal_abi"])
    packages = [one for one in host.cann.nnal.value if one.package == "atb"]
    expected = _("ATB {version}, cxx_abi_{abi} (stack {stack})").format(
        version=wanted, abi=abi, stack=stack.name
    )
    fitting = [
        one for one in packages if _same(one.version, wanted) and abi in (one.abis.or_none() or (abi,))
    ]
    if not fitting:
        return fail(
            *_proofs(packages), actual=_listed(packages), expected=expected, fix=fix_of(stack, "NNAL", "nnal")
        )
    home = host.cann.atb_home
    if home.known and home.value.abi != abi:
        return fail(home, actual=f"cxx_abi_{home.value.abi}", expected=expected, fix=_source(abi))
    return ok(*_proofs(fitting), actual=_listed(fitting))


def _same(version: Fact[str], wanted: str) -> bool:
    try:
        return version.known and same_version("cann", version.value, wanted)
    except UsageError:
        return version.value == wanted


def _proofs(packages: list[Nnal]) -> list[Evidence]:
    lines = [line for one in packages for line in (*one.version.evidence, *one.abis.evidence)]
    return lines or [Evidence("/usr/local/Ascend/nnal", _("not there"))]


def _listed(packages: list[Nnal]) -> str:
    told = (
        " ".join(["ATB", str(one.version.or_none()), *(f"cxx_abi_{abi}" for abi in one.abis.or_none() or ())])
        for one in packages
    )
    return ", ".join(told) or _("not there")


def _source(abi: int) -> Fix:
    command = f"source /usr/local/Ascend/nnal/atb/set_env.sh --cxx_abi={abi}"
    return Fix(Action.CONFIGURE, _("Source NNAL with the ABI of the stack."), (command,))


@check(
    "torch.torchair_of_stack",
    title=N_("torchair is the one of the stack"),
    sources=_STACKS,
    dated="2026-11",
    role="python_env",
)
def torchair(host: Host, matrix: Matrix) -> Verdict:
    """Judged with --stack NAME alone: the torch_npu of this Python holds torchair.

    torchair has no number of its own on a host: it is released and installed inside torch_npu, so it is the
    stack's where torch_npu is. A Python without torch_npu is passed over: it may be in a container; and where
    torch_npu is another than the stack's, `torch.of_stack` tells it.
    """
    stack = matrix.wanted
    if stack is None or "torchair" not in stack.versions:
        return skip(_("no --stack was given") if stack is None else not_named(stack))
    python = host.python.current.value
    torch_npu = python.package("torch_npu")
    if torch_npu.absent:
        return skip(_("no torch_npu in this Python"))
    wanted = stack.versions["torch_npu"]
    if torch_npu.value != wanted:
        return skip(_("torch_npu is another, see torch.of_stack"))
    expected = _("torchair {version} in torch_npu {torch_npu} (stack {stack})").format(
        version=stack.versions["torchair"], torch_npu=wanted, stack=stack.name
    )
    fix = fix_of(stack, "torch_npu", "python_env")
    if python.torchair.absent:
        there = Evidence(python.path, str(python.torchair.content))
        return fail(there, torch_npu, actual=_("no torchair"), expected=expected, fix=fix)
    return ok(torch_npu, python.torchair)

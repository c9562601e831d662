"""Whether torch, torch_npu, Python and CANN go together, by the compatibility matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.pairing_verdict import Asked, ask, judged
from npudoctor.checks.registry import check
from npudoctor.finding import Verdict, skip
from npudoctor.host.installed import packages_of
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.fact import Fact
    from npudoctor.host import Host
    from npudoctor.host.python import Interpreter
    from npudoctor.matrix import Matrix

_TABLE = "Ascend/pytorch:COMPATIBILITY.en.md@9e73e708ab93"
_RANGES = "Ascend/pytorch:docs/zh/release_notes.md@9e73e708ab93"


@check(
    "torch.torch_npu_pairing",
    title=N_("torch is the one that torch_npu was built for"),
    sources=(_TABLE,),
    dated="2026-08",
    role="torch_npu",
)
def torch_npu_pairing(host: Host, matrix: Matrix) -> Verdict:
    """A torch_npu wheel is compiled against one torch, which its version begins with.

    torch_npu 2.5.1.post1 needs torch 2.5.1 and no other: with another one `import torch_npu` ends in an
    undefined symbol or a crash. `.postN` counts builds of one torch, it does not say which CANN is newer
    (release table of Ascend/pytorch, August 2026).
    """
    pythons = host.python.having("torch_npu", "torch")
    if not pythons:
        return skip(_("torch and torch_npu are not installed together"))
    cann = _cann(host)
    asked = [one for python in pythons for one in _ask(matrix, host, python, ("torch", "torch_npu"), cann)]
    return judged(asked, "torch_npu")


def _cann(host: Host) -> Fact[str] | None:
    """The active CANN, where it is known: what fits torch best depends on it."""
    cann = host.cann.active.map(lambda found: found.version)
    return cann if cann.known else None


def _ask(
    matrix: Matrix, host: Host, python: Interpreter, names: tuple[str, str], cann: Fact[str] | None = None
) -> list[Asked]:
    packages = packages_of(python)
    facts = {name: packages[name] for name in names if name in packages} | ({"cann": cann} if cann else {})
    return ask(matrix, host, facts, [names], python)


@check(
    "torch.cann_pairing",
    title=N_("torch_npu goes with CANN"),
    sources=(_TABLE, _RANGES),
    dated="2026-08",
    role="torch_npu",
)
def cann_pairing(host: Host, matrix: Matrix) -> Verdict:
    """Each torch_npu wheel was released for one CANN and runs on a stated range of others.

    The line 7.3 runs on CANN 8.5, 9.0 and 9.1; the plain wheel 2.7.1 fails on 9.0.0-beta.2 with an undefined
    symbol MsprofSysCycleTime. A range ends where its page was written, so a later CANN is unknown, not wrong.
    Dated and source builds go with what names them only (Ascend/pytorch, August 2026).
    """
    pythons = host.python.having("torch_npu")
    if not pythons:
        return skip(_("no torch_npu"))
    if host.cann.active.absent:
        return skip(_("no CANN is installed"))
    cann = host.cann.active.map(lambda found: found.version)
    asked = [one for python in pythons for one in _ask(matrix, host, python, ("cann", "torch_npu"), cann)]
    return judged(asked, "torch_npu")


@check(
    "torch.python_pairing",
    title=N_("Wheels of this torch_npu exist for this Python"),
    sources=(_TABLE,),
    dated="2026-08",
)
def python_pairing(host: Host, matrix: Matrix) -> Verdict:
    """torch and torch_npu are published for some Python versions only: torch 2.6.0 for 3.9 to 3.11.

    With another Python the packages were forced in or built by hand, and the compiled parts may not load. The
    set grew with later wheels of the same torch, so CANN is looked at too (Ascend/pytorch, August 2026).
    """
    pythons = [python for python in host.python.having("torch_npu", "torch") if python.version]
    if not pythons:
        return skip(_("torch and torch_npu are not installed together"))
    cann = _cann(host)
    asked = [one for python in pythons for one in _ask(matrix, host, python, ("python", "torch"), cann)]
    return judged(asked)


@check(
    "python.cann_pairing",
    title=N_("CANN supports this Python"),
    sources=(
        "https://www.hiascend.com/document/detail/en/CANNCommunityEdition/910/softwareinst/instg/instg_0045.html",
        "Ascend/cann-container-image:cann/*@c5a67b3a747b",
    ),
    dated="2026-08",
)
def python_cann_pairing(host: Host, matrix: Matrix) -> Verdict:
    """CANN brings Python parts (operator compilers, acl) that are built and tested for some versions.

    CANN 8.0 to 8.3 ask for Python 3.7 to 3.11, 9.0 for 3.7 to 3.13, 9.1 for 3.7 to 3.14 (install guides,
    August 2026). Official images bring later patch levels than the guides name, and these are fine. Only a
    Python that has torch_npu or MindSpore counts: others never load CANN.
    """
    users = [*host.python.having("torch_npu"), *host.python.having("mindspore")]
    pythons = [python for python in users if python.version]
    if not pythons:
        return skip(_("no Python here uses CANN"))
    if host.cann.active.absent:
        return skip(_("no CANN is installed"))
    cann = host.cann.active.map(lambda found: found.version)
    asked = [one for python in pythons for one in _ask(matrix, host, python, ("python", "cann"), cann)]
    return judged(asked)

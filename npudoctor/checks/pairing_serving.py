"""Whether serving engines and frameworks go with the stack below them, by the compatibility matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.pairing_verdict import Asked, ask, judged
from npudoctor.checks.registry import check
from npudoctor.finding import Verdict, skip
from npudoctor.host.installed import packages_of
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterable

    from npudoctor.fact import Fact
    from npudoctor.host import Host
    from npudoctor.matrix import Matrix

_VLLM_MATRIX = "vllm-project/vllm-ascend:docs/source/community/versioning_policy.md@182b75ea84ff"
_MINDIE_NOTES = "https://gitcode.com/Ascend/release-management/blob/master/MindIE/26.0.0/release.md"
_MINDFORMERS = "mindspore-lab/mindformers:README_CN.md"
_TRITON = "Ascend/triton-ascend:README.md@eeb030e7bb71"


def _beside(engine: str, others: Iterable[str]) -> list[tuple[str, str]]:
    return [(engine, other) for other in others]


def _packages(host: Host, matrix: Matrix, engine: str, pairs: list[tuple[str, str]]) -> list[Asked]:
    """Ask for every Python that has the engine; CANN and driver join in as far as they are known."""
    asked: list[Asked] = []
    for python in host.python.having(engine):
        facts = packages_of(python) | _below(host)
        asked += ask(matrix, host, facts, pairs, python)
    return asked


def _below(host: Host) -> dict[str, Fact[str]]:
    facts = {
        "cann": host.cann.active.map(lambda found: found.version),
        "driver": host.driver.version,
        "glibc": host.system.glibc,
    }
    return {name: fact for name, fact in facts.items() if fact.known}


@check(
    "serving.vllm_ascend_pairing",
    title=N_("vllm-ascend has the vllm, CANN, torch and Python of its release"),
    sources=(_VLLM_MATRIX, "vllm-project/vllm-ascend:docs/source/installation.md@182b75ea84ff"),
    dated="2026-08",
    role="vllm_ascend",
)
def vllm_ascend_pairing(host: Host, matrix: Matrix) -> Verdict:
    """vllm-ascend patches one vllm and compiles its operators against one CANN and one torch_npu.

    Its release matrix names the one set of each release: 0.11.0 goes with vllm 0.11.0, CANN 8.3.RC2,
    torch 2.7.1 with torch_npu 2.7.1.post1, Python 3.9 to 3.11. Another vllm breaks at import, another CANN in
    the custom operators. 0.18.0 also goes with CANN 9.0.0, and needs it on 310P (matrix, August 2026).
    """
    if not host.python.having("vllm_ascend"):
        return skip(_("no vllm-ascend"))
    others = ("vllm", "cann", "torch_npu", "torch", "python", "triton_ascend")
    asked = _packages(host, matrix, "vllm_ascend", _beside("vllm_ascend", others))
    return judged(asked, "vllm_ascend") if asked else skip(_("nothing beside vllm-ascend is known"))


@check(
    "serving.mindie_pairing",
    title=N_("MindIE has the CANN, torch and C library of its release"),
    sources=(_MINDIE_NOTES, "Ascend/MindIE-LLM:docs/zh/user_guide/install@8b4871ad31f5"),
    dated="2026-08",
    role="mindie",
)
def mindie_pairing(host: Host, matrix: Matrix) -> Verdict:
    """Each MindIE is released with one CANN, and its package is built for one C++ ABI.

    MindIE 2.1.RC1 goes with CANN 8.2.RC1, 2.3.0 with 8.5.0, 3.0.0 with 8.5.1. From 2.1.RC1 on the package
    with the new ABI (torch 2.6 and newer) asks for glibc 2.38, which Ubuntu 22.04 has not; the one with the
    old ABI (torch 2.1) for 2.34 (release notes and install guide, August 2026).
    """
    if host.mindie.installed.absent or host.npus.present.or_none() is False:
        return skip(_("no MindIE"))
    facts = {"mindie": host.mindie.version} | _below(host)
    current = host.python.current.or_none()
    packages = packages_of(current) if current else {}
    facts |= {name: fact for name, fact in packages.items() if name in ("torch", "torch_npu")}
    asked = ask(matrix, host, facts, _beside("mindie", ("cann", "torch_npu", "torch", "glibc")))
    return judged(asked, "mindie") if asked else skip(_("nothing beside MindIE is known"))


@check(
    "serving.mindspore_pairing",
    title=N_("MindSpore goes with CANN and Python"),
    sources=(_MINDFORMERS, "mindspore-ai/docs:install/mindspore_ascend_install_pip.md"),
    dated="2026-08",
    role="mindspore",
)
def mindspore_pairing(host: Host, matrix: Matrix) -> Verdict:
    """MindSpore is built against one CANN, and only warns itself where it meets another.

    2.6.0 goes with CANN 8.1.RC1, 2.7.0 with 8.2.RC1, 2.7.1 with 8.3.RC1, 2.7.2 with 8.5.0. Its own install
    page counts for more than the tables of other components (install pages and MindFormers, August 2026).
    """
    if not host.python.having("mindspore"):
        return skip(_("no MindSpore"))
    if host.cann.active.absent:
        return skip(_("no CANN is installed"))
    asked = _packages(host, matrix, "mindspore", _beside("mindspore", ("cann", "python")))
    return judged(asked, "mindspore") if asked else skip(_("nothing beside MindSpore is known"))


@check(
    "serving.triton_ascend_pairing",
    title=N_("triton-ascend is the one of this CANN, on a chip that it supports"),
    sources=(_TRITON, "vllm-project/vllm-ascend:docs/source/installation.md@182b75ea84ff"),
    dated="2026-08",
)
def triton_ascend_pairing(host: Host, matrix: Matrix) -> Verdict:
    """triton-ascend goes one to one with CANN: 3.2.0 with 8.5, 3.2.1 with 9.0, 3.2.2 with 9.1.

    With another CANN kernels do not compile or compute wrongly. On 310P (Atlas 300I Duo) it is not supported
    at all and has to be uninstalled, or vllm-ascend finds it and fails (README and vllm-ascend's installation
    page, August 2026).
    """
    if not host.python.having("triton_ascend"):
        return skip(_("no triton-ascend"))
    asked = _packages(host, matrix, "triton_ascend", _beside("triton_ascend", ("cann", "chip")))
    return judged(asked) if asked else skip(_("no source speaks of this triton-ascend"))


@check(
    "serving.hdk_floor",
    title=N_("The driver is new enough for the serving engine"),
    sources=(
        "Ascend/MindIE-LLM:docs/zh/faq/faq.md@8b4871ad31f5",
        "vllm-project/vllm-ascend:docs/source/installation.md@v0.7.3-dev",
    ),
    dated="2026-08",
    role="driver",
)
def hdk_floor(host: Host, matrix: Matrix) -> Verdict:
    """Some serving engines name drivers of their own beside those of CANN.

    MindIE runs from driver 23.0.7 on and recommends 24.1.RC2 or newer; vllm-ascend 0.7.3 asks for 24.1.RC1,
    0.13.0 recommends 25.5 (questions and answers of MindIE, install pages of vllm-ascend, August 2026).
    """
    if host.driver.version.absent:
        return skip(_("no NPU driver is installed"))
    asked: list[Asked] = []
    if not host.mindie.installed.absent and host.mindie.version.known:
        facts = {"mindie": host.mindie.version, "driver": host.driver.version}
        asked += ask(matrix, host, facts, [("mindie", "driver")])
    if host.python.interpreters.known:
        asked += _packages(host, matrix, "vllm_ascend", [("vllm_ascend", "driver")])
    return judged(asked, "driver") if asked else skip(_("no serving engine here names a driver"))

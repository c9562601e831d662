"""Checks of torch on an NPU machine that are no pairing of versions by the matrix."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from npudoctor.checks.registry import check
from npudoctor.finding import Action, Fix, Status, Verdict, fail, ok, skip, warn
from npudoctor.versions import Torch, VersionError
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.fact import Evidence, Fact
    from npudoctor.host import Host
    from npudoctor.host.python import Interpreter

_TRITON_OF_ARCH = {"x86_64": "3.2.0", "aarch64": "3.5.0"}
"""The triton that triton-ascend 3.2.1 and newer itself asks for."""


@check(
    "torch.npu_missing",
    title=N_("Where torch is installed on an NPU machine, torch_npu is too"),
    sources=("vllm-ascend docs/source/installation.md@182b75e",),
    dated="2026-08",
)
def npu_missing(host: Host) -> Verdict:
    """torch alone knows no NPU: `torch.npu` does not exist, and everything runs on the CPU.

    One Python with both is enough; torch in others may serve other ends.
    """
    torches = host.python.having("torch")
    if not torches:
        return skip(_("no torch"))
    both = [python for python in torches if "torch_npu" in python.packages]
    if both:
        return ok(*(python.package("torch_npu") for python in both))
    if not host.npus.present.value:
        return skip(_("no NPU on this machine"))
    if any("mindspore" in python.packages for python in host.python.interpreters.value):
        return skip(_("MindSpore drives the NPU here"))
    fix = Fix(
        Action.REINSTALL,
        _("Install the torch_npu that pairs with this torch and CANN."),
        (f"npudoctor matrix solve torch={torches[0].packages['torch'].partition('+')[0]}",),
        "torch_npu",
    )
    proofs = [python.package("torch") for python in torches]
    return warn(*proofs, actual=_("torch without torch_npu"), expected="torch_npu", fix=fix)


@check(
    "torch.cpu_build",
    title=N_("torch beside torch_npu is the CPU build"),
    sources=(
        "https://gitcode.com/Ascend/pytorch/blob/v2.10.0/torch_npu/__init__.py",
        "vllm-ascend docs/source/installation.md@182b75e",
    ),
    dated="2026-08",
)
def cpu_build(host: Host) -> Verdict:
    """On x86 a plain `pip install torch` brings the CUDA build; torch_npu wants the CPU one.

    torch_npu 2.10 (and the newest builds of 2.7) refuses another accelerator: "Two accelerators cannot be
    used at the same time in PyTorch" (its `__init__.py`, 2026). Older ones start, with gigabytes of unused
    CUDA libraries, and code that asks for CUDA first goes the wrong way. vllm-ascend installs from PyTorch's
    index of CPU builds on x86. A build is told by its label (`+cu126`), or by NVIDIA's runtime packages.
    """
    pythons = host.python.having("torch", "torch_npu")
    if not pythons:
        return skip(_("no torch with torch_npu"))
    wrong = [line for python in pythons for line in _cuda_build(python)]
    if not wrong:
        return ok(*(python.package("torch") for python in pythons))
    fix = Fix(
        Action.REINSTALL,
        _("Install the CPU build of the same torch version, from PyTorch's index of CPU builds."),
        tuple(f"{python.pip} install 'torch=={_cpu_label(python)}'" for python in pythons),
        "torch_npu",
    )
    refuses = any(
        _at_least(python.packages["torch_npu"], "2.10") for python in pythons if _cuda_build(python)
    )
    verdict = fail if refuses else warn
    return verdict(*wrong, actual=_("a CUDA build"), expected=_("the CPU build"), fix=fix)


def _cpu_label(python: Interpreter) -> str:
    return python.packages["torch"].partition("+")[0] + "+cpu"


def _cuda_build(python: Interpreter) -> list[Evidence]:
    version = python.packages["torch"]
    if re.search(r"\+cu\d", version):
        return [*python.package("torch").evidence]
    nvidia = next((name for name in python.packages if name.startswith("nvidia_cuda_runtime")), None)
    if nvidia and "+" not in version:
        return [*python.package("torch").evidence, *python.package(nvidia).evidence]
    return []


@check(
    "torch.triton_conflict",
    title=N_("triton and triton-ascend do not overwrite each other"),
    sources=(
        "https://gitcode.com/Ascend/triton-ascend/blob/main/docs/en/FAQ.md",
        "vllm-ascend docs/source/installation.md@182b75e",
    ),
    dated="2026-08",
)
def triton_conflict(host: Host) -> Verdict:
    """Both packages fill the same folder `triton`, so the last one installed wins.

    Up to triton-ascend 3.2.0 the community's triton has to be uninstalled first. From 3.2.1 on triton-ascend
    asks for it itself (3.2.0 on x86, 3.5.0 on aarch64) and is installed over it; another version of triton
    means that triton came later and overwrote it (FAQ of triton-ascend, 2026). vllm-ascend has triton
    uninstalled, and on 310P both (its installation page).
    """
    pythons = [python for python in host.python.interpreters.value if _has_triton(python)]
    if not pythons:
        return skip(_("no triton beside torch_npu"))
    proofs = [fact for python in pythons for fact in _tritons(python)]
    if host.npus.family.or_none() == "310P":
        fix = Fix(
            Action.CONFIGURE,
            _("Uninstall both on 310P."),
            tuple(f"{python.pip} uninstall -y triton triton-ascend" for python in pythons),
        )
        return warn(*proofs, actual=_listed(proofs), expected=_("neither on 310P"), fix=fix)
    verdicts = [_judge_triton(python, host.system.arch.or_none()) for python in pythons]
    wrong = sorted((verdict for verdict in verdicts if verdict), key=lambda v: v.status is not Status.FAIL)
    if not wrong:
        return ok(*proofs, actual=_listed(proofs))
    return replace(wrong[0], evidence=tuple(line for verdict in wrong for line in verdict.evidence))


def _judge_triton(python: Interpreter, arch: str | None) -> Verdict | None:
    triton, ascend = python.packages.get("triton"), python.packages.get("triton_ascend")
    if triton is None:
        return None
    fix = Fix(
        Action.REINSTALL,
        _("Uninstall both, then install triton-ascend last."),
        (
            f"{python.pip} uninstall -y triton triton-ascend",
            f"{python.pip} install triton-ascend=={ascend or '<version>'}",
        ),
    )
    facts = _tritons(python)
    if ascend is None:
        return warn(*facts, actual=_("triton without triton-ascend"), expected="triton-ascend", fix=fix)
    if not _at_least(ascend, "3.2.1"):
        expected = _("no triton beside triton-ascend {version}").format(version=ascend)
        return fail(*facts, actual=_listed(facts), expected=expected, fix=fix)
    wanted = _TRITON_OF_ARCH.get(arch or "")
    if wanted and triton.partition("+")[0] != wanted:
        return warn(*facts, actual=_listed(facts), expected=f"triton=={wanted}", fix=fix)
    return None


def _has_triton(python: Interpreter) -> bool:
    if "triton_ascend" in python.packages:
        return True
    return "triton" in python.packages and "torch_npu" in python.packages


def _tritons(python: Interpreter) -> list[Fact[str]]:
    facts = (python.package(name) for name in ("triton", "triton_ascend"))
    return [fact for fact in facts if fact.known]


@check(
    "torch.torchvision",
    title=N_("torchvision is built for this torch"),
    sources=("https://github.com/pytorch/vision README (installation table)",),
    dated="2026-08",
)
def torchvision(host: Host) -> Verdict:
    """torchvision registers operators in torch and works with one torch version only.

    0.N goes with torch 2.(N-15): 0.20 with 2.5, 0.22 with 2.7, 0.25 with 2.10 (table in its README). With
    another torch the import stops with "operator torchvision::nms does not exist", and with it vLLM and
    transformers, which import it.
    """
    pythons = host.python.having("torch", "torchvision", "torch_npu")
    if not pythons:
        return skip(_("no torchvision beside torch_npu"))
    wrong = [python for python in pythons if not _vision_fits(python)]
    proofs = [python.package(name) for python in wrong or pythons for name in ("torch", "torchvision")]
    if not wrong:
        return ok(*proofs, actual=_listed(proofs))
    minor = Torch(wrong[0].packages["torch"]).family.rpartition(".")[2]
    wanted = f"torchvision==0.{int(minor) + 15}.*"
    fix = Fix(
        Action.REINSTALL,
        _("Install the torchvision of this torch."),
        (f"{wrong[0].pip} install '{wanted}' --no-deps",),
    )
    return fail(*proofs, actual=_listed(proofs), expected=wanted, fix=fix)


def _vision_fits(python: Interpreter) -> bool:
    try:
        torch, vision = Torch(python.packages["torch"]), Torch(python.packages["torchvision"])
    except VersionError:
        return True
    major, minor = torch.family.split(".")
    if major != "2":
        return True
    return vision.family == f"0.{int(minor) + 15}"


def _listed(facts: list[Fact[str]]) -> str:
    return ", ".join(dict.fromkeys(line.text for fact in facts for line in fact.evidence))


def _at_least(version: str, floor: str) -> bool:
    try:
        return Torch(version) >= Torch(floor)
    except VersionError:
        return False

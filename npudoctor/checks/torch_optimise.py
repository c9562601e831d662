"""Checks of what makes a model faster in torch: torchair fuses the graph, AMCT quantises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, unknown, warn
from npudoctor.matrix.pattern import any_speaks_of, speaks_of
from npudoctor.versions import Cann, Python, Torch, VersionError
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterable

    from npudoctor.fact import Fact
    from npudoctor.host import Host
    from npudoctor.host.python import Interpreter
    from npudoctor.matrix import Matrix

_NEEDED = ("protobuf", "numpy", "sympy")
"""What torchair imports beside torch."""
_PROTOBUF = "3.13"
_FIRST_TORCH = "2.1"
_AMCT_NEEDS = ("torch", "onnx", "onnxruntime")
_AMCT_INSTALLED = "amct_pytorch-<version>-py3-none-linux_$(uname -m).tar.gz"


@check(
    "torch.torchair",
    title=N_("torchair is in torch_npu, of its release, and can be imported"),
    sources=(
        "Ascend/pytorch:torch_npu/dynamo/__init__.py@05c6215c0d91",
        "Ascend/torchair:README.md and python/torchair/__init__.py@fced8842d149",
        "https://github.com/vllm-project/vllm-ascend/issues/2297",
        "https://github.com/Ascend/pytorch/issues/37",
    ),
    dated="2026-11",
)
def torchair(host: Host, matrix: Matrix) -> Verdict:
    """Without torchair in torch_npu, `torch.compile(backend="npu")` fuses nothing: it runs eagerly.

    torchair ships inside torch_npu (`torch_npu/dynamo/torchair`), so it is of the same release; a wheel
    `torchair` beside a torch_npu without it does not help (vllm-ascend issue 2297), and an empty folder stops
    the import of torch_npu 2.1.0.post4 (Ascend/pytorch issue 37). Its own page names torch, CANN and Python
    for each release, on A2, A3 and 950, and its import refuses protobuf below 3.13. Nothing is imported here:
    judged are the files and the packages beside them.
    """
    pythons = [python for python in host.python.having("torch", "torch_npu") if _has_dynamo(python)]
    if not pythons:
        return skip(_("no torch_npu with torch 2.1 or newer"))
    family = host.npus.family.or_none()
    if family and family not in ("910B", "A3", "950"):
        return skip(_("torchair is not for {family}").format(family=family))
    python = _serving(host, pythons)
    if python.torchair.absent:
        return _without(python)
    folder, lacking = python.torchair.value, [*_lacking(python)]
    if lacking:
        fix = Fix(
            Action.CONFIGURE,
            _("Install them in that Python."),
            (f"{python.pip} install 'protobuf>={_PROTOBUF}' numpy sympy",),
        )
        return fail(*lacking, actual=_("; ").join(line.text for line in lacking), fix=fix)
    return _paired(host, matrix, python) or ok(python.torchair, python.package("torch_npu"), actual=folder)


def _has_dynamo(python: Interpreter) -> bool:
    try:
        return Torch(python.packages["torch"]) >= Torch(_FIRST_TORCH)
    except VersionError:
        return False


def _serving(host: Host, pythons: list[Interpreter]) -> Interpreter:
    """The Python of this environment, where it is one of them."""
    current = host.python.current.or_none()
    return current if current in pythons and current else pythons[0]


def _without(python: Interpreter) -> Verdict:
    alone = python.package("torchair").or_none()
    actual = _("torch_npu without torchair: torch.compile for the NPU runs eagerly")
    if alone:
        actual = _("torch_npu without torchair; the package torchair {version} beside it is not used").format(
            version=alone
        )
    version = python.packages["torch_npu"].partition("+")[0]
    fix = Fix(
        Action.REINSTALL,
        _("Install the wheel of torch_npu that was built with torchair."),
        (f"{python.pip} install --force-reinstall --no-deps torch-npu=={version}",),
        "torch_npu",
    )
    proof = Evidence(python.path, str(python.torchair.content))
    return warn(proof, python.package("torch_npu"), actual=actual, expected="torchair", fix=fix)


def _lacking(python: Interpreter) -> Iterable[Evidence]:
    """A list without sympy, which torch itself needs, is no whole list."""
    if "sympy" not in python.packages:
        return
    for name in _NEEDED:
        if name not in python.packages:
            yield Evidence(python.path, _("{name} is missing").format(name=name))
    protobuf = python.packages.get("protobuf")
    if protobuf and not _at_least(protobuf, _PROTOBUF):
        yield Evidence(python.path, f"protobuf=={protobuf} < {_PROTOBUF}")


def _paired(host: Host, matrix: Matrix, python: Interpreter) -> Verdict | None:
    """What the table of torchair says of CANN, torch and Python; None where it has no word against them."""
    cann = host.cann.active.or_none()
    rows = [row for row in matrix.section("torchair") if cann and speaks_of(row["cann"], Cann(cann.version))]
    torch = Torch(python.packages["torch"].partition("+")[0])
    mine = [row for row in rows if any_speaks_of(row["torch"], torch)]
    if not cann or not rows or any(_takes_python(row, python) for row in mine):
        return None
    wrong = "python" if mine else "torch"
    expected = f"{wrong} " + ", ".join(dict.fromkeys(one for row in mine or rows for one in row[wrong]))
    proofs = [python.package("torch"), python.package("torch_npu"), python.torchair]
    actual = _("torchair of CANN {cann} is not for {what}").format(
        cann=cann.version, what=f"Python {python.version}" if mine else f"torch {torch}"
    )
    fix = Fix(Action.NONE, _("Choose a row: npudoctor matrix show torchair."))
    return warn(*proofs, cann.evidence, actual=actual, expected=expected, fix=fix)


@check(
    "torch.amct",
    title=N_("AMCT goes with torch, Python and CANN, and can be imported"),
    sources=(
        "https://www.hiascend.com/document/detail/zh/canncommercial/900/devaids/amct/atlasamct_16_0016.html",
        "hicann/amct:README.md@2be20daf7124",
    ),
    dated="2026-11",
)
def amct(host: Host, matrix: Matrix) -> Verdict:
    """AMCT quantises models; `amct_pytorch` is built against the torch that it finds when it is installed.

    Its guides of CANN 8.5 to 9.1 name torch 2.7.1, 2.1.0 and older ones, each with its Python, ONNX and ONNX
    Runtime; amct_pytorch 1.1.0 needs CANN 8.5.0 (its README, August 2026). Older guides have other tables,
    which are not judged. Nothing is imported here: judged are the packages beside it.
    """
    pythons = host.python.having("amct_pytorch")
    if not pythons:
        return skip(_("no amct_pytorch"))
    python = _serving(host, list(pythons))
    missing = [name for name in _AMCT_NEEDS if name not in python.packages]
    if missing:
        return _incomplete(python, missing)
    cann = host.cann.active.or_none()
    if cann is None:
        return ok(python.package("amct_pytorch"), python.package("torch"))
    return _judge_amct(matrix, python, cann.version, cann.evidence)


def _incomplete(python: Interpreter, missing: list[str]) -> Verdict:
    fix = Fix(
        Action.REINSTALL,
        _("Install what is missing, then AMCT again: it is built against them."),
        (f"{python.pip} install --no-build-isolation {_AMCT_INSTALLED}",),
    )
    actual = _("; ").join(_("{name} is missing").format(name=name) for name in missing)
    verdict = fail if "torch" in missing else warn
    return verdict(python.package("amct_pytorch"), actual=actual, expected=", ".join(_AMCT_NEEDS), fix=fix)


def _judge_amct(matrix: Matrix, python: Interpreter, cann: str, line: Evidence) -> Verdict:
    proofs = (python.package("amct_pytorch"), python.package("torch"), line)
    rows = [row for row in matrix.section("amct") if row["package"] == "amct_pytorch"]
    floors = [row for row in rows if "amct" in row and _of_amct(row, python)]
    unmet = [row["cann"] for row in floors if not speaks_of(row["cann"], Cann(cann))]
    if unmet:
        fix = Fix(Action.UPGRADE, _("Take the AMCT that is released with this CANN."))
        return warn(*proofs, expected=f"CANN {', '.join(unmet)}", fix=fix)
    tables = [row for row in rows if "torch" in row and speaks_of(row["cann"], Cann(cann))]
    if not tables:
        actual = _("no source names what AMCT of CANN {cann} goes with").format(cann=cann)
        return unknown(*proofs, actual=actual)
    return _in_table(tables, python, proofs)


def _in_table(
    tables: list[dict[str, Any]], python: Interpreter, proofs: tuple[Fact[str] | Evidence, ...]
) -> Verdict:
    torch = Torch(python.packages["torch"].partition("+")[0])
    mine = [row for row in tables if any_speaks_of(row["torch"], torch)]
    if any(_takes_python(row, python) for row in mine):
        return ok(*proofs)
    wrong = "python" if mine else "torch"
    expected = f"{wrong} " + ", ".join(dict.fromkeys(one for row in mine or tables for one in row[wrong]))
    fix = Fix(Action.CONFIGURE, _("Quantise in a Python of its own, with a torch that AMCT takes."))
    actual = _("AMCT is not for {what}").format(what=f"Python {python.version}" if mine else f"torch {torch}")
    return warn(*proofs, actual=actual, expected=expected, fix=fix)


def _of_amct(row: dict[str, Any], python: Interpreter) -> bool:
    try:
        return speaks_of(row["amct"], Torch(python.packages["amct_pytorch"]))
    except VersionError:
        return False


def _takes_python(row: dict[str, Any], python: Interpreter) -> bool:
    try:
        return Python(python.version).family in row["python"]
    except VersionError:
        return True


def _at_least(version: str, floor: str) -> bool:
    try:
        return Torch(version) >= Torch(floor)
    except VersionError:
        return True

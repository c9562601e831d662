"""Checks of the Python environments: what CANN needs of them, and packages that are not what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, warn
from npudoctor.host.python import Interpreter, pip_of
from npudoctor.regex import regex
from npudoctor.versions import Cann, Python, VersionError
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.host import Host

_PLACEHOLDERS = regex(r"cann|ascend_cann_\w+|mindcluster|mindspeed\w*|llamafactory_ascend")
_FRAMEWORKS = ("torch_npu", "mindspore")
_NEEDED = ("attrs", "cffi", "decorator", "numpy", "protobuf", "psutil", "pyyaml", "scipy", "sympy")
_FLOORS = {"decorator": "4.4.0", "sympy": "1.5.1", "cffi": "1.12.3", "protobuf": "3.13.0"}
_COMPANIONS = (
    ("torch_npu", "torch"),
    ("vllm_ascend", "vllm"),
    ("vllm_ascend", "torch_npu"),
    ("triton_ascend", "torch_npu"),
)
"""Left needs right in the same Python."""

NUMPY_FREE = Cann("8.5.0.alpha001")
"""From here on the official image leaves numpy free; before it pins 1.24.0."""


@check(
    "python.placeholder_packages",
    title=N_("No package is an empty placeholder of the public index"),
    sources=(
        "https://ascend.devcloud.huaweicloud.com/cann/pypi/simple",
        "vendor's installation guide, CANN 9.0",
    ),
    dated="2026-08",
    role="cann",
)
def placeholder_packages(host: Host) -> Verdict:
    """The public Python index holds empty packages under the names of Ascend's.

    `cann` and `ascend-cann-toolkit` 0.0.1.dev1, `mindcluster` 0.0.1.dev0 and others were registered there to
    keep the names; the real packages come from the vendor's own index (from CANN 8.5 on), so a plain
    `pip install ascend-cann-toolkit` installs nothing that runs. Seen in August 2026. A name that anybody may
    fill is also a way in for a stranger's code.
    """
    found = [line for python in host.python.interpreters.value for line in _placeholders(python)]
    if not found:
        return ok(host.python.interpreters, actual=_none_of(host))
    fix = Fix(
        Action.REINSTALL,
        _("Remove the placeholder; install from the vendor's index."),
        _uninstall(found),
        "cann",
    )
    actual = ", ".join(dict.fromkeys(line.text for line in found))
    verdict = fail if host.cann.installations.or_none() == () else warn
    return verdict(*found, actual=actual, expected=_("packages of the vendor's index"), fix=fix)


def _placeholders(python: Interpreter) -> Iterator[Evidence]:
    for name, version in python.packages.items():
        if _PLACEHOLDERS.fullmatch(name) and version.startswith("0.0."):
            yield from python.package(name).evidence


@check(
    "python.numpy",
    title=N_("numpy is of a version that this CANN works with"),
    sources=(
        "https://github.com/vllm-project/vllm-ascend/issues/2210",
        "https://www.hiascend.com/document/detail/en/canncommercial/800/softwareinst/instg/instg_0045.html",
    ),
    dated="2026-08",
)
def numpy(host: Host) -> Verdict:
    """numpy 2 makes `set_device` fail with 500001 on CANN 8.2.RC1, which looks like a driver fault.

    vllm-ascend issue 2210 (2025). The vendor's pages up to CANN 8.5.0.alpha001 name numpy 1.19.2 to 1.24, and
    its images pin 1.24.0 up to 8.3; from 8.5 on both leave it free.
    """
    pythons = _with_framework(host)
    if not pythons or host.cann.active.absent:
        return skip(_("no torch_npu or MindSpore beside a CANN"))
    cann = host.cann.active.value
    having = [python for python in pythons if "numpy" in python.packages]
    if not having:
        return skip(_("numpy is not listed"))
    new = [python for python in having if _at_least(python.packages["numpy"], "2.0")]
    if not new or Cann(cann.version) >= NUMPY_FREE:
        return ok(*(python.package("numpy") for python in having), cann.evidence)
    fix = Fix(
        Action.CONFIGURE,
        _("Install numpy 1.26 in that Python."),
        tuple(f"{python.pip} install 'numpy<2'" for python in new),
    )
    expected = _("below 2 with CANN {version}").format(version=cann.version)
    return fail(*(python.package("numpy") for python in new), cann.evidence, expected=expected, fix=fix)


@check(
    "python.cann_dependencies",
    title=N_("The Python packages that CANN's compiler needs are installed"),
    sources=(
        "https://github.com/Ascend/pytorch/issues/7",
        "https://www.hiascend.com/document/detail/zh/canncommercial/900/softwareinst/instg/instg_0045.html",
    ),
    dated="2026-08",
)
def cann_dependencies(host: Host) -> Verdict:
    """CANN compiles operators with Python code of its own (te, tbe), which needs ordinary packages.

    One that is missing shows as "EH9999 … init env failed" with 500001 and looks like a version conflict
    (Ascend/pytorch issue 7, CANN 7.0, with the lowest versions of some). It hurts `atc`, graph mode and
    operators that are compiled at run time; others may never notice, so this is a warning.
    A list that leaves out sympy, which torch itself needs, is no whole list and is not judged.
    """
    pythons = [python for python in _with_framework(host) if "sympy" in python.packages]
    if not pythons:
        return skip(_("no whole list of packages beside torch_npu or MindSpore"))
    lines = [line for python in pythons for line in _lacking(python)]
    if not lines:
        return ok(Evidence(pythons[0].path, ", ".join(_NEEDED)), actual=_("all there"))
    fix = Fix(
        Action.CONFIGURE,
        _("Install them in that Python."),
        tuple(f"{python.pip} install {' '.join(_NEEDED)}" for python in pythons if _lacks(python)),
    )
    return warn(*lines, actual=_("; ").join(dict.fromkeys(line.text for line in lines)), fix=fix)


def _lacking(python: Interpreter) -> Iterator[Evidence]:
    for name in _NEEDED:
        if name not in python.packages:
            yield Evidence(python.path, _("{name} is missing").format(name=name))
        elif name in _FLOORS and not _at_least(python.packages[name], _FLOORS[name]):
            yield Evidence(python.path, f"{name}=={python.packages[name]} < {_FLOORS[name]}")


def _lacks(python: Interpreter) -> bool:
    return any(True for _line in _lacking(python))


@check(
    "python.duplicates",
    title=N_("No package is installed twice in one Python"),
    sources=("https://packaging.python.org/en/latest/specifications/name-normalization/",),
    dated="2026-08",
)
def duplicates(host: Host) -> Verdict:
    """Two sets of metadata of one project mean that one installation went over another.

    `torch-npu` and `torch_npu` are the same project (names are equal after normalisation), so an old folder
    that an installer did not recognise stays beside the new one, and files of both are mixed.
    """
    lines = [line for python in host.python.interpreters.value for line in _twice(python)]
    if not lines:
        return ok(host.python.interpreters, actual=_none_of(host))
    names = list(dict.fromkeys(line.text.split("==")[0] for line in lines))
    fix = Fix(
        Action.REINSTALL,
        _("Uninstall it until pip finds no more, then install the one version that is wanted."),
        tuple(
            dict.fromkeys(f"{line.source} -m pip uninstall -y {line.text.split('==')[0]}" for line in lines)
        ),
    )
    return warn(*lines, actual=", ".join(names), expected=_("one of each"), fix=fix)


def _twice(python: Interpreter) -> Iterator[Evidence]:
    for name, versions in python.versions.items():
        if len(versions) > 1:
            yield Evidence(python.path, f"{name}==" + " and ".join(versions))


@check(
    "python.several_interpreters",
    title=N_("Packages that need each other are in the same Python"),
    sources=("vllm-ascend docs/source/installation.md@182b75e",),
    dated="2026-08",
)
def several_interpreters(host: Host) -> Verdict:
    """torch_npu extends torch, and vllm-ascend extends vllm, in the Python that they are installed in.

    With several Pythons on a machine a package easily lands in another one than its partner: the import then
    fails with "No module named torch", or vLLM starts without its plugin. Where no Python has the partner,
    the list may be a short one: a warning.
    """
    pythons = host.python.interpreters.value
    pairs = [
        (python, left, right) for python in pythons for left, right in _COMPANIONS if left in python.packages
    ]
    if not pairs:
        return skip(_("no torch_npu or vllm-ascend"))
    alone = [(python, left, right) for python, left, right in pairs if right not in python.packages]
    if not alone:
        return ok(*(python.package(left) for python, left, _right in pairs), actual=_("all together"))
    lines = [
        Evidence(python.path, _("{left} without {right}").format(left=left, right=right))
        for python, left, right in alone
    ]
    elsewhere = [python.path for python in pythons for _p, _l, right in alone if right in python.packages]
    actual = _("; ").join(f"{line.source}: {line.text}" for line in lines)
    if elsewhere:
        actual += _(" (it is in {paths})").format(paths=", ".join(dict.fromkeys(elsewhere)))
    fix = Fix(Action.REINSTALL, _("Install both in the same Python."))
    return (fail if elsewhere else warn)(*lines, actual=actual, fix=fix)


def _none_of(host: Host) -> str:
    count = sum(len(python.packages) for python in host.python.interpreters.value)
    return _("none of {count} packages that were listed").format(count=count)


def _uninstall(lines: list[Evidence]) -> tuple[str, ...]:
    pairs = dict.fromkeys((pip_of(line.source), line.text.split("==")[0]) for line in lines)
    return tuple(f"{pip} uninstall -y {name}" for pip, name in pairs)


def _with_framework(host: Host) -> list[Interpreter]:
    pythons = host.python.interpreters.value
    return [python for python in pythons if any(name in python.packages for name in _FRAMEWORKS)]


def _at_least(version: str, floor: str) -> bool:
    try:
        return Python(version) >= Python(floor)
    except VersionError:
        return True

"""Checks of the operator packages: kernels up to CANN 8.3, ops from 8.5."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, unknown, warn
from npudoctor.parse.cann_component import admits
from npudoctor.versions import Cann as CannVersion
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.host.cann import Installation
    from npudoctor.host.operators import Operators

GUIDE = "https://www.hiascend.com/document/detail/zh/mindsdk/730/indexn/indexug/mxindexfrug_0008.html"
_WITH_PACKAGE = ("310P", "310B", "910", "910B", "A3", "950")
_SPLIT = CannVersion("8.5.0.alpha001")
"""From 8.5 on operators are a package of their own that must be there."""

_RELEASES = ("8.5", "9.0", "9.1", "9.2")
"""Release lines in order, from 8.5 on: toolkit and ops may be one apart."""


@check(
    "cann.operators",
    title=N_("The operators of this chip are installed"),
    sources=(
        GUIDE,
        "https://github.com/hiyouga/LlamaFactory/issues/3796",
        "https://github.com/vllm-project/vllm-ascend/issues/4284",
    ),
    dated="2026-08",
    role="cann",
)
def operators(host: Host) -> Verdict:
    """Operators come as binaries for one chip family, in a package of their own.

    From CANN 8.5 on the toolkit brings none: without `Ascend-cann-<chip>-ops` the first operator stops with
    E30006 or 561107 "no binary" (vllm-ascend issue 4284). Up to 8.3 the package
    (`Ascend-cann-kernels-<chip>`) is optional for models that `atc` compiles, but torch_npu needs it. The
    package of another chip does not help: a first-generation 910 with the 910b package stops at "Cannot parse
    json for config file … ascend910/cast.json" (LLaMA-Factory issue 3796, confirmed there).
    """
    if host.cann.active.absent:
        return skip(_("no CANN is installed"))
    if host.npus.present.or_none() is False:
        return skip(_("no NPU on this machine"))
    cann = host.cann.active.value
    family = host.npus.family.value
    if family not in _WITH_PACKAGE:
        return skip(_("there is no operator package for {family}").format(family=family))
    wanted = family.lower()
    found = cann.installed.value
    mine = [operators for operators in found if operators.chip == wanted]
    if mine:
        return ok(*(operators.evidence for operators in mine), host.npus.family, actual=_names(found))
    return _missing(host, cann, wanted, found)


def _missing(host: Host, cann: Installation, chip: str, found: tuple[Operators, ...]) -> Verdict:
    proofs = [cann.evidence, *cann.installed.evidence, *host.npus.family.evidence]
    fix = Fix(
        Action.REINSTALL,
        _("Install the operator package of {chip} for CANN {version} into the same path.").format(
            chip=chip, version=cann.version
        ),
        (f"bash {_package(cann, chip)} --quiet --install --install-for-all",),
        "cann",
    )
    if found:
        actual = _("operators for {chips} only").format(chips=_names(found))
        return fail(*proofs, actual=actual, expected=chip, fix=fix)
    actual = _("no operator package")
    if CannVersion(cann.version) >= _SPLIT or _has_torch_npu(host):
        return fail(*proofs, actual=actual, expected=chip, fix=fix)
    return warn(*proofs, actual=actual, expected=chip, fix=fix)


@check(
    "cann.operators_version",
    title=N_("Operator packages and toolkit are of releases that go together"),
    sources=(
        "https://www.hiascend.com/document/detail/zh/canncommercial/900/softwareinst/instg/instg_0045.html",
        "leideng/CANN-8.1.RC1 Ascend/ascend-toolkit/8.1.RC1/opp_kernel/version.info",
    ),
    dated="2026-08",
    role="cann",
)
def operators_version(host: Host) -> Verdict:
    """From 8.5 on toolkit and ops may be one release apart in either direction, both 8.5.0 or newer.

    Up to 8.3 the kernels package says itself which toolkit it works with
    (`required_package_toolkit_version=">=7.6, <=7.7"`), and ascend-deployer asks for the same version.
    An upgrade of the toolkit removes the operators of 8.5 and newer, so they are often forgotten or old.
    """
    if host.cann.active.absent:
        return skip(_("no CANN is installed"))
    cann = host.cann.active.value
    stated = [found for found in cann.installed.or_none() or () if found.version]
    if stated:
        return _judge_ops(cann, stated)
    kernels = cann.components.get("opp_kernel")
    if kernels is None:
        return skip(_("no operator package states its version"))
    line = Evidence(kernels.evidence[0].source, f"Version={kernels.value.version}")
    unmet = [*_unmet(cann)]
    if not unmet:
        return ok(line, cann.evidence, actual=kernels.value.cann or kernels.value.version)
    return fail(line, *unmet, actual=_("; ").join(found.text for found in unmet), fix=_same_release(cann))


def _judge_ops(cann: Installation, stated: list[Operators]) -> Verdict:
    proofs = [cann.evidence, *(found.evidence for found in stated)]
    versions = sorted({str(found.version) for found in stated})
    actual = _("toolkit {toolkit}, operators {operators}").format(
        toolkit=cann.version, operators=", ".join(versions)
    )
    expected = _("at most one release apart")
    steps = [_apart(cann.version, version) for version in versions]
    if any(step is not None and step > 1 for step in steps):
        return fail(*proofs, actual=actual, expected=expected, fix=_same_release(cann))
    if None in steps:
        return unknown(*proofs, actual=actual, expected=expected)
    return ok(*proofs, actual=actual)


def _apart(one: str, other: str) -> int | None:
    """How many release lines apart; None where one of them is of a line that is not known."""
    first, second = CannVersion(one), CannVersion(other)
    if first == second:
        return 0
    if (first >= _SPLIT) != (second >= _SPLIT):
        return len(_RELEASES)
    if first.family not in _RELEASES or second.family not in _RELEASES:
        return None
    return abs(_RELEASES.index(first.family) - _RELEASES.index(second.family))


def _unmet(cann: Installation) -> list[Evidence]:
    kernels = cann.components["opp_kernel"]
    parts = ((name, cann.components.get(name), wanted) for name, wanted in kernels.value.packages.items())
    return [
        Evidence(
            kernels.evidence[0].source, f"opp_kernel needs {name} {wanted}, there is {part.value.version}"
        )
        for name, part, wanted in parts
        if part is not None and part.known and not admits(wanted, part.value.version)
    ]


def _same_release(cann: Installation) -> Fix:
    summary = _("Install the operator package of CANN {version}.").format(version=cann.version)
    return Fix(Action.REINSTALL, summary, (), "cann")


def _package(cann: Installation, chip: str) -> str:
    tail = f"{cann.version}_linux-{cann.arch or '$(uname -m)'}.run"
    label = chip.upper() if chip == "a3" else chip
    if CannVersion(cann.version) >= _SPLIT:
        return f"Ascend-cann-{label}-ops_{tail}"
    return f"Atlas-A3-cann-kernels_{tail}" if chip == "a3" else f"Ascend-cann-kernels-{chip}_{tail}"


def _names(found: tuple[Operators, ...]) -> str:
    return ", ".join(dict.fromkeys(operators.chip for operators in found))


def _has_torch_npu(host: Host) -> bool:
    return host.python.interpreters.known and bool(host.python.having("torch_npu"))


@check(
    "cann.platform_config",
    title=N_("CANN's description of this chip is there"),
    sources=(
        "https://github.com/vllm-project/vllm-ascend/issues/6336",
        "https://github.com/vllm-project/vllm-ascend/issues/692",
        "leideng/CANN-8.1.RC1 Ascend/ascend-toolkit/8.1.RC1/aarch64-linux/data/platform_config",
    ),
    dated="2026-08",
    role="cann",
)
def platform_config(host: Host) -> Verdict:
    """The runtime reads `<CANN>/<arch>-linux/data/platform_config/<chip>.ini` when it starts.

    Where it is missing everything stops with 500001 and "init runtime platform info failed, SocVersion = …".
    It happens when single folders of CANN are mounted into a container (vllm-ascend issue 6336), or when the
    chip is newer than the CANN. The chips of the families 910 and 950 go by several names and are not looked
    up one by one.
    """
    if host.cann.active.absent:
        return skip(_("no CANN is installed"))
    if host.npus.present.or_none() is False:
        return skip(_("no NPU on this machine"))
    cann = host.cann.active.value
    chips = cann.platforms
    if not chips.value:
        fix = Fix(
            Action.CONFIGURE, _("Mount or install the whole CANN folder, {root}.").format(root=cann.root)
        )
        return fail(chips, cann.evidence, actual=_("no platform_config"), expected="<chip>.ini", fix=fix)
    if host.npus.family.value in ("910", "950"):
        return ok(chips, actual=_("{count} chips").format(count=len(chips.value)))
    wanted = "Ascend" + host.npus.chip.value.removeprefix("Ascend")
    if wanted in chips.value:
        return ok(Evidence(chips.evidence[0].source, f"{wanted}.ini"))
    actual = _("CANN {version} has no {chip}.ini").format(version=cann.version, chip=wanted)
    fix = Fix(Action.UPGRADE, _("Use a CANN that knows this chip."), (), "cann")
    return warn(chips, host.npus.chip, actual=actual, expected=f"{wanted}.ini", fix=fix)

"""Checks of NNAL (ATB): there, of the CANN's release, and in torch's C++ ABI."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.checks.registry import check
from npudoctor.fact import Evidence, Fact
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, unknown, warn
from npudoctor.versions import Cann as CannVersion
from npudoctor.versions import Torch, VersionError
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.host.nnal import AtbHome, Nnal
    from npudoctor.host.python import Interpreter

_NEEDED_BY = ("vllm_ascend", "mindie_llm", "atb_llm")
_SOURCE = "source /usr/local/Ascend/nnal/atb/set_env.sh"


@check(
    "cann.nnal",
    title=N_("NNAL (ATB) is installed and sourced where serving needs it"),
    sources=("vllm-ascend docs/source/installation.md@182b75e", "vllm-ascend docs/source/faqs.md@182b75e"),
    dated="2026-08",
    role="cann",
)
def nnal(host: Host) -> Verdict:
    """vllm-ascend and MindIE load libatb.so, which comes with NNAL and not with the toolkit.

    Without it, or without `nnal/atb/set_env.sh` in the environment of the process, the start stops with
    "libatb.so: cannot open shared object file" (vllm-ascend's installation page and FAQ, August 2026).
    """
    needing = _needing(host)
    if not needing:
        return skip(_("nothing here needs NNAL"))
    found = host.cann.nnal.value
    if not found:
        fix = Fix(
            Action.REINSTALL,
            _("Install NNAL of the same release as CANN."),
            (
                "bash Ascend-cann-nnal_<version>_linux-$(uname -m).run --quiet --install --install-for-all",
                _SOURCE,
            ),
            "cann",
        )
        return fail(host.cann.nnal, *needing, actual=_("no NNAL"), expected="libatb.so", fix=fix)
    if _sourced_without_nnal(host):
        fix = Fix(Action.CONFIGURE, _("Source NNAL's set_env.sh after that of CANN."), (_SOURCE,))
        line = Evidence("environment", _("ASCEND_HOME_PATH is set, ATB_HOME_PATH is not"))
        return warn(line, *needing, actual=line.text, expected="ATB_HOME_PATH", fix=fix)
    return ok(host.cann.nnal, actual=", ".join(f"{one.package} {one.version.or_none()}" for one in found))


def _needing(host: Host) -> list[Fact[str]]:
    if host.mindie.version.known:
        return [host.mindie.version]
    return [fact for name in _NEEDED_BY for fact in _packages(host, name)]


def _sourced_without_nnal(host: Host) -> bool:
    variables = host.environment.variables.or_none() or {}
    return "ASCEND_HOME_PATH" in variables and host.cann.atb_home.absent


@check(
    "cann.nnal_version",
    title=N_("NNAL and CANN are of one release"),
    sources=(
        "https://github.com/vllm-project/vllm-ascend/issues/117",
        "vllm-ascend docs/source/installation.md@182b75e",
    ),
    dated="2026-08",
    role="cann",
)
def nnal_version(host: Host) -> Verdict:
    """NNAL is released with CANN under the same number, and pairs with it.

    An older NNAL lacks functions that torch_npu calls: "undefined symbol: …atb…CreateOperation…GroupTopk"
    (vllm-ascend issue 117). vllm-ascend names one number for CANN and NNAL in every release.
    """
    if host.cann.active.absent or host.cann.nnal.or_none() == ():
        return skip(_("no CANN or no NNAL is installed"))
    cann = host.cann.active.value
    atb = _used(host)
    if atb is None:
        return unknown(host.cann.nnal, actual=_("several NNAL, and ATB_HOME_PATH names none of them"))
    mine, theirs = CannVersion(cann.version).edition, CannVersion(atb.version.value).edition
    if mine == theirs:
        return ok(cann.evidence, atb.version, actual=str(theirs))
    fix = Fix(
        Action.REINSTALL,
        _("Install NNAL {version}.").format(version=mine),
        (f"bash Ascend-cann-nnal_{mine}_linux-$(uname -m).run --quiet --install --install-for-all",),
        "cann",
    )
    verdict = fail if theirs < mine and theirs.family != mine.family else warn
    actual = _("CANN {cann}, NNAL {nnal}").format(cann=mine, nnal=theirs)
    return verdict(cann.evidence, atb.version, actual=actual, expected=str(mine), fix=fix)


def _used(host: Host) -> Nnal | None:
    found = [one for one in host.cann.nnal.value if one.package == "atb"] or list(host.cann.nnal.value)
    home = host.cann.atb_home.or_none()
    named = [one for one in found if home and one.root == home.root]
    if named or len(found) == 1:
        return (named or found)[0]
    return None


@check(
    "cann.nnal_abi",
    title=N_("ATB is used in the C++ ABI that torch was built with"),
    sources=(
        "https://github.com/Ascend/pytorch/issues/99",
        "https://pytorch.org/blog/pytorch2-6/",
        "leideng/CANN-8.1.RC1 Ascend/nnal/atb/set_env.sh",
    ),
    dated="2026-08",
    role="cann",
)
def nnal_abi(host: Host) -> Verdict:
    """NNAL holds two builds, `cxx_abi_0` and `cxx_abi_1`; the wrong one stops with undefined C++ symbols.

    Its set_env.sh asks torch itself (`torch.compiled_with_cxx11_abi()`) unless `--cxx_abi` is given, and
    takes 1 where `import torch` fails, so the order of sourcing and of activating a venv matters. PyTorch's
    own wheels: the old ABI up to 2.5, the new one for Linux from 2.7 on, and for aarch64 already in 2.6
    (PyTorch 2.6 release note). A torch built from source may differ, so it is not judged.
    """
    home = host.cann.atb_home
    if home.absent:
        return skip(_("ATB_HOME_PATH is not set"))
    torches = _packages(host, "torch_npu") and _packages(host, "torch", _current(host))
    if not torches:
        return skip(_("no torch with torch_npu"))
    torch = torches[0]
    wanted = torch_abi(torch.value, host.system.arch.or_none())
    used = home.value.abi
    if wanted is None:
        why = _("the ABI of torch {version} is not known from its number").format(version=torch.value)
        return unknown(home, torch, actual=why, fix=_ask_torch())
    if used != wanted:
        return _wrong_abi(home, torch, used, wanted)
    atb = _used(host) if host.cann.nnal.known else None
    if atb and used not in (atb.abis.or_none() or (used,)):
        fix = Fix(Action.REINSTALL, _("Install NNAL again: it has no build for this ABI."), (), "cann")
        return fail(
            home, atb.abis, actual=_("no cxx_abi_{abi} in {root}").format(abi=used, root=atb.root), fix=fix
        )
    return ok(home, torch, actual=f"cxx_abi_{used}")


def _wrong_abi(home: Fact[AtbHome], torch: Fact[str], used: int, wanted: int) -> Verdict:
    fix = Fix(
        Action.CONFIGURE,
        _("Source NNAL with the ABI of torch."),
        (f"{_SOURCE} --cxx_abi={wanted}",),
    )
    verdict = fail if wanted == 1 else warn
    actual = _("ATB in ABI {used}, torch {torch} in ABI {wanted}").format(
        used=used, torch=torch.value, wanted=wanted
    )
    return verdict(home, torch, actual=actual, expected=f"cxx_abi_{wanted}", fix=fix)


def torch_abi(version: str, arch: str | None) -> int | None:
    """The C++ ABI of PyTorch's own wheel of this version; None where the number does not tell."""
    if re.search(r"\+git|\+g[0-9a-f]{6}|dev", version):
        return None
    try:
        torch = Torch(version)
    except VersionError:
        return None
    if torch >= Torch("2.7.0"):
        return 1
    if torch >= Torch("2.6.0"):
        return 1 if arch == "aarch64" else None
    return 0


def _ask_torch() -> Fix:
    command = "python3 -c 'import torch; print(torch.compiled_with_cxx11_abi())'"
    return Fix(Action.NONE, _("Ask torch itself."), (command,))


def _packages(host: Host, name: str, among: tuple[Interpreter, ...] | None = None) -> list[Fact[str]]:
    pythons = host.python.having(name) if among is None else among
    return [fact for python in pythons if (fact := python.package(name)).known]


def _current(host: Host) -> tuple[Interpreter, ...]:
    """The Python of this environment where it has torch_npu, else every one that has it."""
    current = host.python.current.value
    return (current,) if "torch_npu" in current.packages else host.python.having("torch", "torch_npu")

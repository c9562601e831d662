"""Checks of the tools of CANN that optimisation begins with: `atc` compiles, `msprof` measures."""

from __future__ import annotations

from posixpath import basename
from typing import TYPE_CHECKING

from npudoctor.checks.registry import check
from npudoctor.finding import Action, Fix, Verdict, ok, skip, warn
from npudoctor.host.cann_tools import TOOLS
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.host.cann import Installation
    from npudoctor.host.cann_tools import Started


@check(
    "cann.atc",
    title=N_("atc is there and is the one of the CANN in use"),
    sources=(
        "Ascend/msprobe:python/msprobe/infer/offline/compare/msquickcmp/atc/atc_utils.py@f1a1f3b92bf7",
        "hicann/ge:docs/zh/user_guides/atc_tools/CLI_options/--soc_version.md@ffdcbc9f7496",
    ),
    dated="2026-11",
    role="toolkit",
)
def atc(host: Host) -> Verdict:
    """atc compiles a model to an offline model (`.om`), which runs on no CANN older than that of its atc.

    The toolkit brings it, in `bin`, earlier in `compiler/bin` or `atc/bin`. Where PATH starts the atc of
    another CANN than the one in use, its models may not load here (guide of atc, option --soc_version, August
    2026).
    """
    return _judge(host, "atc")


@check(
    "cann.msprof",
    title=N_("msprof is there and is the one of the CANN in use"),
    sources=(
        "hicann/oam-tools:docs/en/package_install.md@b9ebaf448a59",
        "leideng/CANN-8.1.RC1:Ascend/ascend-toolkit/8.1.RC1/tools/profiler@4332a0134a96",
        "Ascend/msprof:docs/en/user_guide@9ba1ac7be",
    ),
    dated="2026-11",
    role="toolkit",
)
def msprof(host: Host) -> Verdict:
    """Optimisation starts with a profile, and msprof takes it.

    The toolkit brings it, in `tools/profiler/bin` or `bin`. The files of a profile differ between releases of
    CANN, so an msprof of another release than the libraries that write the raw data may not read them.
    """
    return _judge(host, "msprof")


def _judge(host: Host, tool: str) -> Verdict:
    if host.cann.active.absent:
        return skip(_("no CANN is installed"))
    cann = host.cann.active.value
    if cann.package and "toolkit" not in cann.package.lower():
        return skip(_("{package} brings no {tool}").format(package=cann.package, tool=tool))
    found = cann.tools[tool]
    if found.absent:
        return warn(
            cann.evidence,
            actual=_("no {tool} in {root}").format(tool=tool, root=cann.root),
            expected=_(" or ").join(TOOLS[tool]),
            fix=Fix(Action.REINSTALL, _("Install the toolkit again: part of it is missing."), (), "toolkit"),
        )
    path = found.value
    started = (host.cann.started.or_none() or {}).get(tool)
    if started and not _is_of(cann, started):
        return _other(host, cann, started)
    return ok(found, actual=started.path if started else path)


def _is_of(cann: Installation, started: Started) -> bool:
    folders = tuple(f"{folder}/" for folder in cann.folders)
    return started.real.startswith(folders) or started.path.startswith(folders)


def _other(host: Host, cann: Installation, started: Started) -> Verdict:
    fix = Fix(
        Action.CONFIGURE,
        _("Source set_env.sh of the CANN that is to be used, last, or start its tool by the whole path."),
        (f"type -a {basename(started.path)}",),
    )
    return warn(
        host.cann.started,
        cann.evidence,
        actual=_("PATH starts {path}, and {cann} is in use").format(path=started.real, cann=cann),
        expected=cann.root,
        fix=fix,
    )

"""Checks of the CANN installations: there, readable, whole, and for this machine."""

from __future__ import annotations

from posixpath import dirname
from typing import TYPE_CHECKING

from npudoctor.checks.registry import check
from npudoctor.fact import Evidence, Fact, Unavailable
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, unknown, warn
from npudoctor.parse.cann_component import CannComponent, admits, numbers
from npudoctor.versions import Cann as CannVersion
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from npudoctor.host import Host
    from npudoctor.host.cann import Installation

INSTALL_GUIDE = (
    "https://www.hiascend.com/document/detail/zh/canncommercial/900/softwareinst/instg/instg_0045.html"
)
_CANN_NEEDED_BY = ("torch_npu", "mindspore", "vllm_ascend")


@check(
    "cann.installed",
    title=N_("CANN is installed where programs of this machine need it"),
    sources=("https://github.com/vllm-project/vllm-ascend/issues/262", "vllm-ascend docs/source/faqs.md"),
    dated="2026-08",
    role="cann",
)
def installed(host: Host) -> Verdict:
    """torch_npu, MindSpore and vllm-ascend load libraries of CANN when they are imported.

    Without it the import stops with "libhccl.so: cannot open shared object file", or vLLM says "Failed to
    infer device type" (vllm-ascend issue 262). A host that only runs containers needs no CANN of its own:
    theirs comes from the image, and only the driver from the host. So its absence is a fault where a Python
    of this machine holds such a package, a warning inside a container, and nothing on another host.
    """
    found = host.cann.installations.value
    if found:
        return ok(host.cann.installations, actual=", ".join(str(cann) for cann in found))
    needed = _needing_cann(host)
    if needed:
        actual = _("no CANN, but {packages} is installed").format(packages=", ".join(e.text for e in needed))
        return fail(host.cann.installations, *needed, actual=actual, expected=_("CANN"), fix=_install_fix())
    if host.npus.present.or_none() is False:
        return skip(_("no NPU on this machine"))
    if host.system.in_container.or_none():
        return warn(host.cann.installations, actual=_("no CANN in this container"), fix=_install_fix())
    return skip(_("no CANN on this host: containers bring their own"))


def _needing_cann(host: Host) -> list[Evidence]:
    pythons = host.python.interpreters.or_none() or ()
    facts = (python.package(name) for python in pythons for name in _CANN_NEEDED_BY)
    return [line for fact in facts if fact.known for line in fact.evidence]


def _install_fix() -> Fix:
    return Fix(
        Action.REINSTALL,
        _("Install the CANN toolkit and the operator package of this chip, or use an image that holds them."),
        ("bash Ascend-cann-toolkit_<version>_linux-$(uname -m).run --quiet --install --install-for-all",),
        "cann",
    )


@check(
    "cann.readable",
    title=N_("The install files of CANN can be read and understood"),
    sources=(INSTALL_GUIDE,),
    dated="2026-08",
    role="cann",
)
def readable(host: Host) -> Verdict:
    """A user who may not read the CANN tree cannot run on it; a damaged install file hides its version.

    The vendor's guide (CANN 9.0) has a user outside the driver's group install and run only what was
    installed with `--install-for-all`; a conda installation needs folders of mode 755.
    """
    broken = host.cann.unreadable
    if not broken:
        found = host.cann.installations.value
        return ok(*_lines(found), actual=_count(found)) if found else skip(_("no CANN is installed"))
    why = [str(fact.content) for fact in broken]
    lines = [Evidence("files", text) for text in why]
    if any("permission denied" in text for text in why):
        command = "chmod -R a+rX /usr/local/Ascend"
        fix = Fix(Action.CONFIGURE, _("Let this user read the CANN tree."), (command,), "cann")
        return fail(*lines, actual=_("; ").join(why), expected=_("readable by this user"), fix=fix)
    fix = Fix(Action.REINSTALL, _("Install that CANN again: its install file is damaged."), (), "cann")
    return warn(*lines, actual=_("; ").join(why), expected=_("an install file with a version"), fix=fix)


@check(
    "cann.several",
    title=N_("It is clear which CANN is used"),
    sources=(
        INSTALL_GUIDE,
        "https://github.com/PaddlePaddle/FastDeploy/issues/2338",
    ),
    dated="2026-08",
    role="cann",
)
def several(host: Host) -> Verdict:
    """With two CANN trees a program may take half of its libraries from each.

    FastDeploy issue 2338: CANN 7.0 installed, 5.1.2 loaded. Several versions side by side are fine as long
    as one is chosen: by ASCEND_HOME_PATH, which `set_env.sh` sets, or by the link `latest` or `cann`. The
    guide of CANN 8.5 wants the layout up to 8.3 (`ascend-toolkit/<version>`) upgraded or removed before
    `cann-<version>` goes in beside it. A link that leads nowhere breaks `set_env.sh`.
    """
    found = host.cann.installations.value
    if host.cann.broken_links:
        fix = Fix(
            Action.CONFIGURE,
            _("Point the link to an installed version, or install that version."),
            (),
            "cann",
        )
        text = ", ".join(line.text for line in host.cann.broken_links)
        return fail(*host.cann.broken_links, actual=text, expected=_("a link that leads somewhere"), fix=fix)
    if not found:
        return skip(_("no CANN is installed"))
    if host.cann.unreadable:
        return unknown(*_lines(found), actual=str(host.cann.unreadable[0].content))
    if len(found) == 1:
        return ok(*_lines(found), actual=_count(found))
    return _judge_several(host, found)


def _judge_several(host: Host, found: tuple[Installation, ...]) -> Verdict:
    actual = ", ".join(str(cann) for cann in found)
    fix = Fix(
        Action.CONFIGURE,
        _("Source the set_env.sh of one CANN only, and remove the one that is no longer needed."),
        tuple(f"source {cann.root}/set_env.sh" for cann in found[-1:]),
        "cann",
    )
    if not host.cann.active.known:
        return warn(*_lines(found), actual=actual, expected=_("one that ASCEND_HOME_PATH names"), fix=fix)
    if len({_is_new_layout(cann) for cann in found if _is_toolkit(cann)}) > 1:
        return warn(*_lines(found), actual=actual, expected=_("one layout"), fix=fix)
    used = _("{all}; in use: {root}").format(all=actual, root=host.cann.active.value.root)
    return ok(*_lines(found), actual=used)


@check(
    "cann.install_complete",
    title=N_("All components of CANN are of one version"),
    sources=("leideng/CANN-8.1.RC1 Ascend/ascend-toolkit/latest/version.cfg", INSTALL_GUIDE),
    dated="2026-08",
    role="cann",
)
def install_complete(host: Host) -> Verdict:
    """`version.cfg` names the version of every component that runs; a half upgrade leaves two.

    Mixed parts show as undefined symbols, or as 507033 at the first device call. The operator package is
    judged by cann.operators_version, since it may be one release apart.
    """
    if skipped := _none(host):
        return skipped
    running = host.cann.active.value.versions
    if running.absent:
        return skip(_("this CANN has no version.cfg"))
    parts = {name: part.cann for name, part in running.value.running.items() if name != "opp_kernel"}
    source = running.evidence[0].source
    versions = sorted(set(parts.values()))
    if len(versions) == 1:
        count = _("{count} components of {version}").format(count=len(parts), version=versions[0])
        return ok(Evidence(source, count), actual=count)
    lines = [Evidence(source, f"{name}: {version}") for name, version in sorted(parts.items())]
    fix = Fix(
        Action.REINSTALL, _("Install the toolkit again, so that all parts are of one version."), (), "cann"
    )
    return fail(*lines, actual=", ".join(versions), expected=_("one version"), fix=fix)


@check(
    "cann.components",
    title=N_("Each component of CANN finds the others in the versions that it asks for"),
    sources=("leideng/CANN-8.1.RC1 Ascend/ascend-toolkit/8.1.RC1/runtime/version.info",),
    dated="2026-08",
    role="cann",
)
def components(host: Host) -> Verdict:
    """Every component's `version.info` says which versions of the others it works with; the installer asks.

    `required_package_opp_kernel_version=">=7.6, <=7.7"` admits 7.7.0.1.238. A component outside of that was
    copied, or came with another version.
    """
    if skipped := _none(host):
        return skipped
    parts = host.cann.active.value.components
    asked = [*_demands({name: fact for name, fact in parts.items() if fact.known})]
    broken = [line for line, met in asked if not met]
    if broken:
        fix = Fix(Action.REINSTALL, _("Install the packages of one CANN release together."), (), "cann")
        return fail(*broken, actual=_("; ").join(line.text for line in broken), fix=fix)
    _touch(parts, "runtime", "compiler", "toolkit", "opp", "opp_kernel")
    if not asked:
        return skip(_("no component says what it needs"))
    return ok(asked[0][0], actual=_("{count} demands are met").format(count=len(asked)))


def _touch(parts: Mapping[str, Fact[CannComponent]], *names: str) -> None:
    """Raise where one of these is there and could not be read: what it asks for is not known."""
    for name in names:
        if name in parts and isinstance(parts[name].content, Unavailable):
            parts[name].value  # noqa: B018


def _demands(parts: Mapping[str, Fact[CannComponent]]) -> Iterator[tuple[Evidence, bool]]:
    for name, fact in parts.items():
        for other, wanted in fact.value.packages.items():
            if other in parts:
                has = parts[other].value.version
                text = f"{name} needs {other} {wanted}, there is {has}"
                yield Evidence(fact.evidence[0].source, text), admits(wanted, has)


@check(
    "cann.driver_floor",
    title=N_("The driver's interface is as new as the CANN runtime asks"),
    sources=("leideng/CANN-8.1.RC1 Ascend/ascend-toolkit/8.1.RC1/runtime/version.info",),
    dated="2026-08",
    role="driver",
)
def driver_floor(host: Host) -> Verdict:
    """The runtime's `version.info` asks for `required_driver_ascendhal_version`; the driver's says its own.

    It is a floor, and an old one (4.0.0 for years): meeting it does not make a pair. driver.cann_pairing
    judges that. Below it the runtime cannot talk to the driver at all.
    """
    if skipped := _none(host):
        return skipped
    runtime = host.cann.active.value.components.get("runtime")
    wanted = runtime.value.driver.get("ascendhal") if runtime else None
    if runtime is None or wanted is None:
        return skip(_("the runtime states no floor"))
    interface = host.cann.driver_interface
    if interface.absent:
        return skip(_("no driver is installed here"))
    floor = Evidence(runtime.evidence[0].source, f"required_driver_ascendhal_version={wanted}")
    if numbers(interface.value) >= numbers(wanted):
        return ok(floor, interface)
    fix = Fix(Action.UPGRADE, _("Upgrade the NPU driver."), (), "driver")
    return fail(floor, interface, expected=_("at least {version}").format(version=wanted), fix=fix)


@check(
    "cann.install_path",
    title=N_("The installer's note of its folder leads to a CANN"),
    sources=("https://gitee.com/ascend/ascend-deployer README (installation notes)",),
    dated="2023-04",
    role="cann",
)
def install_path(host: Host) -> Verdict:
    """Root's installer writes its folder to /etc/Ascend/ascend_cann_install.info and follows it ever after.

    `--install-path` is then passed over (ascend-deployer's installation notes), so a stale note sends the
    next upgrade to a folder that nobody uses.
    """
    if skipped := _none(host):
        return skipped
    noted = host.cann.recorded_path
    if noted.absent:
        return skip(_("no note of an installer"))
    roots = [cann.root for cann in host.cann.installations.value]
    if any(root == noted.value or root.startswith(noted.value.rstrip("/") + "/") for root in roots):
        return ok(noted)
    fix = Fix(
        Action.CONFIGURE,
        _("Correct the note, or remove it before the next installation."),
        (f"cat {noted.evidence[0].source}",),
        "cann",
    )
    return warn(noted, expected=", ".join(dirname(root) for root in roots), fix=fix)


def _none(host: Host) -> Verdict | None:
    """A skip where no CANN is installed: nothing of it can be judged."""
    return skip(_("no CANN is installed")) if host.cann.active.absent else None


def _lines(found: tuple[Installation, ...]) -> list[Evidence]:
    return [cann.evidence for cann in found]


def _count(found: tuple[Installation, ...]) -> str:
    return ", ".join(str(cann) for cann in found)


def _is_new_layout(cann: Installation) -> bool:
    return CannVersion(cann.version) >= CannVersion("8.5.0.alpha001")


def _is_toolkit(cann: Installation) -> bool:
    """Whether it is none of the smaller sets; a name that is damaged must not hide a toolkit."""
    return not any(small in (cann.package or "").lower() for small in ("nnae", "nnrt"))

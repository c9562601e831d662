"""Paths of the environment: CANN's set_env.sh, which CANN they lead to, and in which order."""

from __future__ import annotations

import re
from collections import Counter
from posixpath import basename, dirname
from typing import TYPE_CHECKING

from npudoctor.checks.env_scope import line, nothing, shortened
from npudoctor.checks.registry import check
from npudoctor.collect.snapshot import CLOCK
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, warn
from npudoctor.host.env_paths import LISTS, NAMING, Step, conflict, entries, steps
from npudoctor.host.places import place
from npudoctor.regex import regex
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.fact import Fact
    from npudoctor.host import Host
    from npudoctor.host.cann import Installation

SET_ENV = "leideng/CANN-8.1.RC1:Ascend/ascend-toolkit/set_env.sh@551ed27c"
IMAGES = "Ascend/cann-container-image:tools/template/ubuntu.Dockerfile.j2@c5a67b3"
STALE_OPP = (
    "hicann/runtime:docs/zh/error_code_ref/FE-Errors/E20002-Config_Error_Invalid_Environment_Variable.md"
)
IN_CONTAINERS = 4
"""The vendor's images set the paths, source set_env.sh in the entry point and again in ~/.bashrc."""
LOGINS = "/etc/profile.d/npudoctor-ascend.sh"
"""What the role `environment` writes."""
_IMAGE_VARIABLES = ("ASCEND_TOOLKIT_LATEST_HOME", "ASCEND_DOCKER_RUNTIME", "ASCEND_VISIBLE_DEVICES")
_STUBS = regex(r"/(stubs?|devlib|simulator|camodel)(/|$)")
_CONDA = regex(r"/[\w.-]*(?:conda|miniforge|mambaforge)[\w.-]*(?:/envs/[^/]+)?/lib/?$")
_UNEXPANDED = regex(r"\$\{?\w|^~|[\"'“”‘’`]")


@check(
    "env.set_env_sourced",
    title=N_("The environment is set up for the CANN that is installed"),
    sources=(SET_ENV, "https://github.com/vllm-project/vllm-ascend/issues/262"),
    dated="2026-08",
    role="environment",
)
def set_env_sourced(host: Host) -> Verdict:
    """Without set_env.sh torch_npu does not find libhccl.so, and vLLM finds no platform.

    set_env.sh sets ASCEND_HOME_PATH, LD_LIBRARY_PATH, PYTHONPATH and PATH. This is a warning, because the
    shell that you look at may not be the one that starts the job: a service sets its own environment.
    A host that is read over SSH is read in a session that is no login, and in which nobody works: there it
    passes where `npudoctor provision` has every login source the set_env.sh of a CANN that is installed.
    """
    variables = host.environment.variables.value
    found = {step.variable for step in steps(variables, host.cann.installations.or_none() or ())}
    missing = [name for name in ("ASCEND_HOME_PATH", "LD_LIBRARY_PATH") if name not in found]
    if not missing:
        home = variables["ASCEND_HOME_PATH"]
        return ok(line("ASCEND_HOME_PATH", home), actual=home)
    if not host.cann.installations.value:
        return skip(_("no CANN is installed"))
    if logins := _of_logins(host):
        return ok(logins, actual=_("logins source it; the session that read this host is none"))
    actual = _("{names} do not lead to a CANN").format(names=_(" and ").join(missing))
    proofs = [line(name, variables[name]) for name in missing if name in variables]
    fix = Fix(Action.CONFIGURE, _("Source set_env.sh in the shell that starts the job."), _source(host))
    return warn(*proofs, host.cann.installations, actual=actual, fix=fix)


def _of_logins(host: Host) -> Evidence | None:
    """The line by which logins source an installed CANN; of a host that another machine read."""
    if not host.snapshot.command(CLOCK).known:
        return None
    scripts = {_script(cann, folder) for cann in host.cann.installations.value for folder in cann.folders}
    for text in (host.snapshot.file(LOGINS).or_none() or "").splitlines():
        if set(text.split()) & scripts:
            return Evidence(LOGINS, text.strip())
    return None


def _source(host: Host) -> tuple[str, ...]:
    active = host.cann.active.or_none()
    installed = host.cann.installations.or_none() or ()
    cann = active or (installed[0] if installed else None)
    return (f"source {_script(cann, cann.root)}",) if cann else ()


def _script(cann: Installation, folder: str) -> str:
    """Up to 8.3 the script lies beside the versions, from 8.5 on in each of them (and in each `folder`)."""
    old = basename(dirname(cann.root)) == "ascend-toolkit"
    return f"{dirname(cann.root) if old else folder}/set_env.sh"


@check(
    "env.set_env_twice",
    title=N_("set_env.sh was sourced once"),
    sources=(SET_ENV, IMAGES),
    dated="2026-08",
    role="environment",
)
def set_env_twice(host: Host) -> Verdict:
    """Each time set_env.sh is sourced, it puts its folders in front once more.

    Sourced again after NNAL, MindIE or a virtual environment, it overtakes their folders, and libraries of
    the wrong package are found first. Inside a container up to four times are usual: the vendor's
    images set the paths, and source the script in the entry point and in ~/.bashrc.
    """
    variables = host.environment.variables.value
    found = [step.path.rstrip("/") for step in steps(variables, ()) if step.variable == "LD_LIBRARY_PATH"]
    if not found:
        return skip(_("LD_LIBRARY_PATH leads to no CANN"))
    folder, times = Counter(found).most_common(1)[0]
    allowed = IN_CONTAINERS if _is_image(host) else 1
    actual = _("{folder} is in LD_LIBRARY_PATH {times} times").format(folder=folder, times=times)
    proof = line("LD_LIBRARY_PATH", variables["LD_LIBRARY_PATH"], folder)
    if times <= allowed:
        return ok(proof, actual=actual)
    summary = _("Source it in one place only (~/.bashrc or the start script).")
    commands = ("grep -n set_env.sh ~/.bashrc ~/.bash_profile ~/.profile /etc/profile /etc/profile.d/*.sh",)
    return warn(proof, actual=actual, fix=Fix(Action.CONFIGURE, summary, commands))


def _is_image(host: Host) -> bool:
    """Whether this is a container; where that is not known, whether the variables of images are set."""
    inside = host.system.in_container.or_none()
    if inside is None:
        return any(name in host.environment.variables.value for name in _IMAGE_VARIABLES)
    return inside


@check(
    "env.one_cann_tree",
    title=N_("All paths lead to one CANN"),
    sources=(SET_ENV, IMAGES, "https://github.com/vllm-project/vllm-ascend/issues/262"),
    dated="2026-08",
    role="environment",
)
def one_cann_tree(host: Host) -> Verdict:
    """Libraries of one CANN with operators or Python modules of another crash, or report errors in operators.

    It happens when set_env.sh of two versions is sourced in one shell. What comes first counts: where
    ASCEND_HOME_PATH, ASCEND_OPP_PATH or the first CANN in a list differ, it fails; a second CANN further
    behind is a warning. From 8.5 on `ascend-toolkit/latest` leads to the same CANN as
    `cann-8.5.0`; that is fine.
    """
    named = steps(host.environment.variables.value, host.cann.installations.or_none() or ())
    found = [step for step in named if _is_there(host, step.path).or_none() is not False]
    if not found:
        return skip(_("no path leads to a CANN"))
    other = next((step for step in found if conflict(found[0], step)), None)
    if other is None:
        return ok(_at(host, found[0]), actual=found[0].tree)
    actual = _("{one} in {first}, {other} in {second}").format(
        one=found[0].tree, first=found[0].variable, other=other.tree, second=other.variable
    )
    summary = _("Open a new shell and source set_env.sh of one CANN only.")
    say = fail if _leads(found, other) else warn
    proofs = (_at(host, found[0]), _at(host, other))
    return say(*proofs, actual=actual, fix=Fix(Action.CONFIGURE, summary, _source(host)))


def _leads(found: list[Step], other: Step) -> bool:
    """Whether the other CANN decides something: it is named, or it is the first in its list."""
    first = next(step for step in found if step.variable == other.variable)
    return other.variable in NAMING or first is other


def _at(host: Host, step: Step) -> Evidence:
    return line(step.variable, host.environment.variables.value[step.variable], step.path)


@check(
    "env.paths_exist",
    title=N_("The folders that CANN variables name are there"),
    sources=(SET_ENV, STALE_OPP),
    dated="2026-08",
    role="environment",
)
def paths_exist(host: Host) -> Verdict:
    """A path that is left from before an upgrade ends in E20002, or in libraries that are not found.

    Looked at are ASCEND_HOME_PATH, ASCEND_TOOLKIT_HOME, ASCEND_OPP_PATH and ASCEND_AICPU_PATH.
    """
    variables = host.environment.variables.value
    named = {name: variables[name] for name in NAMING if variables.get(name)}
    if not named:
        return skip(_("no CANN variable is set"))
    facts = {name: _is_there(host, path) for name, path in named.items()}
    gone = [name for name, fact in facts.items() if fact.or_none() is False]
    if gone:
        return _gone(host, {name: named[name] for name in gone})
    seen = [line(name, named[name]) for name, fact in facts.items() if fact.known]
    if not seen:
        return ok(next(iter(facts.values())), actual=str(next(iter(facts.values())).value))
    return ok(*seen, actual=_("all that could be looked at are there"))


def _gone(host: Host, named: dict[str, str]) -> Verdict:
    actual = shortened([_("{name}={path} is not there").format(name=n, path=p) for n, p in named.items()])
    fix = Fix(Action.CONFIGURE, _("Source set_env.sh of a CANN that is installed."), _source(host))
    return fail(*(line(name, path) for name, path in named.items()), actual=actual, fix=fix)


def _is_there(host: Host, path: str) -> Fact[bool]:
    folders = [folder for cann in host.cann.installations.or_none() or () for folder in cann.folders]
    if any(path.rstrip("/") == folder for folder in folders):
        return host.cann.installations.map(lambda _all: True)
    return place(host.snapshot, path)


@check(
    "env.library_order",
    title=N_("Libraries of the driver and of CANN are found before stubs and foreign ones"),
    sources=(SET_ENV, "hicann/hccl:docs/zh/user_guide@09300b70"),
    dated="2026-08",
    role="environment",
)
def library_order(host: Host) -> Verdict:
    """LD_LIBRARY_PATH is searched from the left.

    Folders with stubs or simulators (`runtime/lib64/stub`, `simulator`, up to CANN 8.5 also `devlib`) hold
    empty copies of the driver's libraries for building; in front of the driver's own folders programs see no
    device: that fails. The `lib` of a conda environment in front of CANN brings other versions of libstdc++
    and OpenSSL: a warning.
    """
    variables = host.environment.variables.value
    paths = entries(variables, "LD_LIBRARY_PATH")
    if not any("/driver/lib64" in path for path in paths) and not steps(variables, ()):
        return nothing()
    stubs = _stub_first(paths)
    wrong = stubs or _conda_first(paths)
    if wrong is None:
        return ok(line("LD_LIBRARY_PATH", ":".join(paths)), actual=_("driver and CANN come first"))
    path, words = wrong
    proof = line("LD_LIBRARY_PATH", ":".join(paths), path)
    fix = Fix(Action.CONFIGURE, _("Take {path} out of LD_LIBRARY_PATH.").format(path=path), _without(path))
    return (fail if stubs else warn)(proof, actual=words, fix=fix)


def _without(path: str) -> tuple[str, ...]:
    keep = f"tr : '\\n' | grep -vxF '{path}' | paste -sd:"
    return (f'export LD_LIBRARY_PATH=$(printf %s "$LD_LIBRARY_PATH" | {keep})',)


def _stub_first(paths: list[str]) -> tuple[str, str] | None:
    driver = next((at for at, path in enumerate(paths) if "/driver/lib64" in path), len(paths))
    for path in paths[:driver]:
        if _STUBS.search(path) and not re.search(r"/cann-(?:9|\d\d)\.[^/]*/devlib", path):
            return path, _("{path} holds stubs and comes before the driver").format(path=path)
    return None


def _conda_first(paths: list[str]) -> tuple[str, str] | None:
    cann = next((at for at, path in enumerate(paths) if _is_cann(path)), None)
    for path in paths[: cann or 0]:
        if _CONDA.search(path):
            return path, _("{path} comes before CANN").format(path=path)
    return None


def _is_cann(path: str) -> bool:
    return bool(steps({"LD_LIBRARY_PATH": path}, ()))


@check(
    "env.path_syntax",
    title=N_("Path lists hold plain paths"),
    sources=("ld.so(8): LD_LIBRARY_PATH", SET_ENV),
    dated="2026-08",
    role="environment",
)
def path_syntax(host: Host) -> Verdict:
    """A blank, a quote, `~` or an unexpanded `$NAME` in a path list makes the loader look in no such folder.

    It comes from `ENV` lines of Dockerfiles, `--env-file` and service units, where no shell expands anything
    and quotes stay, and from a set_env.sh that was edited. Looked at are LD_LIBRARY_PATH, PYTHONPATH, PATH
    and the folders of CANN. An empty part is left alone: set_env.sh writes one.
    """
    variables = host.environment.variables.value
    wrong = {name: bad for name in (*LISTS, *NAMING) if (bad := _bad_part(variables.get(name, "")))}
    if not wrong:
        return ok(host.environment.variables, actual=_("plain paths")) if _has_lists(host) else nothing()
    actual = shortened([f"{name}: “{part}”" for name, part in wrong.items()])
    fix = Fix(Action.CONFIGURE, _("Write the paths out, with no blanks and no quotes."))
    proofs = [line(name, variables[name], part) for name, part in wrong.items()]
    return warn(*proofs, actual=actual, fix=fix)


def _has_lists(host: Host) -> bool:
    return bool(steps(host.environment.variables.value, ()))


def _bad_part(value: str) -> str | None:
    for part in value.split(":"):
        if part != part.strip() or _UNEXPANDED.search(part):
            return part
    return None

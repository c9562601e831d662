"""The container engine itself: its configuration, its Ascend runtime, its version."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.checks.container_scope import MINDIE, RUNTIME_SOURCE
from npudoctor.checks.npu_scope import without_npu
from npudoctor.checks.registry import check
from npudoctor.fact import Unavailable
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, warn
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.parse.docker import DaemonConfig

MINDCLUSTER = "github.com/Ascend/mind-cluster docs/zh/scheduling/03_installation_guide"
PROGRAM = "/usr/local/Ascend/Ascend-Docker-Runtime/ascend-docker-runtime"
OLDEST, NEWEST, MINDIE_OLDEST = (18, 9), (28, 5, 1), (24,)


@check(
    "container.engine_config",
    title=N_("The engine's configuration file can be read"),
    sources=("docs.docker.com: dockerd, daemon configuration file",),
    dated="2026-08",
    role="docker",
)
def engine_config(host: Host) -> Verdict:
    """Docker does not start with a daemon.json that is no valid JSON.

    A running engine goes on until its next restart, so the mistake shows after the reboot of a driver
    upgrade. Right: a JSON object, or no file. (Docker manual, 2026-08.)
    """
    config = host.containers.config
    if reason := _no_engine(host):
        return skip(reason)
    if config.absent:
        return skip(_("no daemon.json"))
    if isinstance(config.content, Unavailable) and config.content.reason == "unreadable":
        fix = Fix(
            Action.CONFIGURE,
            _("Mend the file before the engine is restarted."),
            ("python3 -m json.tool /etc/docker/daemon.json",),
            role="docker",
        )
        return fail(config, actual=config.content.why, expected=_("a JSON object"), fix=fix)
    default = config.value.default_runtime or "runc"
    return ok(config, actual=_("default runtime {name}").format(name=default))


@check(
    "container.runtime",
    title=N_("The Ascend runtime that is configured is loaded"),
    sources=(RUNTIME_SOURCE, "github.com/gpustack/gpustack docs/installation/requirements.md"),
    dated="2026-08",
    role="ascend_runtime",
)
def runtime(host: Host) -> Verdict:
    """The Ascend runtime gives NPUs to containers that set ASCEND_VISIBLE_DEVICES.

    Its installer puts the program in place and registers it in daemon.json; it counts once the engine was
    restarted: then `docker info` lists it. Registered without its program, no container starts with it. A
    host without it is right too, where nodes and driver are given by hand. (MindCluster's installation guide
    and gpustack's requirements, 2026-08.)
    """
    engine, config = host.containers.engine, host.containers.config.or_none()
    if reason := _no_engine(host):
        return skip(reason)
    if gone := _without_program(host, config):
        return gone
    configured = [name for name in (config.runtimes if config else {}) if "ascend" in name.lower()]
    loaded = [name for name in engine.value.runtimes if "ascend" in name.lower()]
    if not configured and not loaded and host.containers.paths.of(PROGRAM).known:
        return _not_registered(host)
    if not configured and not loaded:
        return skip(_("no Ascend runtime: nodes and driver are given by hand"))
    if not loaded:
        fix = Fix(
            Action.CONFIGURE,
            _("Restart the engine when its containers may stop (or with live-restore)."),
            ("systemctl restart docker", "docker info | grep -i runtimes"),
            role="ascend_runtime",
        )
        actual = _("{name} is in daemon.json, not in docker info").format(name=configured[0])
        return warn(host.containers.config, engine, actual=actual, expected=configured[0], fix=fix)
    return ok(engine, actual=", ".join(engine.value.runtimes))


@check(
    "container.engine_version",
    title=N_("The engine's version is one that the Ascend tools name"),
    sources=(f"{MINDCLUSTER}: Docker 18.09 to 28.5.1", f"{MINDIE}: Docker 24 or newer"),
    dated="2026-08",
    role="docker",
)
def engine_version(host: Host) -> Verdict:
    """The Ascend runtime is made for Docker 18.09 to 28.5.1; MindIE images ask for 24 or newer.

    Judged where the Ascend runtime is loaded or a MindIE container is there: other containers only need
    device nodes, which any Docker gives. (MindCluster and MindIE guides, 2026-08.)
    """
    engine = host.containers.engine
    if reason := _no_engine(host):
        return skip(reason)
    version = _numbers(engine.value.version or "")
    if not version:
        return skip(_("the engine does not say its version"))
    if _has_mindie(host) and version < MINDIE_OLDEST:
        return _outside(host, _("24 or newer for MindIE"))
    if not any("ascend" in name.lower() for name in engine.value.runtimes):
        return skip(_("no Ascend runtime"))
    if version < OLDEST or version > NEWEST:
        return _outside(host, "18.09 … 28.5.1")
    return ok(engine, actual=engine.value.version or "")


def _without_program(host: Host, config: DaemonConfig | None) -> Verdict | None:
    """The verdict on a runtime that is registered without its program; None where none is."""
    for name, path in (config.runtimes if config else {}).items():
        if "ascend" in name.lower() and host.containers.paths.of(path).absent:
            actual = _("{name} is registered, and {path} is not there").format(name=name, path=path)
            fix = Fix(
                Action.REINSTALL,
                _("Install the Ascend runtime again, or take it out of daemon.json."),
                ("./Ascend-docker-runtime_*.run --install", "systemctl restart docker"),
                role="ascend_runtime",
            )
            return fail(host.containers.config, actual=actual, expected=path, fix=fix)
    return None


def _not_registered(host: Host) -> Verdict:
    program, engine = host.containers.paths.of(PROGRAM), host.containers.engine
    fix = Fix(
        Action.CONFIGURE,
        _("Let its installer register it, then restart the engine when its containers may stop."),
        ("./Ascend-docker-runtime_*.run --install", "systemctl restart docker"),
        role="ascend_runtime",
    )
    actual = _("installed, and neither in daemon.json nor in docker info")
    return warn(program, engine, actual=actual, expected=_("registered as a runtime"), fix=fix)


def _no_engine(host: Host) -> str:
    """Why the engine is not judged here; empty where it is."""
    if reason := without_npu(host):
        return reason
    if host.outside:
        return _("inside a container")
    engine = host.containers.engine
    gone = engine.absent or (not engine.known and host.system.in_container.or_none())
    return _("no Docker: other engines are not judged") if gone else ""


def _has_mindie(host: Host) -> bool:
    return any("mindie" in npu.container.image.lower() for npu in host.containers.npu.or_none() or ())


def _outside(host: Host, expected: str) -> Verdict:
    engine = host.containers.engine
    fix = Fix(
        Action.UPGRADE, _("Use a version of Docker that was tried with the Ascend tools."), (), "docker"
    )
    return warn(engine, actual=engine.value.version or "", expected=expected, fix=fix)


def _numbers(text: str) -> tuple[int, ...]:
    match = re.match(r"\d{1,4}(?:\.\d{1,4}){0,2}", text)
    return tuple(int(part) for part in match[0].split(".")) if match else ()

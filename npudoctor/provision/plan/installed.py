"""What is on a host now, component by component: on the disk, and as far as that differs what runs."""

from __future__ import annotations

from functools import partial
from posixpath import basename, dirname
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, ParseError, known, unavailable
from npudoctor.host.cann_trees import LINKS, link_target
from npudoctor.matrix.chips import family_of_package
from npudoctor.parse.version_info import key_values
from npudoctor.provision.plan.docker_offers import read_docker_offers
from npudoctor.words import N_

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.collect.snapshot import Snapshot
    from npudoctor.host import Host
    from npudoctor.host.cann import Installation
    from npudoctor.host.nnal import Nnal
    from npudoctor.host.operators import Operators
    from npudoctor.host.python import Interpreter

_RUNTIME = "/usr/local/Ascend/Ascend-Docker-Runtime/ascend_docker_runtime_install.info"


@dataclass(frozen=True, slots=True)
class Toolkit:
    """One CANN.

    Attributes:
        linked: Whether `latest` or `cann` leads to it.
        ops: Version by chip family of its operator packages; empty text where no file says it.
    """

    version: str
    root: str
    linked: bool
    ops: Fact[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Atb:
    """One NNAL (ATB), with the C++ ABIs that it has a build for."""

    version: str
    abis: Fact[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Environment:
    """One Python with torch and torch_npu."""

    path: str
    python: str
    torch: str
    torch_npu: str


@dataclass(frozen=True, slots=True)
class Installed:
    """What is there. A fact that is absent is "not installed"; any other that is not known is in the way.

    Attributes:
        driver: On the disk.
        driver_running: As npu-smi prints it.
        driver_whole: Whether the installer came to its end, as far as it says.
        firmware: Of the package on the disk.
        flash: In the flash, over all cards, each version once.
        toolkits: Every CANN toolkit.
        nnal: The ATB in use; every one where no listing shows which that is.
        environments: Pythons with torch_npu.
        pythons: Every interpreter with its version.
        docker: The engine's version.
        docker_offers: Names of engines that a host without a running one has, or could install.
        runtime: The Ascend Docker runtime.
        runtimes: Names of the runtimes in Docker's configuration; absent where there is no such file.
        logins: What logins get of CANN's environment, as npudoctor's own script has it; so too `services`.
    """

    driver: Fact[str]
    driver_running: Fact[str]
    driver_whole: Fact[bool]
    firmware: Fact[str]
    flash: Fact[tuple[str, ...]]
    toolkits: Fact[tuple[Toolkit, ...]]
    nnal: Fact[tuple[Atb, ...]]
    environments: Fact[tuple[Environment, ...]]
    pythons: Fact[tuple[tuple[str, str], ...]]
    docker: Fact[str]
    docker_offers: Fact[frozenset[str]]
    runtime: Fact[str]
    runtimes: Fact[tuple[str, ...]]
    logins: Fact[str]
    services: Fact[str]


def read_installed(host: Host) -> Installed:
    """Read it out of a host."""
    driver, pythons = host.driver, host.python.interpreters
    return Installed(
        driver=driver.on_disk.map(lambda info: _text(info.version)),
        driver_running=driver.running,
        driver_whole=driver.install.map(lambda record: record.driver_status in (None, "complete")),
        firmware=driver.firmware_on_disk.map(lambda info: _text(info.version)),
        flash=_flash(host),
        toolkits=host.cann.installations.map(lambda found: tuple(map(_toolkit, filter(_is_toolkit, found)))),
        nnal=host.cann.nnal.map(lambda found: tuple(_atbs(host.snapshot, found))),
        environments=pythons.map(lambda found: tuple(_environments(found))),
        pythons=pythons.map(lambda found: tuple((one.path, one.version) for one in found if one.version)),
        docker=host.snapshot.command("docker version server").map(lambda text: _text(text.strip())),
        docker_offers=read_docker_offers(host.snapshot),
        runtime=_runtime(host.snapshot),
        runtimes=host.containers.config.map(lambda config: tuple(config.runtimes)),
        logins=host.snapshot.file("/etc/profile.d/npudoctor-ascend.sh"),
        services=host.snapshot.file("/etc/npudoctor/ascend.env"),
    )


def _text(version: str | None) -> str:
    if not version:
        raise ParseError(N_("names no version"))
    return version


def _flash(host: Host) -> Fact[tuple[str, ...]]:
    """Every card is asked: one that was changed may have another firmware."""
    boards = list(host.npus.boards.values())
    silent = [board for board in boards if not board.known]
    if silent:
        return silent[0].map(lambda _board: ())
    versions = tuple(sorted({board.value.firmware_version or "" for board in boards} - {""}))
    if not versions:
        silence: Fact[tuple[str, ...]] = host.driver.running.map(lambda _version: ())
        return unavailable(N_("no card says its firmware")) if silence.known else silence
    return known(versions, "npu-smi info -t board", ", ".join(versions))


def _is_toolkit(cann: Installation) -> bool:
    return "toolkit" in (cann.package or "toolkit").lower()


def _toolkit(cann: Installation) -> Toolkit:
    linked = any(basename(one) in LINKS for one in cann.folders)
    kernels = cann.components.get("opp_kernel")
    version = (kernels and (found := kernels.or_none()) and found.cann) or ""
    return Toolkit(cann.version, cann.root, linked, cann.installed.map(partial(_ops, kernels=version)))


def _ops(found: tuple[Operators, ...], kernels: str) -> dict[str, str]:
    """By family: a package has a folder for each chip of it, and one install file.

    Up to 8.3 `opp_kernel` may say the version of all (`kernels`) instead.
    """
    versions: dict[str, str] = {}
    for one in found:
        family = family_of_package(one.chip) or one.chip
        versions[family] = versions.get(family) or one.version or kernels
    return versions


def _atbs(snapshot: Snapshot, found: tuple[Nnal, ...]) -> Iterator[Atb]:
    """Versions lie side by side: those that the link `latest` may lead to."""
    for one in found:
        version = one.version.or_none()
        target = link_target(snapshot, f"{dirname(one.root)}/latest").or_none()
        in_use = not target or basename(one.root) in (basename(target), "latest")
        if one.package == "atb" and version and in_use:
            yield Atb(version, one.abis)


def _environments(found: tuple[Interpreter, ...]) -> Iterator[Environment]:
    for python in found:
        torch, torch_npu = python.packages.get("torch"), python.packages.get("torch_npu")
        if torch and torch_npu:
            yield Environment(python.path, python.version, torch, torch_npu)


def _runtime(snapshot: Snapshot) -> Fact[str]:
    values = snapshot.file(_RUNTIME).map(key_values)
    return values.map(lambda found: _text(found.get("version", "").removeprefix("v")))

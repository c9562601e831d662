"""The NPU driver and firmware: on disk, running, and how they were installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, ParseError, Unavailable, first_known, unavailable
from npudoctor.host.paths import Paths, read_paths
from npudoctor.parse.install_info import InstallInfo, parse_install_info
from npudoctor.parse.lsmod import LoadedModule, parse_lsmod
from npudoctor.parse.npu_messages import NpuMessages, parse_npu_messages
from npudoctor.parse.npu_smi_board import Board, parse_npu_smi_board
from npudoctor.parse.npu_smi_error import error_lines
from npudoctor.parse.npu_smi_info import parse_npu_smi_info
from npudoctor.parse.version_info import VersionInfo, parse_version_info
from npudoctor.words import N_

if TYPE_CHECKING:
    from npudoctor.collect.snapshot import Snapshot

ROOT = "/usr/local/Ascend"
INSTALL_INFO = "/etc/ascend_install.info"
LIBRARY_LIST = "/etc/ld.so.conf.d/ascend_driver_so.conf"
INCOMPLETE_WARNING = "The driver package may not be completely installed"
_BOARDS = "commands/npu-smi_info_-t_board_-i_*"
_LIBRARY_ERROR = "error while loading shared libraries"


@dataclass(frozen=True, slots=True)
class Driver:
    """The NPU driver and firmware: on disk, running, and how they were installed."""

    version: Fact[str]
    """The driver that runs, as npu-smi prints it, else the one on disk."""
    firmware: Fact[str]
    """The firmware in flash, else the one on disk."""
    running: Fact[str]
    """The driver as npu-smi prints it."""
    on_disk: Fact[VersionInfo]
    """`version.info` of the driver package."""
    recorded: Fact[VersionInfo]
    """`version.info` below the very path that the install record names."""
    firmware_on_disk: Fact[VersionInfo]
    """`version.info` of the firmware package."""
    install: Fact[InstallInfo]
    """What the installer wrote down about itself."""
    old_package: Fact[bool]
    """Whether an all-in-one package of the first generation is installed (`/etc/HiAI_install.info`)."""
    incomplete_warning: Fact[bool]
    """Whether npu-smi warns that the driver is not completely installed."""
    library_error: Fact[str]
    """What npu-smi says of a library that it cannot load; empty where it loads them all."""
    modules: Fact[frozenset[str]]
    """Names of the loaded kernel modules."""
    messages: Fact[NpuMessages]
    """What the kernel log says about NPUs and PCIe."""
    library_folders: Fact[tuple[str, ...]]
    """Folders that the driver's installer gave to the dynamic linker."""
    paths: Paths
    """The files of the driver that were looked at."""


def read_driver(snapshot: Snapshot) -> Driver:
    """Read it out of a snapshot."""
    install = snapshot.file(INSTALL_INFO)
    record = install.map(parse_install_info, text=line_of(install.or_none() or "", "driver_install_path"))
    boards = _boards(snapshot)
    running = first_known(_running(snapshot), *(software_of(board) for board in boards))
    on_disk = _version_info(snapshot, "driver", record)
    firmware = _version_info(snapshot, "firmware", record)
    return Driver(
        version=first_known(running, on_disk.map(_version_of)),
        firmware=first_known(_flash(boards, running), firmware.map(_version_of)),
        running=running,
        on_disk=on_disk,
        recorded=_recorded(snapshot, record),
        firmware_on_disk=firmware,
        install=record,
        old_package=snapshot.exists("/etc/HiAI_install.info"),
        incomplete_warning=_incomplete_warning(snapshot),
        library_error=_library_error(snapshot),
        modules=_modules(snapshot),
        messages=snapshot.command("dmesg").map(parse_npu_messages, text=""),
        library_folders=snapshot.file(LIBRARY_LIST).map(_folders),
        paths=read_paths(snapshot),
    )


def line_of(text: str, start: str) -> str:
    """The first line that starts with `start` in any case; the first line of all where none does."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    matching = (line for line in lines if line.lower().startswith(start.lower()))
    return next(matching, lines[0] if lines else "")


def _version_info(snapshot: Snapshot, package: str, install: Fact[InstallInfo]) -> Fact[VersionInfo]:
    return first_known(*(_parsed(snapshot, path) for path in _places(snapshot, package, install)))


def _places(snapshot: Snapshot, package: str, install: Fact[InstallInfo]) -> list[str]:
    record = install.or_none()
    named = (record.driver_path if package == "driver" else record.firmware_path) if record else None
    found = [path for path, _ in snapshot.files(f"/*/{package}/version.info")]
    paths = [f"{root}/{package}/version.info" for root in (named, ROOT) if root]
    return list(dict.fromkeys(paths + found))


def _recorded(snapshot: Snapshot, install: Fact[InstallInfo]) -> Fact[VersionInfo]:
    record = install.or_none()
    if record is None or record.driver_path is None:
        return unavailable(f"{INSTALL_INFO}: names no driver path", INSTALL_INFO)
    return _parsed(snapshot, f"{record.driver_path}/driver/version.info")


def _parsed(snapshot: Snapshot, path: str) -> Fact[VersionInfo]:
    text = snapshot.file(path)
    return text.map(parse_version_info, text=line_of(text.or_none() or "", "version="))


def _version_of(info: VersionInfo) -> str:
    if info.version is None:
        raise ParseError("no Version= line")
    return info.version


def _running(snapshot: Snapshot) -> Fact[str]:
    text, output = snapshot.command("npu-smi info"), snapshot.partial_output("npu-smi info")
    if not text.known and output.known and (errors := error_lines(output.value.all_text)):
        return unavailable(f"npu-smi info: {errors[-1]}", "npu-smi info", "failed")
    return text.map(_running_of, text=line_of(text.or_none() or "", "| npu-smi"))


def _running_of(text: str) -> str:
    version = parse_npu_smi_info(text).driver_version
    if version is None or not any(letter.isdigit() for letter in version):
        raise ParseError(N_("the title names no driver version"))
    return version


def _boards(snapshot: Snapshot) -> tuple[Fact[Board], ...]:
    entries = [entry for entry in snapshot.matching(_BOARDS) if "_-c_" not in entry.path]
    return tuple(snapshot.command(entry.origin).map(parse_npu_smi_board) for entry in entries)


def _flash(boards: tuple[Fact[Board], ...], running: Fact[str]) -> Fact[str]:
    """The firmware of the first card that says it; where none was asked, why npu-smi could not be."""
    facts = [firmware_of(board) for board in boards]
    if isinstance(running.content, Unavailable) and not facts and running.content.reason != "not-collected":
        return running
    if not facts:
        return unavailable("npu-smi info -t board: not collected", "npu-smi info -t board")
    return first_known(*facts)


def software_of(board: Fact[Board]) -> Fact[str]:
    """The driver that one NPU runs with, with its line."""
    found = board.or_none()
    line = f"Software Version : {found.software_version}" if found else ""
    return board.map(_software_of, text=line)


def _software_of(board: Board) -> str:
    if board.software_version is None:
        raise ParseError(N_("no Software Version line"))
    return board.software_version


def firmware_of(board: Fact[Board]) -> Fact[str]:
    """The firmware that one NPU runs, with its line."""
    found = board.or_none()
    line = f"Firmware Version : {found.firmware_version}" if found else ""
    return board.map(_firmware_of, text=line)


def _firmware_of(board: Board) -> str:
    if board.firmware_version is None:
        raise ParseError(N_("no Firmware Version line"))
    return board.firmware_version


def _incomplete_warning(snapshot: Snapshot) -> Fact[bool]:
    output = snapshot.partial_output("npu-smi info")
    text = output.value.all_text if output.known else ""
    return output.map(lambda entry: INCOMPLETE_WARNING in entry.all_text, text=line_of(text, "[WARNING]"))


def _library_error(snapshot: Snapshot) -> Fact[str]:
    output = snapshot.partial_output("npu-smi info")
    text = output.value.all_text if output.known else ""
    line = next((line.strip() for line in text.splitlines() if _LIBRARY_ERROR in line), "")
    return output.map(lambda _entry: line, text=line or line_of(text, "| npu-smi"))


def _modules(snapshot: Snapshot) -> Fact[frozenset[str]]:
    return first_known(
        snapshot.command("lsmod").map(parse_lsmod).map(_names, text=""),
        snapshot.file("/proc/modules").map(parse_lsmod).map(_names, text=""),
    )


def _names(modules: tuple[LoadedModule, ...]) -> frozenset[str]:
    return frozenset(module.name for module in modules)


def _folders(text: str) -> tuple[str, ...]:
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(line.rstrip("/") for line in lines if line.startswith("/"))

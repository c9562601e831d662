"""`/etc/ascend_install.info`: what the driver's installer wrote about its own work."""

from __future__ import annotations

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.parse.version_info import key_values


@dataclass(frozen=True, slots=True)
class InstallInfo:
    """How driver and firmware were installed; None where the file does not say.

    Attributes:
        user: The run user, `HwHiAiUser`.
        group: The run group.
        driver_type: `full`, `run`, `docker`, `devel`.
        driver_path: The folder above `driver`: `/usr/local/Ascend`.
        driver_mode: `normal`, …
        driver_for_all: Whether users outside the group may use the driver (`--install-for-all`).
        driver_status: `complete` where the installer came to its end. Drivers older than 24.x never say.
        firmware_type: `full`.
        firmware_path: The folder above `firmware`.
    """

    user: str | None
    group: str | None
    driver_type: str | None
    driver_path: str | None
    driver_mode: str | None
    driver_for_all: bool | None
    driver_status: str | None
    firmware_type: str | None
    firmware_path: str | None


@parser("ascend-install-info", origin="/etc/ascend_install.info")
def parse_install_info(text: str) -> InstallInfo:
    """The install record of driver and firmware, whose keys are written in any case.

    Raises:
        ParseError: No key of such a file is in the text.
    """
    values = {name.lower(): value for name, value in key_values(text).items() if value}
    if not values.keys() & {"username", "usergroup", "driver_install_type", "driver_install_path_param"}:
        raise ParseError("none of UserName, UserGroup, Driver_Install_Type, Driver_Install_Path_Param")
    return InstallInfo(
        user=values.get("username"),
        group=values.get("usergroup"),
        driver_type=values.get("driver_install_type"),
        driver_path=_folder(values.get("driver_install_path_param")),
        driver_mode=values.get("driver_install_mode"),
        driver_for_all=_yes(values.get("driver_install_for_all")),
        driver_status=values.get("driver_install_status"),
        firmware_type=values.get("firmware_install_type"),
        firmware_path=_folder(values.get("firmware_install_path_param")),
    )


def _folder(path: str | None) -> str | None:
    return (path.rstrip("/") or "/") if path else None


def _yes(value: str | None) -> bool | None:
    return {"yes": True, "y": True, "no": False, "n": False}.get((value or "").lower())

"""What is installed on a simulated host, as files: driver, firmware, CANN, the addresses of the NPUs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

ASCEND = "usr/local/Ascend"
_INSTALL = """\
UserName=HwHiAiUser
UserGroup=HwHiAiUser
Firmware_Install_Type=full
Firmware_Install_Path_Param=/usr/local/Ascend
Driver_Install_Type=full
Driver_Install_Path_Param=/usr/local/Ascend
Driver_Install_For_All=yes
"""
_DRIVER = """\
Version={driver}
ascendhal_version=7.35.19
package_version={driver}
"""
_FIRMWARE = """\
Version={firmware}
firmware_version=1.0
package_version={driver}
"""
_LIBRARIES = """\
/usr/local/Ascend/driver/lib64/common
/usr/local/Ascend/driver/lib64/driver
/usr/local/Ascend/driver/lib64
"""
_ADDRESS = """\
address_{number}={net}.{last}
netmask_{number}=255.255.255.0
gateway_{number}={net}.1
"""
_TOOLKIT = """\
package_name=Ascend-cann-toolkit
version={cann}
innerversion=V100R001C19SPC001B150
compatible_version=[V100R001C15],[V100R001C18],[V100R001C19]
arch={arch}
os=linux
path=/usr/local/Ascend/ascend-toolkit/{cann}/{arch}-linux
"""


def plant(root: Path, state: Mapping[str, object]) -> None:
    """Write the files of a host into an empty folder; `state` is that of `lab.sh`, and `cann`."""
    driver, firmware = state.get("driver", "24.1.rc2"), state.get("firmware", "7.5.0.1.129")
    files = {
        f"{ASCEND}/driver/version.info": _DRIVER.format(driver=driver),
        f"{ASCEND}/firmware/version.info": _FIRMWARE.format(driver=driver, firmware=firmware),
        "etc/ascend_install.info": _INSTALL,
        "etc/ld.so.conf.d/ascend_driver_so.conf": _LIBRARIES,
        "etc/hccn.conf": _addresses(str(state.get("net", "192.0.2")), int(str(state.get("npus", 8)))),
    }
    for path, text in files.items():
        _write(root / path, text)
    if cann := state.get("cann", "8.0.RC3"):
        _plant_cann(root / ASCEND / "ascend-toolkit", str(cann), str(state.get("chip", "910B3")))


def _plant_cann(folder: Path, cann: str, chip: str) -> None:
    arch = f"{os.uname().machine}-linux"
    files = {
        f"{arch}/ascend_toolkit_install.info": _TOOLKIT.format(cann=cann, arch=os.uname().machine),
        f"{arch}/data/platform_config/Ascend{chip}.ini": "",
        f"opp/built-in/op_impl/ai_core/tbe/kernel/config/ascend{chip[:4].lower()}/abs.json": "{}\n",
        **{f"{part}/version.info": "Version=7.5.0.3.220\n" for part in ("runtime", "compiler", "opp")},
    }
    for path, text in files.items():
        _write(folder / cann / path, text)
    (folder / "latest").symlink_to(cann)


def _addresses(net: str, npus: int) -> str:
    return "".join(_ADDRESS.format(number=number, net=net, last=10 + number) for number in range(npus))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)

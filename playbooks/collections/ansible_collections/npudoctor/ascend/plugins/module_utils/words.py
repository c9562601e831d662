"""What installers say, as data: when it worked, when it did not and why, when the host must be rebooted.

Each is searched in the output, whatever its case:

```
codes     exit codes that may be a success
success   one of these must be said; none given: the code decides
failure   (key, text, fix): makes it a failure whatever the code
reboot    texts by which it asks for a reboot
always    why a reboot is needed after each success, where the installer does not say so itself
```

Sources: the driver package's own scripts (hicann/driver, scripts/package/custom/driver/common/scripts, commit
999c25d7, read 2026-11-30) and logs of installations as published by their owners (driver 24.1 to 25.5, firmware 7.1
to 7.7). A driver package that meets an all-in-one package prints an error and still ends with 0, and the vendor's
own deployer takes 2 for success: so the code alone decides nothing where words are known.
"""

from __future__ import annotations

_HDK_FAILURES = [
    ["npu-in-use", "davinci nodes are occupied", "end the processes and containers that use NPUs"],
    ["anti-rollback", "Version check does not match", "take a newer version: the hardware refuses this one"],
    ["package-mismatch", "Arch mismatch", "take the package for this architecture"],
    ["package-mismatch", "package and environment is not match", "take the package for this chip"],
    ["build-tools", "The list of missing tools", "install the tools that it names"],
    ["kernel-headers", "Drv_dkms_env_check failed", "install make, gcc, dkms and the headers of this kernel"],
    ["dkms", "Dkms install failed", "see /var/lib/dkms/davinci_ascend/1.0/build/make.log"],
    ["dkms", "Driver_ko_install failed", "see /var/lib/dkms/davinci_ascend/1.0/build/make.log"],
    ["all-in-one", "An all-in-one RUN package is found", "uninstall the all-in-one package first"],
    ["installer-running", "already a process being executed", "wait until the other installer has ended"],
    ["installer-failed", "ERR_NO:0x", ""],
]

DRIVER = {
    "codes": [0, 2],
    "success": [
        "Driver package installed successfully!",
        "Driver package upgraded successfully!",
        "Driver package installed finished!",
        "Driver package upgraded finished!",
    ],
    "failure": _HDK_FAILURES,
    "reboot": [
        "Reboot needed for installation/upgrade to take effect",
        "Kernel modules can not be removed, reboot needed",
        "There are some chips not ready, please check after reboot",
    ],
    "always": "",
}

FIRMWARE = {
    "codes": [0, 2],
    "success": ["Firmware package installed successfully!", "Firmware package upgraded successfully!"],
    "failure": _HDK_FAILURES,
    "reboot": [
        "Reboot now or after driver installation",
        "Reboot needed for installation/upgrade to take effect",
    ],
    "always": "firmware counts only after a reboot",
}

# `uninstall.sh` of the driver and the firmware.
UNINSTALL = {
    "codes": [0],
    "success": [],
    "failure": _HDK_FAILURES,
    "reboot": ["Reboot needed for uninstallation"],
    "always": "",
}

# Packages of CANN: toolkit, kernels, ops, NNAL. From the installation guides of CANN 8.3.RC1 (2025-11), 8.5.0 (2025-12)
# and 9.0.0 (2026-03), which say `xxx install success`, `xxx upgrade success` and `[INFO] xxx uninstall success`.
_CANN_FAILURES = [["no-space", "No space left on device", "free space where CANN is installed, and in /tmp"]]
CANN = {
    "codes": [0],
    "success": ["install success", "upgrade success"],
    "failure": _CANN_FAILURES,
    "reboot": [],
    "always": "",
}
CANN_UNINSTALL = dict(CANN, success=["uninstall success"])

# The code decides, for packages whose words are not known.
PLAIN = {"codes": [0], "success": [], "failure": [], "reboot": [], "always": ""}

# An installer that fails with one of these has changed nothing.
REFUSALS = (
    "npu-in-use",
    "anti-rollback",
    "package-mismatch",
    "build-tools",
    "all-in-one",
    "installer-running",
)

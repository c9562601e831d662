"""Whether a host must be rebooted, asking for it, and proving that it has happened.

The need is read off the host: what is on disk and does not run, and what installers asked for in this boot. The boot
is kept in `steps/reboot.json` before the reboot is asked for; only another one proves it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

from ansible_collections.npudoctor.ascend.plugins.module_utils import npus
from ansible_collections.npudoctor.ascend.plugins.module_utils.hdk import INSTALL_INFO, read_pairs, unequal
from ansible_collections.npudoctor.ascend.plugins.module_utils.installer import wishes
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import write_json

STEP = "reboot"
DELAY = 3
_ASCEND = "/usr/local/Ascend"
_LATER = "import subprocess, sys, time; time.sleep(float(sys.argv[1])); subprocess.call(sys.argv[2:])"


def reasons(state) -> list:
    """Why the host must be rebooted, as sentences; empty where it need not."""
    found = npus.Npus()
    fields = {"driver": "Software Version", "firmware": "Firmware Version"}
    behind = []
    for component, field in fields.items():
        now = {"version": on_disk(state, component), "running": found.field(field)}
        behind += unequal(component, now)
    return wishes(state) + behind


def on_disk(state, component: str) -> str:
    """The version of the driver or the firmware on disk; empty where there is none."""
    record = read_pairs(state.host(INSTALL_INFO))
    folder = record.get("{0}_install_path_param".format(component)) or _ASCEND
    return read_pairs(state.host(os.path.join(folder, component, "version.info"))).get("version", "")


def ask(state, why: list) -> dict:
    """Keep this boot, then ask for a reboot in a few seconds, so that the answer still gets out."""
    kept = state.step(STEP)
    asks = kept.get("asks", 0) if kept.get("boot_id") == state.boot_id() else 0
    state.folder("steps")
    step = {"component": STEP, "boot_id": state.boot_id(), "asked": time.time(), "asks": asks + 1, "why": why}
    write_json(state.step_path(STEP), step)
    command = ["systemctl", "reboot"] if os.path.isdir("/run/systemd/system") else ["reboot"]
    if not _by_timer(command):
        _detached(command)
    return step


def _by_timer(command: list) -> bool:
    if command[0] != "systemctl":
        return False
    timer = ["systemd-run", "--quiet", "--collect", "--on-active={0}".format(DELAY), "--unit=npudoctor-reboot"]
    done = subprocess.run(timer + command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return done.returncode == 0


def _detached(command: list) -> None:
    argv = [sys.executable, "-c", _LATER, str(DELAY)] + command
    null = subprocess.DEVNULL
    subprocess.Popen(argv, stdin=null, stdout=null, stderr=null, start_new_session=True)


def trouble(state, before: str) -> list:
    """What is still wrong after a reboot from the boot `before`; empty where the host is as it should be."""
    if before and state.boot_id() == before:
        return ["the host has not rebooted: its boot id is {0} still".format(before)]
    starting = system_state()
    if starting in ("initializing", "starting", "stopping"):
        return ["systemd is {0}".format(starting)]
    return reasons(state) + npu_trouble(state)


def npu_trouble(state) -> list:
    """NPUs that did not come up, as sentences: fewer than PCI shows, or not OK."""
    if not on_disk(state, "driver"):
        return []
    chips = npus.table()[0]
    if not chips:
        return ["npu-smi names no NPU: {0}".format(npus.Npus().said or "it said nothing")]
    seen = npus.pci_count()
    lost = ["{0} chips answer, {1} are on PCI".format(len(chips), seen)] if len(chips) < seen else []
    return lost + ["NPU {0} is {1}".format(npu, health) for npu, health in chips if health not in ("OK", "NA")]


def system_state() -> str:
    """What systemd says of itself (`running`, `degraded`, `starting`, …); empty where there is none."""
    if not os.path.isdir("/run/systemd/system"):
        return ""
    return npus.ask("systemctl", "is-system-running").text.strip()

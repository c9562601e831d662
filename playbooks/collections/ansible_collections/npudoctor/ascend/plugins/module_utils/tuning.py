"""What a host that runs NPUs is tuned to. Each setting stands in a place of its own and can be switched off.

The values are those that the checks of `npudoctor check` ask for: limits.stack, limits.stack_services, pcie.aspm,
kernel.thp, kernel.swappiness, kernel.numa_balancing, kernel.governor. Why, and from which source, says
`npudoctor explain` with the name of the check.
"""

from __future__ import annotations

import errno
import json
import os

from ansible_collections.npudoctor.ascend.plugins.module_utils import limit_places as limits
from ansible_collections.npudoctor.ascend.plugins.module_utils.boot_words import BootWord
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import component_spec
from ansible_collections.npudoctor.ascend.plugins.module_utils.installer import wish
from ansible_collections.npudoctor.ascend.plugins.module_utils.kernel_hold import hold_of
from ansible_collections.npudoctor.ascend.plugins.module_utils.places import JsonEntry, KernelFile, json_text
from ansible_collections.npudoctor.ascend.plugins.module_utils.settings import Setting, SettingsComponent
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import write_json
from ansible_collections.npudoctor.ascend.plugins.module_utils.tools import Tools

KEEP = "keep"
GROUPS = ["stack", "aspm", "sysctl", "thp", "governor", "hugepages", "kernel_hold"]
DAEMON = "/etc/docker/daemon.json"
_POLICY = "/sys/module/pcie_aspm/parameters/policy"
_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"
_GOVERNOR = "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
# Newer kernels (5.13 on) have this one under debugfs only.
_MOVED = {"kernel.sched_migration_cost_ns": "/sys/kernel/debug/sched/migration_cost_ns"}
_AT_BOOT = "_at_boot"
_FILES = {"pcie_aspm_policy": _POLICY, "thp": _PAGES, "governor": _GOVERNOR}
_WHY_STACK = "the CANN runtime needs a stack of 16 MB"
_WHY = {
    "pcie_aspm_policy": "an NPU whose PCIe link sleeps breaks calls",
    "thp": "serving allocates much host memory",
    "governor": "launching operators is work of the host",
}


def tuning_spec() -> dict:
    """The parameters of the module `host_tuning`."""
    switch = {"type": "bool", "default": True}
    return component_spec(
        run={"type": "str", "default": ""},
        stack_kb={"type": "int", "default": 16384},
        stack_of_shells=dict(switch),
        stack_of_services=dict(switch),
        stack_of_containers=dict(switch),
        aspm={"type": "str", "default": "disabled", "choices": ["disabled", "performance", KEEP]},
        sysctl={
            "type": "dict",
            "default": {"vm.swappiness": "1", "kernel.numa_balancing": "0", "kernel.sched_migration_cost_ns": "50000"},
        },
        thp={"type": "str", "default": "always", "choices": ["always", "madvise", "never", KEEP]},
        governor={"type": "str", "default": "performance"},
        hugepages={"type": "int", "default": -1},
        kernel_hold=dict(switch),
        skip={"type": "list", "elements": "str", "choices": GROUPS, "default": []},
    )


class AspmPolicy(KernelFile):
    """The kernel's policy. Where ASPM is not the kernel's to set, it refuses: that is kept for this boot."""

    def __init__(self, state, originals, started_off: bool) -> None:
        super().__init__(state, _POLICY)
        self.originals = originals
        self.started_off = started_off

    def settled(self, text: str) -> bool:
        """Whether there is nothing to write: it is right, or the kernel leaves ASPM alone."""
        row = self.originals.rows.get("pcie_aspm_policy", {})
        return text == "performance" or self.started_off or row.get("refused") == self.state.boot_id()

    def write(self, text) -> None:
        try:
            super().write(text)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EROFS):
                raise
            self.originals.note("pcie_aspm_policy", refused=self.state.boot_id())


class Tuning(SettingsComponent):
    """The settings of a host, as the parameters of `tuning_spec` switch them."""

    name = "host_tuning"

    def __init__(self, module) -> None:
        super().__init__(module)
        self.run = self.params["run"]
        self.word = BootWord(self.state, self.run, "pcie_aspm")
        self.tools = Tools(self.state)

    def settings(self) -> list:
        found = self._stacks() + self._aspm() + self._kernel_files() + self._sysctls() + self._held()
        return [setting for setting in found if group_of(setting.key) not in self.params["skip"]]

    def left_alone(self, key: str) -> bool:
        return group_of(key) in self.params["skip"]

    def reboot_reasons(self, now: dict) -> list:
        """The command line is read at boot; everything else counts at once."""
        written, running = self.word.read(), self.word.running()
        if written == running or "pcie_aspm=off" not in (written, running):
            return []
        return [
            "host_tuning: the kernel runs with {0}, the next boot has {1}".format(
                running or "no pcie_aspm", written or "none"
            )
        ]

    def change(self, now: dict, differences: list, back: bool):
        """The wish for a reboot is kept before the command line changes, and dropped where the kernel runs with it."""
        word = any(each["what"] == "host_tuning.pcie_aspm" for each in differences)
        if word:
            wish(self.state, self.name, ["the kernel's command line counts from the next boot on"])
        done = super().change(now, differences, back)
        if word and not self.reboot_reasons(now):
            write_json(self.state.step_path(self.name), dict(self.state.step(self.name), reboot=[]))
        return done

    def place(self, key: str):
        if key == "pcie_aspm":
            return self.word
        if key == "kernel_hold":
            return hold_of(self.state, self.run)
        bare = key[: -len(_AT_BOOT)] if key.endswith(_AT_BOOT) else key
        if bare in _FILES:
            return self._kernel_place(bare, key != bare)
        return self._stack_place(key) or self._sysctl_place(bare, key != bare)

    def _stack_place(self, key: str):
        who = {"stack_of_logins": "*", "stack_of_root": "root"}.get(key)
        if who:
            return limits.stack_of_shells(self.state, self.run, who)
        if key == "stack_of_services":
            return limits.StackOfServices(self.state, self.run, self.params["stack_kb"])
        if key == "stack_of_containers":
            return JsonEntry(self.state, self.run, DAEMON, "default-ulimits", "stack")
        return None

    def _stacks(self) -> list:
        kb = self.params["stack_kb"]
        keys = ["stack_of_logins", "stack_of_root"] if self.params["stack_of_shells"] else []
        found = [Setting(key, self._stack_place(key), str(kb), _WHY_STACK, self._enough_kb) for key in keys]
        if self.params["stack_of_services"]:
            place = self._stack_place("stack_of_services")
            found.append(Setting("stack_of_services", place, "{0}K:infinity".format(kb), _WHY_STACK, self._enough_soft))
        if self.params["stack_of_containers"] and docker_is_there(self.state, self.tools):
            place = self._stack_place("stack_of_containers")
            found.append(
                Setting(
                    "stack_of_containers", place, stack_ulimit(kb), _WHY_STACK, lambda text: ulimit_reaches(text, kb)
                )
            )
        return found

    def _enough_kb(self, text: str) -> bool:
        return limits.reaches(text, self.params["stack_kb"] * 1024, 1024)

    def _enough_soft(self, text: str) -> bool:
        return limits.reaches(text.split(":", 1)[0], self.params["stack_kb"] * 1024)

    def _aspm(self) -> list:
        wanted = self.params["aspm"]
        policy = self._kernel_place("pcie_aspm_policy", False)
        if wanted == KEEP or not policy.there():
            return []
        why = _WHY["pcie_aspm_policy"]
        now = Setting("pcie_aspm_policy", policy, "performance", why, policy.settled)
        if wanted == "performance":
            lasting = self._kernel_place("pcie_aspm_policy", True)
            return [now, Setting("pcie_aspm_policy_at_boot", lasting, "performance", why)]
        return [now, Setting("pcie_aspm", self.word, "pcie_aspm=off", why + "; counts from the next boot on")]

    def _kernel_files(self) -> list:
        found = []
        for key in ("thp", "governor"):
            place = self._kernel_place(key, False)
            if self.params[key] == KEEP or not place.there():
                continue
            found.append(Setting(key, place, self.params[key], _WHY[key]))
            found.append(Setting(key + _AT_BOOT, self._kernel_place(key, True), self.params[key], _WHY[key]))
        return found

    def _kernel_place(self, key: str, at_boot: bool):
        if at_boot:
            return limits.kernel_file_at_boot(self.state, self.run, _FILES[key])
        if key == "pcie_aspm_policy":
            return AspmPolicy(self.state, self.originals, self.word.running() == "pcie_aspm=off")
        return KernelFile(self.state, _FILES[key])

    def _sysctls(self) -> list:
        values = dict(self.params["sysctl"])
        if self.params["hugepages"] >= 0:
            values["vm.nr_hugepages"] = self.params["hugepages"]
        found = []
        for name, value in sorted(values.items()):
            if not self._sysctl_place(name, False).there():
                continue
            wanted = " ".join(str(value).split())
            for key in (name, name + _AT_BOOT):
                found.append(Setting(key, self._sysctl_place(name, key != name), wanted, "the tuning asks for it"))
        return found

    def _sysctl_place(self, name: str, at_boot: bool):
        place = KernelFile(self.state, "/proc/sys/" + name.replace(".", "/"))
        moved = _MOVED.get(name) if not place.there() else None
        if at_boot and moved:
            return limits.kernel_file_at_boot(self.state, self.run, moved)
        if at_boot:
            return limits.sysctl_at_boot(self.state, self.run, name)
        return KernelFile(self.state, moved) if moved else place

    def _held(self) -> list:
        place = hold_of(self.state, self.run) if self.params["kernel_hold"] else None
        wanted = place.wanted() if place else ""
        return [Setting("kernel_hold", place, wanted, "the driver is built for this kernel")] if wanted else []


def group_of(key: str) -> str:
    """The name by which a setting is skipped."""
    if key.startswith("vm.nr_hugepages"):
        return "hugepages"
    first = key.split("_", 1)[0]
    return {"stack": "stack", "pcie": "aspm", "thp": "thp", "governor": "governor"}.get(
        first, key if key in GROUPS else "sysctl"
    )


def docker_is_there(state, tools) -> bool:
    """Whether this host has Docker, or a configuration for it."""
    return tools.has("dockerd") or os.path.exists(state.host(DAEMON))


def stack_ulimit(kb: int) -> str:
    """The entry `stack` of `default-ulimits` (dockerd(8)); bytes, -1 is no limit."""
    return json_text({"Name": "stack", "Soft": kb * 1024, "Hard": -1})


def ulimit_reaches(text: str, kb: int) -> bool:
    """Whether an entry of `default-ulimits` gives that much."""
    soft = (json.loads(text) or {}).get("Soft", 0)
    return soft == -1 or soft >= kb * 1024

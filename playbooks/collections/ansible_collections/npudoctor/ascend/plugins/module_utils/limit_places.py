"""Where lasting limits and kernel settings stand, among all files that may set the same."""

from __future__ import annotations

import glob
import os
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils.component import blocker
from ansible_collections.npudoctor.ascend.plugins.module_utils.places import Line, OwnFile
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text
from ansible_collections.npudoctor.ascend.plugins.module_utils.tools import Tools

LIMITS = "/etc/security/limits.d/90-ascend-stack.conf"
SYSCTL = "/etc/sysctl.d/90-ascend.conf"
AT_BOOT = "/etc/tmpfiles.d/90-ascend.conf"
MANAGER = "/etc/systemd/system.conf.d/90-ascend-stack.conf"
_SYSCTL_FOLDERS = ("/usr/lib/sysctl.d", "/usr/local/lib/sysctl.d", "/run/sysctl.d", "/etc/sysctl.d")
_FACTORS = {"K": 1024, "M": 1024**2, "G": 1024**3}


class AmongOthers(Line):
    """A line of our own file, where the files of `order` may set the same: the last one that does counts."""

    def __init__(self, state, run: str, order: list, path: str, pattern: str, form: str) -> None:
        super().__init__(state, run, path, pattern, form)
        self.state = state
        self.order = order

    def read(self):
        rows = self._rows(self.order)
        return rows[-1][2] if rows else None

    def own(self):
        return super().read()

    def obstacle(self):
        later = self._rows(self.order[self.order.index(self.file.path) + 1 :])
        if not later:
            return None
        path, number, text = later[-1]
        words = "{0}:{1} sets {2}, and it is read after {3}".format(path, number, text, self.file.path)
        return blocker("set-elsewhere", words, "take that line out")

    def _rows(self, paths: list) -> list:
        rows = []
        for path in paths:
            for number, line in enumerate(read_text(self.state.host(path)).splitlines(), 1):
                match = self.pattern.match(line)
                if match:
                    rows.append((path, number, match.group(1)))
        return rows


def stack_of_shells(state, run: str, who: str) -> AmongOthers:
    """`who soft stack N` of pam_limits, in KiB: limits.conf first, then limits.d by name (pam_limits(8))."""
    folder = "/etc/security/limits.d"
    names = _names(state, folder) | {os.path.basename(LIMITS)}
    order = ["/etc/security/limits.conf"] + [os.path.join(folder, name) for name in sorted(names)]
    pattern = r"\s*{0}\s+(?:soft|-)\s+stack\s+(\S+)".format(re.escape(who))
    return AmongOthers(state, run, order, LIMITS, pattern, who + "  soft  stack  {0}")


def sysctl_at_boot(state, run: str, name: str) -> AmongOthers:
    """A line `name = value`: files of all folders by name, then /etc/sysctl.conf (sysctl.d(5), sysctl(8))."""
    place = {name_: folder for folder in _SYSCTL_FOLDERS for name_ in _names(state, folder)}
    place[os.path.basename(SYSCTL)] = os.path.dirname(SYSCTL)
    order = [os.path.join(place[each], each) for each in sorted(place)] + ["/etc/sysctl.conf"]
    spelling = re.escape(name).replace(r"\.", "[./]")
    return AmongOthers(state, run, order, SYSCTL, r"\s*-?\s*{0}\s*=\s*(.*?)\s*$".format(spelling), name + " = {0}")


def kernel_file_at_boot(state, run: str, path: str) -> Line:
    """A line of tmpfiles.d that writes a file under /sys at each boot; patterns are allowed (tmpfiles.d(5))."""
    return Line(
        state, run, AT_BOOT, r"w\s+{0}(?:\s+-){{4}}\s+(\S+)".format(re.escape(path)), "w {0} - - - - {{0}}".format(path)
    )


class StackOfServices(OwnFile):
    """The stack that systemd gives to services that ask for none (DefaultLimitSTACK=, systemd-system.conf(5))."""

    def __init__(self, state, run: str, kb: int) -> None:
        super().__init__(state, run, MANAGER)
        self.kb = kb
        self.tools = Tools(state)

    def read(self):
        found = re.findall(r"(?m)^DefaultLimitSTACK=(\S+)", super().read() or "")
        return found[-1] if found else None

    def write(self, text) -> None:
        super().write(None if text is None else "[Manager]\nDefaultLimitSTACK={0}\n".format(text))

    def settle(self) -> None:
        """Older managers read the file only when they are executed again."""
        for command in ("daemon-reload", "daemon-reexec"):
            if self.pending():
                self.tools.run("systemctl", command)

    def pending(self) -> str:
        if not self.tools.systemd() or self.read() is None:
            return ""
        answer = self.tools.run("systemctl", "show", "--property=DefaultLimitSTACKSoft")
        found = re.search(r"DefaultLimitSTACKSoft=(\S+)", answer.text)
        if found is None or reaches(found.group(1), self.kb * 1024):
            return ""
        return "systemd still gives {0}".format(found.group(1))


def reaches(text: str, wanted: int, unit: int = 1) -> bool:
    """Whether a limit is at least this many bytes; `infinity`, `unlimited` and -1 are. `unit`: of a bare number."""
    if text in ("infinity", "unlimited", "-1"):
        return True
    found = re.match(r"(\d+)([KMG]?)$", text)
    if found is None:
        return False
    return int(found.group(1)) * (_FACTORS[found.group(2)] if found.group(2) else unit) >= wanted


def _names(state, folder: str) -> set:
    return {os.path.basename(path) for path in glob.glob(state.host(folder) + "/*.conf")}

"""Words of the kernel's command line: in /etc/default/grub, and in the entries that the boot loader has.

Debian and Ubuntu: `update-grub`. openEuler, Kylin, CentOS: `grubby` for the entries that are there, or
`grub2-mkconfig`. Sources: grubby(8) (rhboot/grubby), grub-mkconfig of GNU GRUB 2.06, both read 2026-11-30.
"""

from __future__ import annotations

import glob
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils import files
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Failure, blocker
from ansible_collections.npudoctor.ascend.plugins.module_utils.settings import Place
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_text
from ansible_collections.npudoctor.ascend.plugins.module_utils.tools import Tools

SOURCE = "/etc/default/grub"
_GENERATED = ("/boot/grub/grub.cfg", "/boot/grub2/grub.cfg", "/boot/efi/EFI/*/grub.cfg")
_ASSIGNED = r"""(?m)^(\s*{0}=)(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([^\s#"']*))"""
_ENTRY = re.compile(r"(?m)^\s*linux(?:16|efi)?\s+(\S*vmlinu\S*|\S*/Image\S*)[ \t]*(.*)$")
_OTHER_SYSTEMS = re.compile(r"(?s)### BEGIN \S*30_os-prober ###.*?### END \S*30_os-prober ###")
_OPTIONS = re.compile(r"(?m)^options\s+(.*)$")


class BootWord(Place):
    """All words `name` or `name=…` of the command line, as text: `pcie_aspm=off`.

    Only these words are edited, in GRUB_CMDLINE_LINUX; all else of the file stays byte for byte.
    """

    def __init__(self, state, run: str, name: str) -> None:
        self.state = state
        self.run = run
        self.name = name
        self.tools = Tools(state)

    def read(self):
        return " ".join(self._words(value_of(self._source(), "GRUB_CMDLINE_LINUX"))) or None

    def write(self, text) -> None:
        source = with_words(self._source(), self.name, text or "")
        files.write(self.state, self.run, SOURCE, source)

    def settle(self) -> None:
        """Give the words to the entries that the boot loader has."""
        for command in self._commands():
            answer = self.tools.run(*command)
            if answer.rc:
                words = "{0}: {1}".format(" ".join(command), answer.last)
                raise Failure("boot-loader", words, "run it by hand and see why it fails")

    def pending(self) -> str:
        wanted = self.read() or ""
        entries = self.entries()
        if not entries:
            return "no boot entry was found"
        missing = [one for one in entries if " ".join(self._words(one)) != wanted]
        return "{0} of {1} boot entries have it otherwise".format(len(missing), len(entries)) if missing else ""

    def obstacle(self):
        """A word of the same name that comes after ours wins; without a known boot loader nothing counts."""
        if not self._source() or not self._generators():
            words = "neither update-grub, grubby nor grub2-mkconfig with {0} is on this host".format(SOURCE)
            return blocker("boot-loader-unknown", words, "set the word by hand and switch this setting to keep")
        other = " ".join(self._words(value_of(self._source(), "GRUB_CMDLINE_LINUX_DEFAULT")))
        if not other:
            return None
        words = "GRUB_CMDLINE_LINUX_DEFAULT in {0} has {1}, which comes later and wins".format(SOURCE, other)
        return blocker("set-elsewhere", words, "take that word out")

    def running(self):
        """As the kernel that runs was started."""
        return " ".join(self._words(read_text(self.state.host("/proc/cmdline")))) or None

    def entries(self) -> list:
        """The command line of every entry that the boot loader has."""
        if self.tools.has("grubby"):
            answer = self.tools.run("grubby", "--info=ALL")
            return re.findall(r'(?m)^args="(.*)"$', answer.text)
        found = []
        for path in self._configs():
            found += [match.group(2) for match in _ENTRY.finditer(_OTHER_SYSTEMS.sub("", read_text(path)))]
        for path in glob.glob(self.state.host("/boot/loader/entries/*.conf")):
            found += [self._expanded(line) for line in _OPTIONS.findall(read_text(path))]
        return found

    def _expanded(self, options: str) -> str:
        known = re.search(r"(?m)^kernelopts=(.*)$", read_text(self.state.host("/boot/grub2/grubenv")))
        return options.replace("$kernelopts", known.group(1) if known else "")

    def _commands(self) -> list:
        if self.tools.has("grubby") and not self.tools.has("update-grub"):
            wanted = self.read() or ""
            stale = {word for entry in self.entries() for word in self._words(entry)} - set(wanted.split())
            drop = ["--remove-args=" + " ".join(sorted(stale))] if stale else []
            add = ["--args=" + wanted] if wanted else []
            return [["grubby", "--update-kernel=ALL"] + drop + add] if drop or add else []
        return self._generators()

    def _generators(self) -> list:
        if self.tools.has("update-grub"):
            return [["update-grub"]]
        if self.tools.has("grubby"):
            return [["grubby"]]
        program = next((name for name in ("grub2-mkconfig", "grub-mkconfig") if self.tools.has(name)), None)
        root = len(self.state.root.rstrip("/"))
        return [[program, "-o", path[root:]] for path in self._configs()] if program else []

    def _configs(self) -> list:
        """The generated files; on EFI the one that only leads to another is none."""
        found = [path for pattern in _GENERATED for path in glob.glob(self.state.host(pattern))]
        return [path for path in found if "menuentry" in read_text(path)]

    def _source(self) -> str:
        return read_text(self.state.host(SOURCE))

    def _words(self, line: str) -> list:
        return re.findall(_word(self.name), line)


def value_of(text: str, variable: str) -> str:
    """What the last assignment of a shell variable gives it; empty without one."""
    found = list(re.finditer(_ASSIGNED.format(variable), text))
    return _value(found[-1]) if found else ""


def with_words(text: str, name: str, words: str) -> str:
    """GRUB_CMDLINE_LINUX with exactly these words of that name, where the first one of them stood, or at its end."""
    found = list(re.finditer(_ASSIGNED.format("GRUB_CMDLINE_LINUX"), text))
    if not found:
        gap = "" if text.endswith("\n") or not text else "\n"
        return text + gap + 'GRUB_CMDLINE_LINUX="{0}"\n'.format(words) if words else text
    last = found[-1]
    quote = "'" if last.group(3) is not None else '"'
    return (
        text[: last.start()] + last.group(1) + quote + _replaced(_value(last), name, words) + quote + text[last.end() :]
    )


def _replaced(line: str, name: str, words: str) -> str:
    place = re.search(_word(name), line)
    if place is None:
        return line + (" " if line.strip() and words and not line.endswith(" ") else "") + words
    before, after = line[: place.start()], re.sub(r"[ \t]?" + _word(name), "", line[place.end() :])
    if words:
        return before + words + after
    return before.rstrip(" ") + after if before.strip() else before + after.lstrip(" ")


def _value(match) -> str:
    return next((part for part in match.groups()[1:] if part is not None), "")


def _word(name: str) -> str:
    return r"(?<!\S){0}(?:=\S*)?(?!\S)".format(re.escape(name))

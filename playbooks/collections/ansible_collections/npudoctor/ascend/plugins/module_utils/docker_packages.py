"""Where Docker's engine is installed from: given packages, or the repositories of the system."""

from __future__ import annotations

import contextlib
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Failure
from ansible_collections.npudoctor.ascend.plugins.module_utils.docker_engine import WINDOW, in_window
from ansible_collections.npudoctor.ascend.plugins.module_utils.package import ready, verify
from ansible_collections.npudoctor.ascend.plugins.module_utils.tools import Tools

_DEBS = ("docker-ce", "docker.io")
_RPMS = ("docker-ce", "moby-engine", "docker-engine", "docker")
_ENGINE_FILE = re.compile(
    r"(?:docker-ce|docker\.io|docker-engine|moby-engine)[_-](?:\d+(?:%3a|:))?(\d+\.\d+[^_-]*)", re.IGNORECASE
)
_QUIET = {"DEBIAN_FRONTEND": "noninteractive", "NEEDRESTART_SUSPEND": "1"}


class Packages:
    """One way to get the engine. `given`: packages as `package` takes them; `names`: to look for instead of the usual."""

    def __init__(self, state, given: list, names: list) -> None:
        self.state = state
        self.given = given
        self.tools = Tools(state)
        self.apt = self.tools.has("apt-get")
        self.manager = "apt-get" if self.apt else next((name for name in ("dnf", "yum") if self.tools.has(name)), "")
        self.names = names or list(_DEBS if self.apt else _RPMS)

    def version(self) -> str:
        """The version that would be installed. Raises Failure where there is none, or none that may be."""
        found = self._given_version() if self.given else self._offered()[1]
        if not in_window(found):
            words = "Docker {0} is not one that the Ascend tools name ({1})".format(found, WINDOW)
            raise Failure("docker-version", words, "give packages of another, or allow it with any_version")
        return found

    def install(self) -> None:
        """Verify what was given, then install. Raises Failure with the last words of the package manager."""
        with contextlib.ExitStack() as stack:
            if self.given:
                what = [stack.enter_context(ready(self.state, package)) for package in self.given]
            else:
                what = [self._offered()[0]]
                self._refresh()
            answer = self.tools.run(*self._command(), *what, environment=_QUIET, seconds=1800)
        if answer.rc:
            words = "{0} cannot install {1}: {2}".format(self.manager, ", ".join(what), answer.last)
            raise Failure("docker-install", words, "install Docker by hand and see why it fails")

    def check(self) -> None:
        """Raises Failure where a given package is missing or damaged."""
        for package in self.given:
            verify(self.state, package)

    def _refresh(self) -> None:
        """Lists of packages that are old name files that are gone. A mirror that does not answer shows at the install."""
        if self.apt:
            self.tools.run("apt-get", "update", environment=_QUIET)

    def _command(self) -> list:
        if self.apt:
            return ["apt-get", "install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"]
        return [self.manager, "install", "-y"]

    def _given_version(self) -> str:
        found = [match.group(1) for match in (_ENGINE_FILE.match(package["name"]) for package in self.given) if match]
        if not found:
            raise Failure(
                "no-docker-package", "none of the given packages is Docker's engine", "name it among packages"
            )
        return found[0]

    def _offered(self) -> tuple:
        """(what to ask the package manager for, its version): the newest of the first name that may be installed."""
        if not self.manager:
            raise Failure(
                "no-docker-package", "neither apt-get nor dnf nor yum is on this host", "install Docker by hand"
            )
        offers = self._debs() if self.apt else self._rpms()
        inside = [offer for offer in offers if in_window(offer[1])]
        if inside or offers:
            return (inside or offers)[0]
        words = "no repository of this host has {0}".format(" or ".join(self.names))
        raise Failure("no-docker-package", words, "give packages, or a repository that has it")

    def _debs(self) -> list:
        rows = [line.split("|") for line in self.tools.run("apt-cache", "madison", *self.names).text.splitlines()]
        found = [(row[0].strip(), row[1].strip()) for row in rows if len(row) > 1]
        return [("{0}={1}".format(name, version), version) for name, version in self._in_order(found)]

    def _rpms(self) -> list:
        text = self.tools.run(self.manager, "-q", "list", "--available", "--showduplicates", *self.names).text
        rows = [line.split() for line in text.splitlines()]
        found = [(row[0].rsplit(".", 1)[0], row[1].split(":")[-1]) for row in rows if len(row) == 3 and "." in row[0]]
        return [("{0}-{1}".format(name, version), version) for name, version in self._in_order(reversed(found))]

    def _in_order(self, found) -> list:
        return sorted((row for row in found if row[0] in self.names), key=lambda row: self.names.index(row[0]))

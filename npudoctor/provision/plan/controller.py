"""What Ansible here asks of a host: which Python, by the version of ansible-core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.versions import Python, VersionError

if TYPE_CHECKING:
    from collections.abc import Iterable

# Lowest Python of a target by ansible-core, read from the wheels, 2026-08.
_LEAST = {(2, 16): "3.6", (2, 17): "3.7", (2, 18): "3.8", (2, 19): "3.8", (2, 20): "3.9", (2, 21): "3.9"}
_NEWER = "3.9"
_BY_ASKPASS = (2, 19)
_FIRST = ("/usr/bin/", "/usr/libexec/")
"""Where a system keeps its own Python: that one has what its package manager's modules need."""


@dataclass(frozen=True, slots=True)
class Controller:
    """Ansible of this machine.

    Attributes:
        core: Version of ansible-core; empty where there is none.
        least: The lowest Python that it takes on a host.
        host: The name of this machine, as leases write it.
    """

    core: str
    least: str
    host: str = ""

    def interpreter(self, pythons: Iterable[tuple[str, str]]) -> str:
        """The path of the Python that Ansible should use; empty where none fits."""
        fitting = [(path, version) for path, version in pythons if self._takes(version)]
        return min(fitting, key=_order)[0] if fitting else ""

    @property
    def needs_sshpass(self) -> bool:
        """Whether its Ansible cannot log in with a password without that program (it can from 2.19 on)."""
        return bool(self.core) and tuple(map(int, self.core.split(".")[:2])) < _BY_ASKPASS

    def _takes(self, version: str) -> bool:
        try:
            return Python(version) >= Python(self.least)
        except VersionError:
            return False


def _order(python: tuple[str, str]) -> tuple[bool, int, str]:
    path = python[0]
    return (not path.startswith(_FIRST), len(path), path)


def controller() -> Controller:
    """The one of this Python's packages."""
    from importlib.metadata import PackageNotFoundError, version
    from socket import gethostname

    try:
        return controller_of(version("ansible-core"), gethostname())
    except PackageNotFoundError:
        return Controller("", _NEWER, gethostname())


def controller_of(core: str, host: str = "") -> Controller:
    """What an ansible-core of that version asks for."""
    major, minor = (int(part) for part in core.split(".")[:2])
    return Controller(core, _LEAST.get((major, minor), _NEWER), host)


def core_for(python: str) -> str:
    """The newest ansible-core that takes a Python on hosts: `2.17`; empty where none does."""
    try:
        fitting = [core for core, least in _LEAST.items() if Python(least) <= Python(python)]
    except VersionError:
        return ""
    return ".".join(map(str, max(fitting))) if fitting else ""

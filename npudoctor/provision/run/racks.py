"""Racks: one host of each gives its packages to the others, so that they leave this machine once a rack."""

from __future__ import annotations

import ipaddress
import secrets
from contextlib import suppress
from threading import RLock
from typing import TYPE_CHECKING, Any

from npudoctor.collect.remote import Way
from npudoctor.errors import NpudoctorError
from npudoctor.provision.effects.agent import ask
from npudoctor.provision.effects.protocol import Stopped
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from npudoctor.collect.inventory import Target
    from npudoctor.collect.jumps import Jumps
    from npudoctor.collect.ssh_config import SshConfig
    from npudoctor.provision.effects.ansible import Ansible

MOST = 40
"""Hosts that one gives to; a larger rack has several that give."""
WORTH = 16_000_000
"""Bytes that a host lacks at least: for less, Ansible takes longer than this machine does."""
_SERVE_SECONDS = 300.0
_FETCH_SECONDS = 4 * 3600.0
_SUBNET = {4: 24, 6: 64}


def racks_of(targets: Iterable[Target], least: int) -> list[tuple[Target, ...]]:
    """Hosts of one `npudoctor_domain`; else of one net (/24, of IPv6 /64); else the rest, as it comes.

    Args:
        least: Hosts that a rack must have to count as one; 0: none counts.
    """
    alike: dict[str, list[Target]] = {}
    for target in targets:
        if not target.local:
            alike.setdefault(target.domain or _net(target.address), []).append(target)
    parts = [
        tuple(each[start : start + MOST]) for each in alike.values() for start in range(0, len(each), MOST)
    ]
    return [part for part in parts if least and len(part) >= least]


def _net(address: str) -> str:
    try:
        found = ipaddress.ip_address(address.strip("[]"))
    except ValueError:
        return ""
    return str(ipaddress.ip_network((found, _SUBNET[found.version]), strict=False))


class Rack:
    """One rack while its hosts are staged; its methods may be called from any thread.

    Attributes:
        hosts: In the order of the plan.
        giver: Who has all of its own packages, and can give them; None as long as nobody does.
        holds: Their digests.
        set_aside: Why nobody takes from it any more; empty as long as they do.
    """

    def __init__(
        self,
        hosts: tuple[Target, ...],
        ways: tuple[Ansible, SshConfig, Jumps],
        told: Callable[[str, str, dict[str, Any]], None],
    ) -> None:
        """`told`: takes a host's name, an event and its details, from any thread."""
        self.hosts = hosts
        self.giver: Target | None = None
        self.holds: frozenset[str] = frozenset()
        self.set_aside = ""
        self._ansible, self._config, self._jumps = ways
        self._token, self._url = secrets.token_urlsafe(32), ""
        self._told, self._lock = told, RLock()

    def take(self, target: Target, packages: list[dict[str, Any]]) -> int:
        """Let a host take packages from the giver: bytes that came. What does not come, others must bring.

        Raises:
            Stopped: The run was ended.
        """
        url = self._open()
        if not url or self.set_aside:
            return 0
        given = {
            "npudoctor_packages": {"staged": packages},
            "npudoctor_sources": [url],
            "npudoctor_token": self._token,
        }
        answer = self._play(target, given, _FETCH_SECONDS, "fetch")
        if answer.get("distrusted"):
            self._leave(_("it gives other bytes than the plan names"))
        elif any(one.get("key") == "package-missing" for one in answer.get("blockers", ())):
            self._leave(_("it does not give what it has"))
        return sum(int(one["bytes"]) for one in answer.get("fetched", ()))

    def close(self) -> None:
        """End what serves there; where nobody can, it ends by itself."""
        if self._url and self.giver is not None:
            with suppress(NpudoctorError):
                ask(Way(self.giver, self._config, self._jumps), "unserve")

    def _open(self) -> str:
        """The URL of the giver, who begins to serve when the first asks; empty where it cannot."""
        with self._lock:
            if self.giver is not None and not self._url and not self.set_aside:
                given = {"npudoctor_serve": True, "npudoctor_token": self._token}
                port = self._play(self.giver, given, _SERVE_SECONDS, "serve").get("port")
                host = self._config.route(self.giver).host
                self._url = f"http://{f'[{host}]' if ':' in host else host}:{port}" if port else ""
                if not port:
                    self._leave(_("it does not serve"))
            return self._url

    def _leave(self, why: str) -> None:
        with self._lock:
            first, self.set_aside = not self.set_aside, self.set_aside or why
        if first and self.giver is not None:
            self._told(self.giver.name, "set-aside", {"why": why})

    def _play(self, target: Target, given: Mapping[str, Any], seconds: float, module: str) -> dict[str, Any]:
        """What a module of `stage.yml` answered; nothing where it did not come to it."""
        become = {} if target.become else {"ansible_become": False}
        try:
            events = self._ansible.run("stage.yml", target, {**given, **become}, seconds)
        except Stopped:
            raise
        except NpudoctorError:
            return {}
        found = [event for event in events if str(event["action"]).endswith(f".{module}")]
        return dict(found[-1]["result"]) if found and found[-1]["event"] in ("ok", "failed") else {}

"""All packages to all hosts of a run, before any of them is begun; a host that does not take them is left."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from npudoctor.collect.remote import Way
from npudoctor.errors import IncompleteError
from npudoctor.provision.effects.ansible import result_of
from npudoctor.provision.effects.protocol import StepFailed, Stopped
from npudoctor.provision.run.begin import Blocked
from npudoctor.provision.run.loop import PACE
from npudoctor.provision.run.racks import WORTH, Rack, racks_of
from npudoctor.provision.run.result import Word
from npudoctor.provision.run.stage import File, needed, retried, stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from npudoctor.collect.inventory import Target
    from npudoctor.collect.jumps import Jumps
    from npudoctor.collect.ssh_config import SshConfig
    from npudoctor.provision.call import Call
    from npudoctor.provision.effects.ansible import Ansible
    from npudoctor.provision.run.live import Live

_FETCH_SECONDS = 4 * 3600.0
_AT_ONCE = 16


class Staging:
    """The staging of one run.

    Attributes:
        bytes: How many came from where: `controller`, `rack` (a neighbour) or `mirror`.
    """

    def __init__(
        self,
        hosts: Iterable[Live],
        targets: Mapping[str, Target],
        files: Mapping[str, File],
        call: Call,
        ways: tuple[Ansible, SshConfig, Jumps],
        told: Callable[[str, str, dict[str, Any]], None],
        ended: Callable[[], bool],
    ) -> None:
        """`told`: takes a host's name, an event and its details, from any thread."""
        self.bytes: Counter[str] = Counter()
        self._counting = Lock()
        self._pace = float(os.environ.get(PACE) or 1.0)
        self._hosts = {host.plan.name: host for host in hosts if needed(host.plan)}
        self._targets, self._files, self._call = targets, files, call
        self._ansible, self._config, self._jumps = ways
        self._told, self._ended = told, ended
        there = [targets[name] for name in self._hosts]
        self._racks = [Rack(each, ways, told) for each in racks_of(there, call.rack_cache)]
        self._rack_of = {target.name: rack for rack in self._racks for target in rack.hosts}

    def go(self) -> None:
        """The first host of each rack, then all others."""
        done: set[str] = set()
        try:
            with ThreadPoolExecutor(
                self._call.forks or _AT_ONCE, thread_name_prefix="npudoctor-stage"
            ) as pool:
                done = {name for names in pool.map(self._first, self._racks) for name in names}
                list(pool.map(self._stage, [name for name in self._hosts if name not in done]))
        finally:
            for rack in self._racks:
                rack.close()

    def _first(self, rack: Rack) -> list[str]:
        """Stage hosts of a rack until one is whole: that one can give. The names of those that were tried."""
        tried = []
        for target in rack.hosts:
            tried.append(target.name)
            if self._stage(target.name):
                rack.giver, rack.holds = target, frozenset(needed(self._hosts[target.name].plan))
                break
        return tried

    def _stage(self, name: str) -> bool:
        """Whether the host has all that it needs."""
        host = self._hosts[name]
        if self._ended():
            return False
        way = Way(self._targets[name], self._config, self._jumps)
        fetch = partial(self._fetch, way.target) if "://" in (self._call.packages or "") else None
        told, near = partial(self._file, name), partial(self._near, way.target)

        def staged() -> int:
            with way.kept():
                return stage(way, needed(host.plan), self._files, fetch, told, self._ended, near)

        try:
            sent = retried(staged, partial(self._silent, name), self._ended, self._pace)
        except IncompleteError as error:
            host.stop(Word.NOT_REACHED, "unreachable", str(error))
        except (Blocked, StepFailed) as error:
            host.stop(Word.BLOCKED, error.key, str(error))
        except Stopped:
            pass
        else:
            self._count("controller", sent)
            return not self._ended()
        return False

    def _near(self, target: Target, missing: list[str]) -> bool:
        """Say what a host lacks, and let it take from its neighbour what that has; whether it tried."""
        size = sum(self._files[digest].size for digest in missing if digest in self._files)
        self._told(target.name, "packages", {"files": len(missing), "bytes": size})
        rack = self._rack_of.get(target.name)
        if rack is None or rack.giver is None or rack.set_aside:
            return False
        packages = self._as_modules_take_them(digest for digest in missing if digest in rack.holds)
        if sum(one["size"] for one in packages) < WORTH:
            return False
        self._told(target.name, "near", {"from": rack.giver.name, "files": len(packages)})
        self._count("rack", rack.take(target, packages))
        return True

    def _fetch(self, target: Target, digests: list[str]) -> None:
        """Let a host fetch packages itself, from where the call says; what it does not get goes from here."""
        given = {
            "npudoctor_packages": {"staged": self._as_modules_take_them(digests)},
            "npudoctor_sources": [self._call.packages],
            **({} if target.become else {"ansible_become": False}),
        }
        events = self._ansible.run("stage.yml", target, given, _FETCH_SECONDS)
        came = (one for event in events for one in event["result"].get("fetched", ()))
        self._count("mirror", sum(int(one["bytes"]) for one in came))
        try:
            result_of(events, "fetch")
        except StepFailed as error:
            if error.key != "package-missing" or not all(map(self._is_here, digests)):
                raise
            self._told(target.name, "no-mirror", {"why": str(error)})

    def _is_here(self, digest: str) -> bool:
        return digest in self._files and self._files[digest].path is not None

    def _as_modules_take_them(self, digests: Iterable[str]) -> list[dict[str, Any]]:
        files = ((digest, self._files[digest]) for digest in digests if digest in self._files)
        return [{"name": file.name, "sha256": digest, "size": file.size} for digest, file in files]

    def _count(self, source: str, size: int) -> None:
        with self._counting:
            self.bytes[source] += size

    def _silent(self, name: str, why: str) -> None:
        self._told(name, "silent", {"why": why})

    def _file(self, name: str, file: str) -> None:
        self._told(name, "stage", {"file": file})

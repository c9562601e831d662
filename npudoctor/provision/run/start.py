"""Put a run together: hosts and their effects, packages, what is told and kept; and say what came of it."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from npudoctor.collect.jumps import Jumps
from npudoctor.collect.remote import Way
from npudoctor.collect.script import render
from npudoctor.collect.snapshot import Entry
from npudoctor.collect.write import write_bundle
from npudoctor.dataclass import dataclass
from npudoctor.errors import NpudoctorError, UsageError
from npudoctor.provision.admission import Limits
from npudoctor.provision.effects.agent import ask
from npudoctor.provision.effects.ansible import Ansible
from npudoctor.provision.effects.doctor import Doctor
from npudoctor.provision.effects.drain import DRAINS
from npudoctor.provision.effects.host import HostEffects, Tools
from npudoctor.provision.planned import HostPlan, Outcome
from npudoctor.provision.run.begin import Beginning
from npudoctor.provision.run.live import Live
from npudoctor.provision.run.loop import Loop
from npudoctor.provision.run.next import next_command
from npudoctor.provision.run.result import (
    FINAL,
    HostResult,
    RunResult,
    Word,
    as_json,
    result_without,
    settings_of,
)
from npudoctor.provision.run.staging import Staging
from npudoctor.provision.run.variables import Variables

if TYPE_CHECKING:
    from collections.abc import Callable

    from npudoctor.collect.inventory import Target
    from npudoctor.collect.ssh_config import SshConfig
    from npudoctor.matrix import Matrix
    from npudoctor.provision.call import Call
    from npudoctor.provision.plan.make import Planner
    from npudoctor.provision.planned import Plan
    from npudoctor.provision.run.folder import RunFolder
    from npudoctor.provision.run.stage import File

_LOG_BYTES = 65536
_FETCH_SECONDS = 4 * 3600.0


@dataclass(frozen=True, slots=True)
class Means:
    """What a run needs beside its plan and its folder.

    Attributes:
        targets: Every host of the plan, by its name.
        planner: Makes the plan of one host, as the plan of this run was made.
        files: Packages by their SHA-256.
        vault: The password of vaulted values of the inventory, where one was typed.
    """

    targets: dict[str, Target]
    config: SshConfig
    matrix: Matrix
    planner: Planner
    files: dict[str, File]
    vault: str | None = None


class Run:
    """One run, from the plan to the report."""

    def __init__(
        self,
        plan: Plan,
        call: Call,
        means: Means,
        folder: RunFolder,
        *,
        retry: bool = False,
        told: Callable[[str, str, dict[str, Any]], None] = lambda _host, _event, _what: None,
    ) -> None:
        """`told`: takes a host's name (empty for the run), an event and its details, from any thread."""
        self._plan, self._call, self._means, self._folder = plan, call, means, folder
        self._tell = told
        self._jumps = Jumps()
        self._ansible = Ansible(call.hosts, means.vault)
        planner = replace(means.planner, run=folder.id)
        self._doctor = Doctor(means.config, self._jumps, means.matrix, planner, call.timeout)
        self._tools = Tools(
            folder.id, self._doctor, self._ansible, DRAINS[call.drain](), means.matrix,
            Variables(call, means.matrix), self._bundle,
        )  # fmt: skip
        files = {sha256: (file.name, file.size) for sha256, file in means.files.items()}
        self._beginning = Beginning(folder.id, plan.stack, retry, call.rollback, files)
        self._met, self._causes, self._earlier = folder.begun(), folder.causes(), folder.earlier()
        self._before = folder.report()
        self._hosts = {host.name: self._live(host) for host in plan.hosts if self._is_wanted(host)}
        self._number()
        fresh = [host for name, host in self._hosts.items() if name not in self._met and host.word is None]
        ways = (self._ansible, means.config, self._jumps)
        self._staging = Staging(
            fresh, means.targets, means.files, call, ways, self._heard, lambda: self._loop.interrupted
        )
        self._loop = Loop(self._hosts, self._limits(), at_once=call.forks, told=partial(self._heard, ""))

    def go(self) -> RunResult:
        """Do it; the report lies in the folder when this returns."""
        began = time.monotonic()
        self._heard("", "start", {"plan": self._plan.stack, "hosts": len(self._plan.hosts)})
        try:
            self._staging.go()
            self._loop.run()
        finally:
            self._ansible.stop()
            self._jumps.close()
        result = self._result(time.monotonic() - began)
        self._folder.put("report.json", as_json(result))
        self._heard("", "end", {"brake": result.brake})
        return result

    def stop(self) -> bool:
        """End it at once; what is under way on hosts is told by their records. May be called anywhere."""
        first = self._loop.stop()
        self._ansible.stop()
        return first

    # --- putting together

    def _is_wanted(self, host: HostPlan) -> bool:
        return host.name in self._means.targets and host.outcome is Outcome.CHANGE

    def _live(self, host: HostPlan) -> Live:
        way = Way(self._means.targets[host.name], self._means.config, self._jumps)
        effects = HostEffects(way, self._tools, host.domain)
        begin = self._beginning.of(host, lambda: effects.surveyed.plan if effects.surveyed else None)
        met, cause = host.name in self._met, self._causes.get(host.name, "")
        earlier = self._earlier.get(host.name)
        return Live(host, effects, begin, self._heard, met=met, cause=cause, earlier=earlier)

    def _number(self) -> None:
        """Hosts that have come to their end before, in that order."""
        there = [name for name in self._earlier if name in self._hosts]
        ended = [self._hosts[name] for name in there if self._hosts[name].word is not None]
        for place, host in enumerate(ended, 1):
            host.finished = place

    def _limits(self) -> Limits:
        call, hosts = self._call, self._plan.hosts
        out = self._out_of_service()
        return Limits(call.canary, call.max_unavailable, call.max_failed, out, len(hosts))

    def _out_of_service(self) -> int:
        """How many hosts of the plan are given no work already, beside those of this run."""
        try:
            out = self._tools.drain.out()
        except UsageError:  # its program is not here
            raise
        except NpudoctorError:  # each host that is begun asks too, and says so
            return 0
        return sum(host.name in out and host.name not in self._hosts for host in self._plan.hosts)

    # --- keeping and telling

    def _heard(self, host: str, event: str, what: dict[str, Any]) -> None:
        if event not in ("wait", "still", "does"):
            self._folder.say(event, **({"host": host} if host else {}), **what)
        self._tell(host, event, what)

    def _bundle(self, way: Way, name: str) -> None:
        """What a failed host says of itself, before anything is undone there."""
        snapshot = self._doctor.read(way.target, render(everything=True, provisioning=True))
        logs = ask(way, "logs", most=_LOG_BYTES)
        entries = {
            f"logs/npudoctor/{log}": Entry(
                f"logs/npudoctor/{log}", f"/var/lib/npudoctor/logs/{log}", text.encode()
            )
            for log, text in logs.items()
        }
        folder = self._folder.path / "bundles"
        folder.mkdir(mode=0o700, exist_ok=True)
        whole = replace(snapshot, entries={**snapshot.entries, **entries})
        write_bundle(whole, folder / f"{name}.tar.gz")

    def _result(self, seconds: float) -> RunResult:
        run, rollback = self._folder.id, self._call.rollback
        whole = [self._whole(host) for host in self._plan.hosts]
        words = self._folder.words
        told = tuple(replace(host, next=next_command(host, words, rollback)) for host in whole)
        staged, before = self._staging.bytes, self._before.get("staged_bytes", {})
        return RunResult(
            run, self._plan.stack, told, seconds + self._before.get("seconds", 0.0), self._loop.brake,
            self._loop.interrupted, str(self._folder.path), rollback,
            {source: staged.get(source, 0) + before.get(source, 0) for source in {*staged, *before}}, words,
        )  # fmt: skip

    def _whole(self, host: HostPlan) -> HostResult:
        told = self._of_host(host)
        changed = told.word is (Word.ROLLED_BACK if self._call.rollback else Word.DONE)
        settings = settings_of(host) if changed else ()
        return replace(told, bundle=self._saved(host.name), settings=settings)

    def _saved(self, name: str) -> str:
        """The host's bundle, if this process or an earlier one of this run has saved it."""
        bundle = self._folder.path / "bundles" / f"{name}.tar.gz"
        return str(bundle) if bundle.exists() else ""

    def _of_host(self, host: HostPlan) -> HostResult:
        if host.name in self._hosts:
            return self._hosts[host.name].result()
        earlier, without = self._earlier.get(host.name), result_without(host)
        if earlier is None or earlier.word in FINAL:
            return earlier or without
        return replace(without, boots=earlier.boots, seconds=earlier.seconds, steps=earlier.steps)

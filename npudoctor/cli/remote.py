"""From `--hosts` to what was collected of each host over SSH."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial

from npudoctor.cli.interrupt import interruptible
from npudoctor.cli.sources import Remote, Source, Sources
from npudoctor.collect.inventory import Target, read_inventory
from npudoctor.collect.script import render
from npudoctor.collect.since import Since
from npudoctor.errors import UsageError
from npudoctor.words import _

try:
    from npudoctor.cli.progress import Progress
    from npudoctor.collect.fleet import TIME, Fleet, Reading
    from npudoctor.collect.ssh_config import SshConfig
except ImportError as error:
    if (error.name or "").partition(".")[0] == "npudoctor":
        raise
    what = _("--hosts needs the package {name}").format(name=error.name)
    raise UsageError(what, _("type: pip install 'npudoctor[fleet]'")) from None


@contextmanager
def reading_remote(
    remote: Remote,
    timeout: float | None = None,
    *,
    everything: bool = False,
    since: Since | None = None,
    model: str | None = None,
) -> Iterator[Sources]:
    """Begin to read every host; Ctrl-C ends the reading at once, and the run once the rest is reported.

    Raises:
        UsageError: The inventory cannot be read, or names no host.
        KeyboardInterrupt: At the end of the block, where Ctrl-C came before all hosts were read.
    """
    script = render(everything=everything, since=since, model=model)
    with reading_targets(targets_of(remote), script, remote.forks, timeout) as sources:
        yield sources


def targets_of(remote: Remote, ours: tuple[str, ...] = ()) -> list[Target]:
    """The hosts of the inventory, with the passwords that are asked for; `ours`: see `read_inventory`."""
    vault = vault_of(remote)
    found = read_inventory(remote.hosts, remote.limit, vault=vault, unmatched=_tell_unmatched, ours=ours)
    return _asked(found, remote)


def vault_of(remote: Remote | None) -> str | None:
    """The password of vaulted values, where it is to be asked for: once, whoever needs it."""
    return _vault() if remote and remote.ask_vault_pass else None


@cache
def _vault() -> str:
    return _ask(_("Vault password: "))


@contextmanager
def reading_targets(
    targets: Sequence[Target], script: str, forks: int | None = None, timeout: float | None = None
) -> Iterator[Sources]:
    """Begin to run a script on every host; as `reading_remote`."""
    progress = Progress()
    progress.begin(len(targets))
    fleet = Fleet(targets, SshConfig(), script, forks=forks, seconds=timeout or TIME, told=progress.tell)
    with interruptible(partial(_stop, fleet)):
        try:
            hosts = (name for target in targets for name in (target.name, target.address))
            users = (target.user for target in targets if target.user)
            arriving = (_source(reading) for reading in fleet.arriving())
            yield Sources(len(targets), arriving, hosts, users, interrupted=lambda: fleet.interrupted)
        finally:
            interrupted = fleet.interrupted
            fleet.stop()
            progress.close()
    if interrupted:
        raise KeyboardInterrupt


def _tell_unmatched(word: str) -> None:
    """A name that was mistyped would else be a host that nobody misses in the report."""
    print("npudoctor: --limit: " + _("no host matches {word}").format(word=word), file=sys.stderr)


def _source(reading: Reading) -> Source:
    return Source(reading.target.name, "ssh", reading.snapshot, place=reading.place)


def _stop(fleet: Fleet) -> bool:
    fleet.stop()
    return fleet.interrupted


def _asked(targets: Sequence[Target], remote: Remote) -> list[Target]:
    """With the passwords that are asked for at the terminal; those of the inventory go before them."""
    login = _ask(_("SSH password: ")) if remote.ask_pass else None
    become = _ask(_("sudo password: ")) if remote.ask_become_pass else None
    return [_with_passwords(target, login, become) for target in targets]


def _ask(prompt: str) -> str:
    try:
        return getpass.getpass(prompt)
    except EOFError:
        raise UsageError(_("no password was typed"), _("run it on a terminal")) from None


def _with_passwords(target: Target, login: str | None, become: str | None) -> Target:
    raised = target.become
    if raised and raised.password is None:
        raised = replace(raised, password=become)
    return replace(target, password=target.password or login, become=raised)

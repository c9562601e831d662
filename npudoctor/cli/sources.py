"""From `--hosts`, `--from`, `--sample` or nothing to what was collected of each host."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from npudoctor.collect.snapshot import Snapshot
from npudoctor.dataclass import dataclass
from npudoctor.errors import Exit, UsageError
from npudoctor.words import _


@dataclass(frozen=True, slots=True)
class Source:
    """One host to read.

    Attributes:
        name: What the user calls it: the bundle's path, the sample's name, `localhost`.
        kind: `local`, `ssh`, `container`, `bundle` or `sample`.
        read: Waits for the snapshot; raises `IncompleteError` where the host could not be read.
        stop: Ends the reading where nobody waits for it any more.
    """

    name: str
    kind: str
    read: Callable[[], Snapshot]
    stop: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class Remote:
    """Hosts to read over SSH.

    Attributes:
        hosts: An Ansible inventory, or a comma list.
        limit: A pattern that chooses from them, or None.
        forks: How many at once; None: as many as this process may.
        ask_pass: Whether to ask for the password that logs in; so too for `sudo`, and for the vault.
    """

    hosts: str
    limit: str | None = None
    forks: int | None = None
    ask_pass: bool = False
    ask_become_pass: bool = False
    ask_vault_pass: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which hosts the user chose.

    Attributes:
        bundles: Folders and archives; empty for this machine.
        sample: The name of a recorded host, or None.
        pid: The process whose environment is judged; None: this shell's.
        timeout: Seconds that one probe may take, over SSH one host in all; None: as long as is usual.
        remote: Other machines, or None.
    """

    bundles: tuple[Path, ...] = ()
    sample: str | None = None
    pid: int | None = None
    timeout: float | None = None
    remote: Remote | None = None


def remote(
    hosts: str | None,
    limit: str | None,
    forks: int | None,
    ask_pass: bool,
    ask_become_pass: bool,
    ask_vault_pass: bool,
) -> Remote | None:
    """The machines that the options name, or None; raises `UsageError` where an option has no use."""
    if hosts is not None:
        return Remote(hosts, limit, forks, ask_pass, ask_become_pass, ask_vault_pass)
    given = {
        "--limit": limit is not None,
        "--forks": forks is not None,
        "--ask-pass": ask_pass,
        "--ask-become-pass": ask_become_pass,
        "--ask-vault-pass": ask_vault_pass,
    }
    for option in (name for name, there in given.items() if there):
        raise UsageError(_("{option} needs --hosts").format(option=option), _("give an inventory"))
    return None


def chosen(
    bundles: list[Path] | None,
    more: list[Path] | None,
    sample: str | None = None,
    pid: int | None = None,
    timeout: float | None = None,
    remote: Remote | None = None,
) -> Chosen:
    """The choice out of the options; raises `UsageError` where they contradict each other."""
    if more and not bundles:
        raise UsageError(_("unexpected argument {word}").format(word=more[0]), _("a bundle needs --from"))
    paths = (*(bundles or ()), *(more or ()))
    if paths and sample:
        raise UsageError(_("--from and --sample name different hosts"), _("give one of them"))
    if pid is not None and (paths or sample):
        raise UsageError(_("--pid is a process of this machine"), _("leave out --from and --sample"))
    if remote and (paths or sample or pid is not None):
        raise UsageError(_("--hosts names other machines"), _("leave out --from, --sample and --pid"))
    check_process(pid)
    return Chosen(paths, sample, pid, timeout, remote)


def check_process(pid: int | None) -> None:
    """Raise `UsageError` where there is no process `pid`: all that is asked of it would be `unknown`."""
    if pid is not None and not Path(f"/proc/{pid}").exists():
        raise UsageError(_("--pid {pid}: there is no such process").format(pid=pid), _("see `ps -e`"))


@contextmanager
def reading(choice: Chosen, *, everything: bool = False) -> Iterator[list[Source]]:
    """Begin to read every host, so that it goes on while the caller gets ready; nothing runs on after it.

    Args:
        choice: The hosts.
        everything: Also what only `collect` wants; of machines that are read now.
    """
    if choice.remote:
        from npudoctor.cli.remote import reading_remote

        with reading_remote(choice.remote, choice.timeout, everything=everything) as remotes:
            yield remotes
        return
    sources = _start(choice, everything)
    try:
        yield sources
    finally:
        for source in sources:
            source.stop()


def _start(choice: Chosen, everything: bool) -> list[Source]:
    if choice.bundles:
        from npudoctor.collect.bundle import read_bundle

        return [Source(str(path), "bundle", partial(read_bundle, path)) for path in choice.bundles]
    if choice.sample:
        from npudoctor.collect.samples import read_sample

        return [Source(choice.sample, "sample", partial(read_sample, choice.sample))]
    from npudoctor.collect.local import start_local

    running = start_local(pid=choice.pid, timeout=choice.timeout, everything=everything)
    return [Source("localhost", "local", running.snapshot, running.stop)]


def list_samples() -> Exit:
    """Print the recorded hosts, for `--sample list`."""
    from npudoctor.collect.samples import samples

    for name, title in samples().items():
        print(f"{name:<24} {title}")
    return Exit.OK

"""From `--hosts`, `--from`, `--sample`, `--container` or nothing to what was collected of each host."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from npudoctor.collect.since import Since
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
        place: In the order that was asked for, from 0.
    """

    name: str
    kind: str
    read: Callable[[], Snapshot]
    stop: Callable[[], None] = lambda: None
    place: int = 0


class Sources:
    """The hosts of a run, by `for`, once: each as soon as it need not be waited for.

    Attributes:
        hosts: What the inventory calls the hosts, and where they are.
        users: Who logs in there.
    """

    def __init__(
        self,
        number: int,
        arriving: Iterable[Source],
        hosts: Iterable[str] = (),
        users: Iterable[str] = (),
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        self._interrupted = interrupted
        self.hosts = frozenset(hosts)
        self.users = frozenset(users)
        self._number = number
        self._arriving = arriving

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has left hosts unread by now."""
        return self._interrupted()

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[Source]:
        return iter(self._arriving)


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
        container: The container on those hosts that is meant; None: the hosts themselves.
        since: How far back error logs are read; None: not at all.
        model: The folder of a model that is looked at, on those hosts.
    """

    bundles: tuple[Path, ...] = ()
    sample: str | None = None
    pid: int | None = None
    timeout: float | None = None
    remote: Remote | None = None
    container: str | None = None
    since: Since | None = None
    model: str | None = None


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
    container: str | None = None,
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
    if container is None:
        check_process(pid)
    elif not container.strip():  # of `--container $NAME` without a NAME: not this machine
        raise UsageError(_("there is no container {name}").format(name='""'), _("see: docker ps -a"))
    return Chosen(paths, sample, pid, timeout, remote, container)


def check_process(pid: int | None) -> None:
    """Raise `UsageError` where there is no process `pid`: all that is asked of it would be `unknown`."""
    if pid is not None and not Path(f"/proc/{pid}").exists():
        raise UsageError(_("--pid {pid}: there is no such process").format(pid=pid), _("see `ps -e`"))


@contextmanager
def reading(choice: Chosen, *, everything: bool = False) -> Iterator[Sources]:
    """Begin to read every host, so that it goes on while the caller gets ready; nothing runs on after it.

    Args:
        choice: The hosts.
        everything: Also what only `collect` wants; of machines that are read now.
    """
    if choice.container and not (choice.remote or choice.bundles or choice.sample):
        from npudoctor.cli.containers import reading_container

        with reading_container(choice, everything=everything) as source:
            yield Sources(1, [source])
        return
    with _reading_hosts(choice, everything) as sources:
        name = choice.container
        yield Sources(len(sources), (_of_container(each, name) for each in sources)) if name else sources


@contextmanager
def _reading_hosts(choice: Chosen, everything: bool) -> Iterator[Sources]:
    if choice.remote:
        from npudoctor.cli.remote import reading_remote

        with reading_remote(
            choice.remote, choice.timeout, everything=everything, since=choice.since, model=choice.model
        ) as remotes:
            yield remotes
        return
    if choice.bundles:
        from npudoctor.cli.bundles import reading_bundles

        with reading_bundles(choice.bundles) as bundles:
            yield bundles
        return
    sources = _start(choice, everything)
    try:
        yield Sources(len(sources), sources)
    finally:
        for source in sources:
            source.stop()


def _of_container(source: Source, container: str) -> Source:
    """A container of a host that is read from elsewhere: its settings are known there, its inside is not."""
    from npudoctor.collect.containers import of_host

    def read() -> Snapshot:
        return of_host(source.read(), container)

    return Source(source.name, source.kind, read, source.stop, source.place)


def _start(choice: Chosen, everything: bool) -> list[Source]:
    if choice.sample:
        from npudoctor.collect.samples import read_sample

        return [Source(choice.sample, "sample", partial(read_sample, choice.sample))]
    from npudoctor.collect.local import start_local

    running = start_local(
        pid=choice.pid,
        timeout=choice.timeout,
        everything=everything,
        since=choice.since,
        model=choice.model,
    )
    return [Source("localhost", "local", running.snapshot, running.stop)]


def list_samples() -> Exit:
    """Print the recorded hosts, for `--sample list`."""
    from npudoctor.collect.samples import samples

    for name, title in samples().items():
        print(f"{name:<24} {title}")
    return Exit.OK

"""What a call of `npudoctor provision` asks for, as its options say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from pathlib import Path

DRAINS = ("none", "slurm", "kubernetes")
_SHARE = regex(r"(\d{1,3}(?:\.\d{1,6})?)\s*%|(0?\.\d{1,6})")
_COUNT = regex(r"\d{1,6}")


@dataclass(frozen=True, slots=True)
class Share:
    """So many hosts, or a part of them.

    Attributes:
        count: How many; None where a part is meant.
        part: From 0 to 1; None where a count is meant.
    """

    count: int | None = None
    part: float | None = None

    def of(self, hosts: int) -> int:
        """How many that is of so many hosts: a part is rounded down."""
        return self.count if self.count is not None else int(hosts * (self.part or 0.0) + 1e-9)

    def __str__(self) -> str:
        return str(self.count) if self.count is not None else f"{100 * (self.part or 0.0):g}%"


def share(option: str, text: str, *, none: bool = True) -> Share:
    """`3`, `10%` or `0.1`; raises `UsageError` for anything else and for more than all.

    `none`: whether it may be 0 hosts.
    """
    found = _share(option, text)
    if not none and not (found.count or found.part):
        what = _("{option} {text}: not one host could be changed").format(option=option, text=text)
        raise UsageError(what, _("write it like 3, 0.1 or 10%"))
    return found


def _share(option: str, text: str) -> Share:
    if _COUNT.fullmatch(text):
        return Share(count=int(text))
    match = _SHARE.fullmatch(text)
    part = (float(match[1]) / 100 if match[1] else float(match[2])) if match else 2.0
    if part > 1.0:
        what = _("{option} {text}: is no number of hosts").format(option=option, text=text)
        raise UsageError(what, _("write it like 3, 0.1 or 10%"))
    return Share(part=part)


@dataclass(frozen=True, slots=True)
class Call:
    """One call.

    Attributes:
        hosts: The inventory as it was typed, for Ansible; empty where recorded hosts are planned for.
        limit: A pattern that chooses from it, or None.
        stack: Name of a stack in the matrix.
        packages: A folder or a URL that holds the packages; None: the default store.
        only: Components that are touched; empty for all.
        skip: Components that are left alone.
        canary: How many hosts of each class go first.
        max_unavailable: How many hosts may be out of service at a time.
        max_failed: How many may fail before no other host is begun.
        drain: Who takes work off a host: `none`, `slurm` or `kubernetes`.
        rollback: Whether hosts go back to what they had before.
        restart_docker: Whether Docker may be restarted while containers run.
        rack_cache: Hosts of a rack from which on one of them gives packages to the others; 0: never.
        forks: How many hosts are read at once; None: what open files allow.
        timeout: Seconds that reading one host may take; None: what is usual.
        run_folder: Where runs are kept; None for the default.
        matrix: A matrix file; None: the one that ships.
    """

    hosts: str
    stack: str
    limit: str | None = None
    packages: str | None = None
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    canary: int = 1
    max_unavailable: Share = Share(part=0.1)
    max_failed: Share = Share(part=0.1)
    drain: str = "none"
    rollback: bool = False
    restart_docker: bool = False
    rack_cache: int = 4
    forks: int | None = None
    timeout: float | None = None
    run_folder: Path | None = None
    matrix: Path | None = None

"""What to type next about one host."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from npudoctor.provision.admission import BRAKES
from npudoctor.provision.run.result import Word

if TYPE_CHECKING:
    from npudoctor.provision.run.result import HostResult


def next_command(host: HostResult, run: str, rollback: bool) -> str:
    """One command; empty where nothing is left to do. `run`: what names it on a command line."""
    only = f"--limit {shlex.quote(host.name)}"
    if host.word is Word.PAUSED:
        return f"npudoctor provision {'retry' if host.key in BRAKES else 'resume'} {run}"
    if host.word in (Word.LOST, Word.NOT_REACHED, Word.BLOCKED, Word.STUCK):
        return f"npudoctor provision retry {run} {only}"
    if host.word is Word.ROLLED_BACK and not rollback:
        return f"npudoctor triage {host.bundle}" if host.bundle else f"npudoctor provision retry {run} {only}"
    return ""

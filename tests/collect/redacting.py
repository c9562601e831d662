"""What tests of redaction share: verdicts with tokens where a bundle has them, and the bytes of a bundle."""

from __future__ import annotations

import re
from pathlib import Path

from npudoctor.checks.registry import all_checks
from npudoctor.checks.runner import run_checks
from npudoctor.collect.redact.addresses import Addresses
from npudoctor.collect.redact.redactor import Run
from npudoctor.collect.snapshot import Snapshot
from npudoctor.host import Host
from npudoctor.matrix import load_matrix

Verdicts = dict[str, tuple[str, ...]]


def verdicts(snapshot: Snapshot) -> Verdicts:
    """Status, what was found and what was expected, by check."""
    found = run_checks(all_checks(), Host(snapshot), load_matrix())
    return {finding.id: (finding.status.value, finding.actual, finding.expected) for finding in found}


def in_tokens(found: Verdicts, run: Run) -> Verdicts:
    """The verdicts on the host itself, with a token wherever those on its bundle may have one."""
    tokens = {text: token for token, text in run.tokens.originals.items()}
    names = "|".join(re.escape(text) for text in sorted(tokens, key=len, reverse=True)) or "(?!)"
    alone = re.compile(f"(?<![A-Za-z0-9])(?:{names})(?![A-Za-z0-9])")
    net = re.compile(r"[0-9.]+(?=/[0-9]{2}\b)")  # a check's own sum of an address and a netmask
    addresses = Addresses(run.tokens)

    def said(text: str) -> str:
        text = alone.sub(lambda match: tokens[match[0]], text)
        return net.sub(lambda match: addresses.v4(match[0]) or match[0], text)

    return {check: tuple(said(text) for text in texts) for check, texts in found.items()}


def inside(folder: Path) -> bytes:
    """All that a bundle in a folder holds, and under which names."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    names = [str(path.relative_to(folder)).encode() for path in files]
    return b"\0".join([*names, *(path.read_bytes() for path in files)])

"""Waivers: findings that the user accepts, each with a reason and, where wanted, an owner and a last day."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.finding import Finding, Status
from npudoctor.policy import SEVERITIES, matches
from npudoctor.report.report import Waiver

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

FILE = Path(".npudoctor.yaml")
"""Read from the working folder where `--waivers` names no other."""


class Waivers:
    """The waivers of one run, and which of them were of use.

    Args:
        rows: In the order of the file; of several that speak of a finding the first counts.
        today: The day of the run, `YYYY-MM-DD`: waivers of earlier days no longer count.
    """

    def __init__(self, rows: Sequence[Waiver] = (), today: str = "") -> None:
        self._rows = rows
        self._today = today
        self._used: set[Waiver] = set()

    def apply(self, host: str, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """The findings of one host; those that a waiver covers became `waived`, with its reason."""
        return tuple(self._judge(host, finding) for finding in findings)

    def told(self, asked: Collection[str], known: Collection[str]) -> tuple[Waiver, ...]:
        """What became of each waiver, once all findings were seen.

        Args:
            asked: The ids of the checks that were made.
            known: The ids of all checks.
        """
        return tuple(replace(row, state=self._state(row, asked, known)) for row in self._rows)

    def _judge(self, host: str, finding: Finding) -> Finding:
        if finding.status not in SEVERITIES:
            return finding
        row = next((row for row in self._rows if self._covers(row, host, finding.id)), None)
        if row is None:
            return finding
        self._used.add(row)
        return replace(finding, status=Status.WAIVED, waiver=row.reason)

    def _covers(self, row: Waiver, host: str, id: str) -> bool:
        return not self._expired(row) and matches(id, row.id) and fnmatchcase(host, row.hosts)

    def _expired(self, row: Waiver) -> bool:
        return bool(row.expires) and row.expires < self._today

    def _state(self, row: Waiver, asked: Collection[str], known: Collection[str]) -> str:
        if self._expired(row):
            return "expired"
        if row in self._used:
            return "used"
        left_out = any(matches(id, row.id) for id in known) and not any(matches(id, row.id) for id in asked)
        return "not-asked" if left_out else "unmatched"


def read_waivers(file: Path | None, today: str) -> Waivers:
    """The waivers of `file`, or where it is None of `FILE`, if there is one.

    Raises:
        UsageError: The file cannot be read, is no YAML, or a row is not what the schema says; with its line.
    """
    if file is None and not FILE.exists():
        return Waivers()
    return Waivers(_rows(file or FILE), today)


def _rows(file: Path) -> list[Waiver]:
    import yaml

    from npudoctor.data import place, read

    content = read(file, _schema()).content
    root = yaml.compose(file.read_bytes(), yaml.SafeLoader)
    under: list[str | int] = ["waivers"] if isinstance(content, dict) else []
    rows = content["waivers"] if under else content
    lines = [place(root, [*under, number]).partition(":")[0] for number in range(len(rows))]
    return [_row(row, f"{file}:{line}") for row, line in zip(rows, lines, strict=True)]


def _row(row: dict[str, Any], where: str) -> Waiver:
    return Waiver(
        id=row["id"].strip(),
        reason=" ".join(row["reason"].split()),
        hosts=row.get("hosts", "*").strip(),
        owner=row.get("owner", ""),
        expires=str(row.get("expires", ""))[:10],  # YAML makes a date of it, or a time with one
        where=where,
    )


def _schema() -> Path:
    """Beside the package in a wheel, in `docs/` in a checkout."""
    package = Path(__file__).parent
    name = "waivers.schema.json"
    return next(p for p in (package / name, package.parent / "docs" / name) if p.exists())

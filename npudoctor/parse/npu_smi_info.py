"""The table of `npu-smi info`, in all layouts from 20.x to 26.x.

A chip takes two rows. They are told apart by what stands in them, never by column numbers: blanks may have
been collapsed, borders may be missing, rows may have been dropped. A row that ends in the middle of a cell
gives up its last value, because half a number is a wrong number.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from npudoctor.dataclass import dataclass
from npudoctor.parse import npu_smi_columns as columns
from npudoctor.parse.npu_smi_error import error_lines
from npudoctor.parse.npu_smi_rows import BUS_ID, Kind, Row, table_rows
from npudoctor.parse.npu_smi_text import Malformed, decimal, integer, is_nothing, word
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Callable

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class TableChip:
    """One chip (a die) of the table; None where the tool printed no value.

    Attributes:
        npu_id: The card id: any number, not a device index.
        chip_id: Of the chip on its card; the 950 layout has none.
        phy_id: The Phy-ID column of A3.
        device_id: The Device column of 310, 310P and 310B.
        name: `910B3`; A3 prints only `Ascend910`.
        health: As printed: OK, Warning, Alarm, Critical, UNKNOWN.
        bus_id: `0000:C1:00.0`.
    """

    npu_id: int
    chip_id: int | None = None
    phy_id: int | None = None
    device_id: int | None = None
    name: str | None = None
    health: str | None = None
    power_w: float | None = None
    temperature_c: int | None = None
    hugepages_used: int | None = None
    hugepages_total: int | None = None
    bus_id: str | None = None
    aicore_percent: int | None = None
    memory_used_mb: int | None = None
    memory_total_mb: int | None = None
    hbm_used_mb: int | None = None
    hbm_total_mb: int | None = None


@dataclass(frozen=True, slots=True)
class TableProcess:
    """One row of the process table. `name` is None for a process of another PID namespace."""

    npu_id: int
    chip_id: int | None
    pid: int
    name: str | None
    memory_mb: int | None
    container_pid: int | None


@dataclass(frozen=True, slots=True)
class NpuTable:
    """What `npu-smi info` printed.

    Attributes:
        complete: Whether all of the table was there and understood.
        errors: What was not understood, and errors that the tool printed in the table's place.
    """

    npu_smi_version: str | None
    driver_version: str | None
    chips: tuple[TableChip, ...]
    processes: tuple[TableProcess, ...]
    complete: bool
    errors: tuple[str, ...]


@parser("npu-smi-info", origin="npu-smi info")
def parse_npu_smi_info(text: str) -> NpuTable:
    """The first table of the text. Never raises: what could not be read is said in `errors`."""
    reader = _Reader()
    for row in table_rows(text):
        if row.kind in (Kind.TITLE, Kind.UPPER_HEADER) and reader.has_data:
            reader.stop()
            break
        reader.read(row)
    reader.finish()
    return NpuTable(
        *reader.versions,
        tuple(reader.chips),
        tuple(reader.processes),
        not reader.errors,
        tuple(dict.fromkeys((*reader.errors, *error_lines(text)))),
    )


def _place(chip: TableChip) -> tuple[int, int | None, str | None]:
    return chip.npu_id, chip.chip_id, chip.bus_id


_TITLE = regex(r"\|\s*npu-smi\s+([^\s|]+)(?:\s+Version\s*:\s*([^\s|]+))?")
_IDLE = regex(r"\bNPU\s+(\d{1,9})\b")
_CORNERS_OF_THE_LAST_BORDER = 4
_HEADERS = (Kind.UPPER_HEADER, Kind.LOWER_HEADER, Kind.PROCESS_HEADER)


class _Reader:
    """Reads row after row. A chip stays open between its upper and its lower row."""

    def __init__(self) -> None:
        self.versions: tuple[str | None, str | None] = (None, None)
        self.chips: list[TableChip] = []
        self.processes: list[TableProcess] = []
        self.errors: list[str] = []
        self._upper: tuple[columns.Column, ...] = ()
        self._lower: tuple[columns.Column, ...] = ()
        self._head: tuple[columns.Column, ...] = ()
        self._open: TableChip | None = None
        self._process_header = ""
        self._in_processes: set[int] = set()
        self._rows: list[Row] = []
        self._stopped = False

    @property
    def has_data(self) -> bool:
        """Whether a chip or a process was seen: a title after that begins another table."""
        return bool(self.chips or self._open or self.processes)

    def read(self, row: Row) -> None:
        """Take one row."""
        if row.kind in (Kind.ELLIPSIS, Kind.STRANGE) and not self._rows:
            return  # text before the table
        if row.kind is not Kind.LOWER:
            self._close()
        if row.kind in _HEADERS and row.cut:
            self._complain("the column header is cut off", row)
        self._rows.append(row)
        steps: dict[Kind, Callable[[Row], None]] = {
            Kind.TITLE: self._title,
            Kind.ELLIPSIS: lambda _: self.errors.append("rows were left out where the text says ..."),
            Kind.UPPER_HEADER: self._upper_header,
            Kind.LOWER_HEADER: self._lower_header,
            Kind.UPPER: self._upper_row,
            Kind.LOWER: self._lower_row,
            Kind.PROCESS_HEADER: self._process_titles,
            Kind.PROCESS: self._process,
            Kind.IDLE: self._idle,
            Kind.STRANGE: lambda row: self._complain("not understood", row),
        }
        if step := steps.get(row.kind):
            step(row)

    def stop(self) -> None:
        """Another table begins here."""
        self._stopped = True
        self.errors.append("another table follows; only the first was read")

    def finish(self) -> None:
        """Look at how the table ends, and whether there was one."""
        self._close()
        if not self.chips:
            self.errors.append("no chip in a table of npu-smi info")
            return
        if not (self._upper and self._lower):
            self.errors.append("a row of column titles is missing")
        if strangers := self._in_processes - {chip.npu_id for chip in self.chips}:
            names = ", ".join(map(str, sorted(strangers)))
            self.errors.append(f"the process table names NPU {names}, the chip rows do not")
        if not self._stopped and self._ends_early():
            self.errors.append("the table is cut off at its end")

    def _ends_early(self) -> bool:
        last = self._rows[-1]
        before = self._rows[-2].kind if len(self._rows) > 1 else Kind.BORDER
        if last.kind is Kind.BORDER:
            corners = last.text.count("+") + last.text.count("|")
            hollow = before in (Kind.BORDER, *_HEADERS)
            return hollow or corners < _CORNERS_OF_THE_LAST_BORDER or last.text[-1] in "-="
        has_borders = any(row.kind is Kind.BORDER for row in self._rows)
        return last.cut or last.kind in _HEADERS or (has_borders and last.kind is not Kind.IDLE)

    def _complain(self, what: str, row: Row) -> None:
        self.errors.append(f"{what}: {' '.join(row.text.split())[:120]}")

    def _title(self, row: Row) -> None:
        match = _TITLE.match(row.text)
        if match is None or row.cut or not match[2]:
            self._complain("the title is cut off", row)
        if match and not row.cut:
            self.versions = (word(match[1]), word(match[2] or ""))

    def _upper_header(self, row: Row) -> None:
        self._upper = columns.columns_of(row.text, columns.UPPER)

    def _lower_header(self, row: Row) -> None:
        self._lower = columns.columns_of(row.text, columns.LOWER)
        self._head = columns.columns_of(row.text, columns.HEAD)

    def _upper_row(self, row: Row) -> None:
        npu, *name = row.head.split()
        found = self._values(row, row.cells[-1], self._upper or columns.UPPER)
        used, total = self._pair(found, "hugepages", row)
        self._open = TableChip(
            npu_id=int(npu),
            name=word(" ".join(name)),
            health=word(row.middle),
            power_w=self._number(decimal, found.get("power", ""), row),
            temperature_c=self._number(integer, found.get("temperature", ""), row),
            hugepages_used=used,
            hugepages_total=total,
        )
        if not (self._open.name and self._open.health):
            self._complain("no name or no health", row)

    def _lower_row(self, row: Row) -> None:
        upper, self._open = self._open, None
        if upper is None:
            self._complain("the upper row of this chip is missing", row)
            return
        found = self._values(row, row.cells[-1], self._lower or columns.LOWER_WITHOUT_HEADER)
        memory, hbm = self._pair(found, "memory", row), self._pair(found, "hbm", row)
        chip = replace(
            self._identified(upper, row),
            bus_id=self._bus_id(row),
            aicore_percent=self._number(integer, found.get("aicore", ""), row),
            memory_used_mb=memory[0],
            memory_total_mb=memory[1],
            hbm_used_mb=hbm[0],
            hbm_total_mb=hbm[1],
        )
        if _place(chip) in map(_place, self.chips):
            self._complain("the same chip a second time", row)
        else:
            self.chips.append(chip)

    def _identified(self, chip: TableChip, row: Row) -> TableChip:
        if not row.head.strip():
            if self._head:
                self._complain("no chip number", row)
            return chip
        default = columns.HEAD[: len(row.head.split())] if not self._lower else columns.HEAD[:1]
        values = columns.split_values(row.head, row.text.find(row.cells[0]), cut=False)
        found = columns.assign(values, self._head or default)
        if len(found) < len(values) or (self._head and len(found) < len(self._head)):
            self._complain("the chip's numbers are not clear", row)
        numbers = {name: self._number(integer, text, row) for name, text in found.items()}
        device = numbers.get("device") if self._lower else None
        return replace(chip, chip_id=numbers.get("chip"), device_id=device, phy_id=numbers.get("phy"))

    def _bus_id(self, row: Row) -> str | None:
        if BUS_ID.fullmatch(row.middle) or is_nothing(row.middle):
            return word(row.middle)
        self._complain("no bus id", row)
        return None

    def _process_titles(self, row: Row) -> None:
        self._process_header = row.text

    def _idle(self, row: Row) -> None:
        match = _IDLE.search(row.text)
        self._in_processes |= {int(match[1])} if match and not row.cut else set()

    def _process(self, row: Row) -> None:
        npu, *chip = row.cells[0].split()
        self._in_processes.add(int(npu))
        pid, name, memory, *container = (*row.cells[1:-1], "" if row.cut else row.cells[-1])
        if row.cut or len(chip) > 1 or ("Chip" in self._process_header and not chip):
            self._complain("a process row is not whole", row)
        self.processes.append(
            TableProcess(
                npu_id=int(npu),
                chip_id=self._number(integer, "".join(chip[:1]), row),
                pid=int(pid),
                name=word(name),
                memory_mb=self._number(integer, memory, row),
                container_pid=self._number(integer, "".join(container), row),
            )
        )

    def _close(self) -> None:
        if self._open:
            self.chips.append(self._open)
            self.errors.append(f"the lower row of a chip of NPU {self._open.npu_id} is missing")
            self._open = None

    def _values(self, row: Row, cell: str, known: tuple[columns.Column, ...]) -> dict[str, str]:
        values = columns.split_values(cell, row.text.rfind(cell), row.cut)
        found = columns.assign(values, known)
        missing = [column.label for column in known if column.name not in found]
        if missing or len(found) < len(values):
            self._complain("values are missing or too many", row)
        return found

    def _pair(self, found: dict[str, str], name: str, row: Row) -> tuple[int | None, int | None]:
        used, _, total = found.get(name, "").partition("/")
        first, second = self._number(integer, used, row), self._number(integer, total, row)
        return (None, None) if first is None or second is None else (first, second)

    def _number(self, read: Callable[[str], Number | None], cell: str, row: Row) -> Number | None:
        try:
            return read(cell)
        except Malformed:
            self._complain("not a number", row)
            return None

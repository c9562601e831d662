"""The operator packages (kernels up to CANN 8.3, ops from 8.5) that a CANN holds, and for which chips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Evidence, Fact, Unavailable, known, unavailable
from npudoctor.parse.cann_install import parse_cann_install
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from npudoctor.collect.snapshot import Entry, Snapshot

CONFIG = "opp/built-in/op_impl/ai_core/tbe/kernel/config"
"""Below a CANN: one folder a chip family, with a JSON file an operator."""

_FOLDER = regex(r"ascend(\d{3}\w*)")
_PACKAGE = regex(
    r"(?i)(?:ascend|atlas)-(?:cann-)?(?:kernels-)?(310p|310b|310|910b|910|950|a3)(?:-cann)?(?:-\w+)?"
)
_INFO = regex(r"(?:\w+-linux/)?ascend_\w*(?:ops|kernels)\w*_install\.info")


@dataclass(frozen=True, slots=True)
class Operators:
    """The operators of one CANN for one chip family.

    Attributes:
        chip: As package names write it: `910b`, `310p`, `a3`.
        version: Of the package, `9.0.0`; None where no install file says it.
        evidence: The listing or file that shows it.
    """

    chip: str
    version: str | None
    evidence: Evidence


def read_operators(snapshot: Snapshot, folders: Iterable[str]) -> Fact[tuple[Operators, ...]]:
    """The operators below a CANN that these folders lead to; unavailable where nobody looked."""
    folders = tuple(folders)
    packages = {found.chip: found for found in _packages(snapshot, folders)}
    listed = list_below(snapshot, folders, CONFIG)
    if not listed.known:
        return _from_files(snapshot, folders, packages, listed)
    found = tuple(
        Operators(chip, packages[chip].version if chip in packages else None, _proof(listed, folder))
        for folder in listed.value
        if (chip := chip_of_folder(folder))
    )
    return Fact(found, listed.evidence)


def chip_of_folder(name: str) -> str | None:
    """`ascend910b` → `910b`, `ascend910_93` → `a3`; None for what is no chip's folder."""
    match = _FOLDER.fullmatch(name)
    if not match:
        return None
    return {"910_93": "a3", "910_95": "950"}.get(match[1], match[1])


def chip_of_package(name: str) -> str | None:
    """`Ascend-cann-910b-ops`, `Ascend-cann-kernels-310p`, `Atlas-A3-cann-kernels` → `910b`, `310p`, `a3`."""
    match = _PACKAGE.fullmatch(name)
    return match[1].lower() if match else None


def list_below(snapshot: Snapshot, folders: Iterable[str], *below: str) -> Fact[tuple[str, ...]]:
    """What `ls` shows in the first of these that holds anything: each of `below` in each of `folders`.

    Known and empty where all that were looked at are not there or empty.
    """
    commands = [f"ls {folder}/{path}" for folder in folders for path in below]
    facts = [_names(command, snapshot.output(command)) for command in commands]
    best = [fact for fact in facts if fact.known and fact.value] or [fact for fact in facts if fact.known]
    return (best or facts or [unavailable("no CANN folder")])[0]


def _names(command: str, answer: Fact[Entry]) -> Fact[tuple[str, ...]]:
    if not answer.known:
        return Fact(answer.content if isinstance(answer.content, Unavailable) else Unavailable(""))
    entry = answer.value
    if entry.state == "complete" and entry.exit_code == 0:
        names = tuple(entry.text.split())
        return known(names, command, " ".join(names) or "empty")
    if "No such file" in entry.all_text:
        return known((), command, entry.all_text.strip())
    return unavailable(f"{command}: failed", command, "failed")


def _packages(snapshot: Snapshot, folders: tuple[str, ...]) -> Iterator[Operators]:
    for folder in folders:
        start = "files" + folder + "/"
        for path in sorted(path for path in snapshot.entries if path.startswith(start)):
            if _INFO.fullmatch(path.removeprefix(start)):
                fact = snapshot.file("/" + path.removeprefix("files/")).map(parse_cann_install)
                install = fact.or_none()
                if install and (chip := chip_of_package(install.package or "")):
                    line = f"package_name={install.package}, version={install.version}"
                    yield Operators(chip, install.version, Evidence(fact.evidence[0].source, line))


def _from_files(
    snapshot: Snapshot,
    folders: tuple[str, ...],
    packages: dict[str, Operators],
    listed: Fact[tuple[str, ...]],
) -> Fact[tuple[Operators, ...]]:
    """Without a listing: what install files and single operator files show, as in bundles made by hand."""
    found = packages | {
        name.chip: name for name in _single_files(snapshot, folders) if name.chip not in packages
    }
    if found:
        return Fact(tuple(found.values()), tuple(name.evidence for name in found.values()))
    return Fact(listed.content if isinstance(listed.content, Unavailable) else Unavailable("not collected"))


def _single_files(snapshot: Snapshot, folders: tuple[str, ...]) -> Iterator[Operators]:
    starts = tuple(f"files{folder}/{CONFIG}/" for folder in folders)
    for path in sorted(snapshot.entries):
        start = next((start for start in starts if path.startswith(start)), None)
        if start and (chip := chip_of_folder(path.removeprefix(start).split("/")[0])):
            yield Operators(chip, None, Evidence("/" + path.removeprefix("files/"), "there"))


def _proof(listed: Fact[tuple[str, ...]], folder: str) -> Evidence:
    return Evidence(listed.evidence[0].source, folder)

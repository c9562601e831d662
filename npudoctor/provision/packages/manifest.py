"""`manifest.json` of a store: what lies in it, from where, and for what; with a digest of its own."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SCHEMA = "npudoctor.store/1"
NAME = "manifest.json"
MOST_BYTES = 16 * 1024 * 1024
"""Of a manifest: some 30,000 packages."""
_LARGEST = 1 << 40
_OURS = ("sha256", ".incoming", ".lock")
"""What a store that was never finished has."""
_FILE_NAME = regex(r"[A-Za-z0-9_][A-Za-z0-9._+@-]{0,254}")
_DIGEST = regex(r"[0-9a-f]{64}")
PROOFS = ("site", "published", "archive", "sums", "itself", "none")
"""Who vouches for the bytes of a package, the best first: this site's own list; a published digest of it, or
of the archive that it came out of; a list of digests beside it; the checksum in its own header; nobody."""
SIGNATURES = ("verified", "present", "none")
"""The vendor's signature: checked against the root that was given; there, but not checked; not there."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One package of a store.

    Attributes:
        name: Of the file, as the vendor calls it.
        size: In bytes.
        sha256: Of its bytes, 64 hex digits; also where it lies.
        component: Which component needs it: `driver`, …
        chip: The family that it is for; empty where for all.
        arch: `aarch64`, `x86_64`, or empty where for both.
        source: Where it was taken from.
        signature: One of `SIGNATURES`.
        proof: One of `PROOFS`.
        stacks: Names of the stacks that it was stored for.
        added: When, in UTC, ISO 8601.
    """

    name: str
    size: int
    sha256: str
    component: str
    version: str
    chip: str
    arch: str
    source: str
    signature: str
    proof: str
    stacks: tuple[str, ...]
    added: str

    @property
    def place(self) -> str:
        """Where it lies below the store."""
        return object_place(self.sha256)

    def as_json(self) -> dict[str, Any]:
        """The entry as plain data."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {
            "stacks": list(self.stacks)
        }


@dataclass(frozen=True, slots=True)
class Manifest:
    """What lies in a store, ordered by component and name."""

    entries: tuple[Entry, ...]

    @property
    def sha256(self) -> str:
        """The digest of all that it says."""
        return hashlib.sha256(_canonical([entry.as_json() for entry in self.entries])).hexdigest()

    def text(self) -> str:
        """The file."""
        content = {
            "schema": SCHEMA,
            "sha256": self.sha256,
            "packages": [entry.as_json() for entry in self.entries],
        }
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    def with_entries(self, more: Iterable[Entry]) -> Manifest:
        """The same with more packages; one that is there already is kept, for more stacks."""
        merged = {(entry.sha256, entry.name): entry for entry in self.entries}
        for entry in more:
            key = (entry.sha256, entry.name)
            merged[key] = _both(merged[key], entry) if key in merged else entry
        return Manifest(tuple(sorted(merged.values(), key=lambda one: (one.component, one.name, one.sha256))))


def object_place(sha256: str) -> str:
    """Where the object of a digest lies below a store."""
    return f"sha256/{sha256[:2]}/{sha256}"


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a store; raises `UsageError` where there is none or it is damaged."""
    file = folder / NAME
    try:
        if file.stat().st_size > MOST_BYTES:
            raise UsageError(
                _("{file}: too large for a manifest").format(file=file), _("build the store anew")
            )
        return parse_manifest(file.read_bytes(), str(file))
    except OSError as error:
        told = _("{file}: {why}").format(file=file, why=error.strerror)
        raise UsageError(told, _("give a store that npudoctor provision store build made")) from None


def manifest_before(folder: Path) -> Manifest:
    """What a store holds before it is written to; nothing where it is new.

    Raises:
        UsageError: Its manifest is damaged, or the folder is for something else.
    """
    if (folder / NAME).exists():
        return read_manifest(folder)
    others = [path.name for path in sorted(folder.glob("*")) if path.name not in _OURS]
    if others:
        what = _("{folder}: holds other files ({name})").format(folder=folder, name=others[0])
        raise UsageError(what, _("give the store a folder of its own"))
    return Manifest(())


def parse_manifest(text: bytes, name: str) -> Manifest:
    """The manifest out of its text.

    Raises:
        UsageError: It is none, or what it says is not what its own digest was made of.
    """
    try:
        content = json.loads(text)
        manifest = Manifest(tuple(_entry(row) for row in content["packages"]))
        schema, digest, present = content["schema"], content["sha256"], manifest.sha256
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        what = _("{file}: no manifest of a store ({why})").format(file=name, why=error)
        raise UsageError(what, _("build the store anew")) from None
    if schema != SCHEMA:
        what = _("{file}: of another schema: {schema}").format(file=name, schema=schema)
        raise UsageError(what, _("use the npudoctor that wrote it"))
    if digest != present:
        what = _("{file}: changed after it was written: its own digest does not hold").format(file=name)
        raise UsageError(what, _("carry the store over again"))
    return manifest


def _entry(row: dict[str, Any]) -> Entry:
    """Raises `ValueError`, `KeyError` or `TypeError` for anything that the fields do not allow."""
    names = {field.name for field in fields(Entry)}
    if set(row) != names:
        raise ValueError(f"fields {sorted(set(row) ^ names)}")
    texts = [row[name] for name in names - {"size", "stacks"}] + list(row["stacks"])
    sound = (
        all(isinstance(text, str) and len(text) < 2000 and text.isprintable() for text in texts),
        type(row["size"]) is int and 0 <= row["size"] <= _LARGEST,
        isinstance(row["stacks"], list),
    )
    if not all(sound):
        raise ValueError("a field of another type")
    if not _FILE_NAME.fullmatch(row["name"]) or not _DIGEST.fullmatch(row["sha256"]):
        raise ValueError(f"a name or digest that is none: {row['name']!r}")
    if row["proof"] not in PROOFS or row["signature"] not in SIGNATURES:
        raise ValueError(f"{row['name']}: proof or signature")
    return Entry(**{**row, "stacks": tuple(row["stacks"])})


def _both(old: Entry, new: Entry) -> Entry:
    """The better proof of the two is kept."""
    from dataclasses import replace

    proof = min(old.proof, new.proof, key=PROOFS.index)
    signature = min(old.signature, new.signature, key=SIGNATURES.index)
    stacks = tuple(dict.fromkeys((*old.stacks, *new.stacks)))
    return replace(old, proof=proof, signature=signature, stacks=stacks)


def _canonical(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()

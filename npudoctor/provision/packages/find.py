"""Which package files a stack needs, and whether a place holds them whole."""

from __future__ import annotations

from enum import Enum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.matrix.chips import family_of_package
from npudoctor.provision.components import PackageFile, components
from npudoctor.provision.packages import archives
from npudoctor.provision.packages.files import tell_nobody
from npudoctor.provision.packages.known import published_as
from npudoctor.provision.packages.naming import read_name
from npudoctor.provision.packages.place import Held, Place  # noqa: TC001 (dataclasses read it)
from npudoctor.provision.packages.seen import Memory, Seen
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from npudoctor.matrix.stacks import NamedStack

_STRAYS_TOLD = 2
_LABEL = regex(r"ASCEND-HDK-([0-9A-Z]+)-NPU|ATLAS-(A3)-HDK", 2)


class State(str, Enum):
    """How it is with one file. `unread`: it is there, far away, and is hashed when it is fetched."""

    FOUND = "found"
    MISSING = "missing"
    DAMAGED = "damaged"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Need:
    """One file that a stack needs."""

    component: str
    version: str
    file: PackageFile


@dataclass(frozen=True, slots=True)
class Found:
    """How it is with one needed file.

    Attributes:
        name: Of the file; the wanted name or glob where it is missing.
        size: In bytes; None where unknown.
        sha256: Empty where unknown.
        proof: Who vouches for it, as in a manifest.
        signature: Likewise.
        where: Path or URL; of the zip that holds it, where one does.
        why: What is wrong, or what there is instead.
        held: The file, or the zip that holds it.
        zipped: Whether `held` is such a zip.
    """

    need: Need
    state: State
    name: str
    size: int | None = None
    sha256: str = ""
    proof: str = "none"
    signature: str = "none"
    where: str = ""
    why: str = ""
    held: Held | None = None
    zipped: bool = False

    @property
    def blocks(self) -> bool:
        """Whether the stack cannot be laid down without it and it is not there."""
        return self.state is State.DAMAGED or (self.state is State.MISSING and not self.need.file.optional)

    @property
    def is_there(self) -> bool:
        """Whether it can be taken."""
        return self.state in (State.FOUND, State.UNREAD)

    @property
    def is_mirrored(self) -> bool:
        """Whether it lies behind a URL as a file of its own: hosts do not open zips."""
        return self.held is not None and self.held.path is None and not self.zipped


def needs(stack: NamedStack, arch: str, only: Collection[str] = ()) -> list[Need]:
    """All files that the stack needs on an architecture; of these components alone where some are named."""
    return [
        Need(component.name, stack.version_of(component.name) or "", file)
        for component in components()
        if not only or component.name in only
        for file in component.files(stack, arch)
    ]


def find(
    place: Place,
    stack: NamedStack,
    arch: str,
    only: Collection[str] = (),
    memory: Memory | None = None,
    tell: Callable[[int], None] = tell_nobody,
) -> list[Found]:
    """Look for every file that the stack needs; what lies on a disk is read and hashed, and `tell` is told.

    Raises:
        IncompleteError: The place is far away and does not answer.
    """
    return look_for(Search(place, memory or Memory(), tell), stack, arch, only)


def look_for(search: Search, stack: NamedStack, arch: str, only: Collection[str] = ()) -> list[Found]:
    """Every file that the stack needs, as a search finds it; with all wheels of its Python environment."""
    from npudoctor.provision.packages.environment import COMPONENT, find_environment

    found = [search.find(need) for need in needs(stack, arch, only)]
    roots = [one for one in found if one.need.component == COMPONENT]
    wheels = find_environment(search, stack, arch, roots) if roots else []
    order = [one.need.component for one in found]
    return sorted(found + wheels, key=lambda one: order.index(one.need.component))


def arches_of(place: Place, stack: NamedStack) -> list[str]:
    """The architectures that the place holds a driver, toolkit or operators of the stack for."""
    held = {name.lower() for name in place.names()}
    return [
        arch
        for arch in ("aarch64", "x86_64")
        if stack.arch in ("", arch)
        if any(
            {need.file.name.lower(), need.file.archive.lower()} & held
            for need in needs(stack, arch, ("driver", "toolkit", "ops"))
        )
    ]


class Search:
    """Looks for files in one place."""

    def __init__(self, place: Place, memory: Memory, tell: Callable[[int], None] = tell_nobody) -> None:
        self._place, self._memory, self._tell = place, memory, tell
        self._names = {name.lower(): name for name in place.names()}

    def names(self) -> list[str]:
        """All files of the place."""
        return list(self._names.values())

    def find(self, need: Need) -> Found:
        """The file, or the zip that holds it, or what there is instead."""
        if held := self._held(need.file.name):
            return self._judged(need, held)
        if held := self._archive(need):
            return self._in_archive(need, held)
        return Found(need, State.MISSING, need.file.name, why=self._instead(need))

    def _held(self, pattern: str) -> Held | None:
        if "*" not in pattern:
            return self._place.held(self._names.get(pattern.lower(), pattern))
        fitting = sorted(name for low, name in self._names.items() if fnmatchcase(low, pattern.lower()))
        return self._place.held(fitting[0]) if fitting else None

    def _archive(self, need: Need) -> Held | None:
        """The zip of its name; of the same kind also another one that holds it: a firmware bears no driver's
        version, but its zip does.
        """
        if not need.file.archive:
            return None
        wanted = need.file.name.lower()
        exact = self._held(need.file.archive)
        if exact is not None and (exact.path is None or wanted in _members(exact)):
            return exact
        kind = need.file.archive.partition("_")[0].lower() + "_"
        others = (self._held(name) for low, name in self._names.items() if low.startswith(kind))
        zips = (
            one for one in others if one is not None and one.path is not None and one.name.endswith(".zip")
        )
        return next((one for one in zips if wanted in _members(one)), exact)

    def _judged(self, need: Need, held: Held) -> Found:
        if held.path is None:
            return _far(need, held)
        seen = self._look(held.path)
        wrong, proof = _proof(held, seen)
        wrong = wrong or _label_wrong(need.file, seen)
        if held.entry is not None and not wrong:
            proof = held.entry.proof
        signature = held.entry.signature if held.entry else "none"
        state = State.DAMAGED if wrong else State.FOUND
        wrong = wrong or _another_build(held, proof)
        return Found(
            need, state, held.name, seen.size, seen.sha256, proof, signature, held.where, wrong, held
        )

    def _look(self, path: Path, member: str = "") -> Seen:
        """What the file is; one that cannot be read is not whole."""
        try:
            return self._memory.look(path, member, self._tell)
        except OSError as error:
            why = error.strerror or str(error)
        except archives.DamagedError as error:
            why = error.why
        return Seen(0, "", _("it cannot be read: {why}").format(why=why), False, "")

    def _in_archive(self, need: Need, held: Held) -> Found:
        if held.path is None:
            why = _("in {archive}").format(archive=held.name)
            return Found(
                need, State.UNREAD, need.file.name, where=held.where, why=why, held=held, zipped=True
            )
        wrong, proof = _proof(held, self._look(held.path))
        if wrong:
            told = f"{held.name}: {wrong}"
            return Found(need, State.DAMAGED, need.file.name, where=held.where, why=told)
        inside = archives.members(held.path)
        if need.file.name.lower() not in _members(held):
            why = _("{archive} does not hold it").format(archive=held.name)
            return Found(need, State.MISSING, need.file.name, where=held.where, why=why)
        seen = self._look(held.path, need.file.name)
        if seen.wrong:
            told = f"{held.name}: {seen.wrong}"
            return Found(need, State.DAMAGED, need.file.name, where=held.where, why=told)
        return Found(
            need,
            State.FOUND,
            next(name for name in inside if name.lower() == need.file.name.lower()),
            seen.size,
            seen.sha256,
            "archive" if proof in ("published", "sums") else "none",
            "present" if any(name.endswith(".cms") for name in inside) else "none",
            held.where,
            _("in {archive}").format(archive=held.name),
            held,
            zipped=True,
        )

    def _instead(self, need: Need) -> str:
        """Files of the same component that are for another chip, architecture or version."""
        strays = [named for name in self._names.values() if (named := read_name(name))]
        others = [f"{one.name} ({one})" for one in strays if one.component == need.component]
        return _("there is {others}").format(others=", ".join(others[:_STRAYS_TOLD])) if others else ""


def _members(held: Held) -> set[str]:
    """Names of the files in a zip on a disk, in small letters."""
    return {name.lower() for name in archives.members(held.path)} if held.path else set()


def _proof(held: Held, seen: Seen) -> tuple[str, str]:
    """What speaks against a file on a disk, and who vouches for it."""
    if seen.wrong:
        return seen.wrong, "none"
    lists = [] if _is_of_site(held) else published_as(held.name)
    best = "site" if any(one.of_site for one in lists) else "published"
    for digests, proof in (({one.sha256 for one in lists}, best), ({held.sha256} - {""}, "sums")):
        if seen.sha256 in digests:
            return "", proof
        if digests and not (proof == "published" and held.name.endswith(".whl")):
            what = _("its SHA-256 is {present}, not {wanted}")
            return what.format(present=seen.sha256[:16], wanted=min(digests)[:16]), "none"
    return "", "itself" if seen.itself else "none"


def _another_build(held: Held, proof: str) -> str:
    """Indexes hold builds of a wheel that no list knows: it is used, and this is told."""
    other = held.name.endswith(".whl") and proof in ("sums", "none") and published_as(held.name)
    return _("public lists have another build of this name") if other else ""


def _is_of_site(held: Held) -> bool:
    """Whether a store holds it by the word of its own site: public lists have another of that name."""
    return held.entry is not None and held.entry.proof == "site"


def _label_wrong(file: PackageFile, seen: Seen) -> str:
    """A package that was given another's name."""
    found = _LABEL.search(seen.label)
    family = family_of_package((found[1] or found[2]).lower()) if found else None
    if family is None or not file.chip or family == file.chip:
        return ""
    return _("inside, it calls itself a package for {chip}").format(chip=family)


def _far(need: Need, held: Held) -> Found:
    """A file behind a URL: its digest is known where the mirror, its manifest or a list gives it."""
    lists = [] if _is_of_site(held) else published_as(held.name)
    known = [one.sha256 for one in lists]
    sha256 = held.sha256 or (known[0] if len(known) == 1 else "")
    if known and sha256 and sha256 not in known and not held.name.endswith(".whl"):
        why = _("the mirror says that its SHA-256 is {present}, not {wanted}")
        told = why.format(present=sha256[:16], wanted=known[0][:16])
        return Found(need, State.DAMAGED, held.name, held.size, sha256, where=held.where, why=told)
    best = "site" if any(one.of_site for one in lists) else "published"
    proof = best if sha256 and sha256 in known else "sums" if held.sha256 else "none"
    proof = held.entry.proof if held.entry else proof
    return Found(need, State.UNREAD, held.name, held.size, sha256, proof, "none", held.where, "", held)

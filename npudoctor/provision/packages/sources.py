"""Where a needed file is published, and fetching it from there into a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from npudoctor.dataclass import dataclass
from npudoctor.errors import NpudoctorError
from npudoctor.provision.packages.fetch import WrongBytesError, fetch
from npudoctor.provision.packages.files import tell_nobody, telling
from npudoctor.provision.packages.find import Found, State
from npudoctor.provision.packages.known import published_as
from npudoctor.provision.packages.seen import said_of_itself
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a file is published.

    Attributes:
        name: Of what is fetched: the file, or the zip that holds it.
        wanted: Its published digests; none where no list gives one.
    """

    name: str
    url: str
    wanted: tuple[str, ...]


def origin_of(one: Found) -> Origin | None:
    """Best where its digest is published, else its zip's, else where public pages say it lies."""
    file = one.need.file
    for pattern in (file.name, file.archive):
        listed = [known for known in published_as(pattern) if known.url] if pattern else []
        if listed:
            name = listed[0].name
            return Origin(name, listed[0].url, tuple(known.sha256 for known in listed if known.name == name))
    if file.url and "*" not in file.name:
        return Origin(file.name, file.url + quote(file.name), ())
    return None


def fetch_missing(
    found: Iterable[Found], folder: Path, optional: bool, tell: Callable[[int], None] = tell_nobody
) -> list[NpudoctorError]:
    """Fetch what is missing or damaged into a folder; why each of the others did not come.

    Args:
        optional: Whether wheels and images are fetched too.

    Raises:
        NpudoctorError: The disk is full, or the folder may not be written.
    """
    failed: list[NpudoctorError] = []
    done: set[str] = set()
    with telling(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for one in found:
            if one.state not in (State.MISSING, State.DAMAGED) or (one.need.file.optional and not optional):
                continue
            origin = origin_of(one)
            if origin is None or origin.name in done:
                continue
            done.add(origin.name)
            try:
                _fetch(origin, folder, tell)
            except NpudoctorError as error:
                failed.append(error)
    return failed


def _fetch(origin: Origin, folder: Path, tell: Callable[[int], None]) -> None:
    target = folder / origin.name
    fetch(origin.url, target, origin.wanted, tell=tell)
    wrong, _itself, _label = said_of_itself(target)
    if wrong:
        target.unlink()
        raise WrongBytesError(f"{origin.url}: {wrong}", _("try again later; nothing of it was kept"))

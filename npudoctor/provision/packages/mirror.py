"""A folder or a store behind HTTP: a static file server is enough."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from npudoctor.provision.packages.manifest import MOST_BYTES, NAME, Entry, Manifest, parse_manifest
from npudoctor.provision.packages.place import Held, Place
from npudoctor.provision.packages.sums import is_sums, parse_sums
from npudoctor.provision.packages.web import Answer, ask
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Mapping

_LINK = regex(r"href\s*=\s*[\"']([^\"'?#]{1,2000})[\"']", 2)
_MOST_LISTING = 8 * 1024 * 1024


class Mirror:
    """Files under the vendor's names behind a URL. What its listing and its `SHA256SUMS` tell of is known."""

    def __init__(self, url: str) -> None:
        self._url = url if url.endswith("/") else url + "/"
        listing = _text(self._url, _MOST_LISTING)
        self._listed = sorted({name for link in _LINK.findall(listing or "") if (name := _name(link))})
        sums = (_text(self._url + quote(name), _MOST_LISTING) for name in self._sum_files())
        self._sums = dict(pair for text in sums for pair in parse_sums(text or ""))

    @property
    def where(self) -> str:
        """The URL."""
        return self._url

    def names(self) -> list[str]:
        """What its listing shows; nothing where it shows none."""
        return self._listed

    def held(self, name: str) -> Held | None:
        """The file, asked for by its name alone."""
        url = self._url + quote(name)
        answer = ask(url, "HEAD")
        if answer is None:
            return None
        with answer:
            return Held(name, answer.size, self._sums.get(name, ""), None, url)

    def _sum_files(self) -> list[str]:
        listed = [name for name in self._listed if is_sums(name)]
        return listed or ([] if self._listed else ["SHA256SUMS"])


class RemoteStore:
    """A store behind a URL."""

    def __init__(self, url: str, manifest: Manifest) -> None:
        self._url = url if url.endswith("/") else url + "/"
        self.manifest = manifest
        self._entries: Mapping[str, Entry] = {entry.name: entry for entry in manifest.entries}

    @property
    def where(self) -> str:
        """The URL."""
        return self._url

    def names(self) -> list[str]:
        """All packages of the manifest."""
        return sorted(self._entries)

    def held(self, name: str) -> Held | None:
        """The package as the manifest tells of it."""
        entry = self._entries.get(name)
        if entry is None:
            return None
        return Held(name, entry.size, entry.sha256, None, self._url + entry.place, entry)


def open_mirror(url: str) -> Place:
    """The mirror or store behind a URL; raises `IncompleteError` where nothing answers."""
    base = url if url.endswith("/") else url + "/"
    answer = ask(base + NAME, "GET")
    if answer is None:
        return Mirror(base)
    with answer:
        return RemoteStore(base, parse_manifest(answer.read(MOST_BYTES), base + NAME))


def _text(url: str, most: int) -> str | None:
    answer: Answer | None = ask(url, "GET")
    if answer is None:
        return None
    with answer:
        return answer.read(most).decode("utf-8", "replace")


def _name(link: str) -> str:
    """The file that a link of a listing leads to; empty for folders and other places."""
    try:
        parts = urlsplit(unescape(link))
    except ValueError:
        return ""
    path = unquote(parts.path).removeprefix("./")
    return path if not parts.netloc and "/" not in path and path.isprintable() else ""

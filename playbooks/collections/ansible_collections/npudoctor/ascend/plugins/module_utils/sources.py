"""Where packages come from: a folder (`file://`) or a mirror (`http://`), as a stream from any byte on.

A place holds a package by its digest (`sha256/ab/abcd…`, the layout of a store) or by its name.
"""

from __future__ import annotations

import http.client
import os
import urllib.error
import urllib.parse
import urllib.request

TOKEN_HEADER = "X-Npudoctor-Token"
_SECONDS = 30


class SourceError(Exception):
    """Why a place did not give a package."""


class Stream:
    """Bytes of a package from `start` on (0 where the place cannot begin elsewhere)."""

    def __init__(self, file, start: int) -> None:
        self.file = file
        self.start = start

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; none at the end. Raises SourceError where the place breaks off."""
        try:
            return self.file.read(size)
        except (OSError, http.client.HTTPException) as error:
            raise SourceError(str(error)) from error

    def close(self) -> None:
        """Let go of the place."""
        self.file.close()


def stream(source: str, package: dict, start: int, token: str = "") -> Stream:
    """Open a package at a place. Raises SourceError where it does not have it, or does not answer."""
    kind = urllib.parse.urlsplit(source).scheme
    if kind == "file":
        return _from_folder(urllib.parse.unquote(urllib.parse.urlsplit(source).path), package, start)
    if kind in ("http", "https"):
        return _from_mirror(source, package, start, token)
    raise SourceError("{0} is neither file:// nor http://".format(source))


def _places(package: dict) -> list:
    digest = package["sha256"]
    return ["sha256/{0}/{1}".format(digest[:2], digest), os.path.basename(package["name"])]


def _from_folder(folder: str, package: dict, start: int) -> Stream:
    for place in _places(package):
        path = os.path.join(folder, place)
        if os.path.isfile(path):
            try:
                file = open(path, "rb")  # noqa: SIM115 (the stream closes it)
            except OSError as error:
                raise SourceError(str(error)) from error
            file.seek(start)
            return Stream(file, start)
    raise SourceError("{0} holds no {1}".format(folder, package["name"]))


def _from_mirror(base: str, package: dict, start: int, token: str) -> Stream:
    last = SourceError("no answer")
    for place in _places(package):
        url = "{0}/{1}".format(base.rstrip("/"), urllib.parse.quote(place))
        try:
            return _open(url, start, token)
        except urllib.error.HTTPError as error:
            last = SourceError("{0}: {1} {2}".format(url, error.code, error.reason))
            if error.code not in (404, 403):
                break
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise SourceError("{0}: {1}".format(url, error)) from error
    raise last


def _open(url: str, start: int, token: str) -> Stream:
    headers = {TOKEN_HEADER: token} if token else {}
    if start:
        headers["Range"] = "bytes={0}-".format(start)
    # The mirror stands inside: a proxy to the outside world has no part in this.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    answer = opener.open(urllib.request.Request(url, headers=headers), timeout=_SECONDS)
    began = start if answer.status == 206 else 0
    return Stream(answer, began)

"""One question over HTTP, with every failure told as one line."""

from __future__ import annotations

import http.client
import io
import socket
from typing import TYPE_CHECKING, Any

from npudoctor.errors import IncompleteError
from npudoctor.regex import regex
from npudoctor.words import _

if TYPE_CHECKING:
    from urllib.request import OpenerDirector

STALLED_AFTER = 60.0
"""Seconds without a byte after which a server counts as gone."""
_REFERER = {"Referer": "https://www.hiascend.com/"}
"""The vendor's store answers some folders only so (cann-container-image, its Dockerfiles, read 2026-08)."""
_RANGE = regex(r"bytes (\d+)-\d+/(\d+|\*)")


class Answer(io.RawIOBase):
    """What a server sends, from `start` on.

    Attributes:
        start: Where in the file it begins: 0 where the server knows nothing of ranges.
        size: Of the whole file in bytes; None where the server does not say.
    """

    def __init__(self, response: Any, url: str) -> None:
        super().__init__()
        self._response, self._url = response, url
        self.start, self.size = _extent(response)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes; raises `IncompleteError` where the server fell silent or the connection broke."""
        try:
            return int(self._response.readinto(buffer))
        except (OSError, http.client.HTTPException) as error:
            raise IncompleteError(
                _told(self._url, error), _("run it again: it goes on where it stopped")
            ) from None

    def close(self) -> None:
        """End the connection."""
        self._response.close()
        super().close()


def ask(url: str, method: str, start: int = 0) -> Any:
    """The answer to a GET or HEAD, from byte `start` on; None where the server says that nothing is there.

    Raises:
        IncompleteError: Nothing answers, or it refuses.
    """
    from urllib.error import HTTPError
    from urllib.request import Request

    headers = {"User-Agent": "npudoctor", **(_REFERER if "myhuaweicloud.com/" in url else {})}
    if start:
        headers["Range"] = f"bytes={start}-"
    try:
        request = Request(url, headers=headers, method=method)  # noqa: S310 (the opener knows HTTP alone)
        response = _opener().open(request, timeout=STALLED_AFTER)
    except HTTPError as error:
        error.close()
        if error.code in (404, 410):
            return None
        raise IncompleteError(f"{url}: HTTP {error.code} {error.reason}", _("look at the mirror")) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise IncompleteError(
            _told(url, error), _("check the network, or carry the file over by hand")
        ) from None
    return Answer(response, url)


def _opener() -> OpenerDirector:
    """Follows redirects to HTTP and HTTPS alone, through the proxy that the environment names."""
    from urllib.request import (
        HTTPDefaultErrorHandler,
        HTTPErrorProcessor,
        HTTPHandler,
        HTTPRedirectHandler,
        HTTPSHandler,
        OpenerDirector,
        ProxyHandler,
    )

    opener = OpenerDirector()
    for handler in (
        ProxyHandler,
        HTTPHandler,
        HTTPSHandler,
        HTTPDefaultErrorHandler,
        HTTPRedirectHandler,
        HTTPErrorProcessor,
    ):
        opener.add_handler(handler())
    return opener


def _extent(response: Any) -> tuple[int, int | None]:
    ranged = _RANGE.fullmatch(response.headers.get("Content-Range") or "")
    if response.status == 206 and ranged:
        return int(ranged[1]), None if ranged[2] == "*" else int(ranged[2])
    length = response.headers.get("Content-Length") or ""
    return 0, int(length) if length.isdigit() else None


def _told(url: str, error: BaseException) -> str:
    reason = getattr(error, "reason", None) or error
    if isinstance(reason, (TimeoutError, socket.timeout)):
        return _("{url}: silent for {seconds} s").format(url=url, seconds=f"{STALLED_AFTER:.0f}")
    why = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
    return f"{url}: {why}"

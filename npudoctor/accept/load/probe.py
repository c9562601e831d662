"""One request before the test: whether the service answers, which model it serves, in which form."""

from __future__ import annotations

import json
import time
from contextlib import closing
from http.client import HTTPException
from ssl import SSLCertVerificationError
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from npudoctor.accept.load.protocol import (
    OF_OPENAI,
    Kind,
    Piece,
    body_of,
    endpoint_of,
    one_line,
    piece_of,
    without_key,
)
from npudoctor.dataclass import dataclass
from npudoctor.errors import IncompleteError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Mapping

_TOKENS = 8
_LONGEST = 4 * 1024 * 1024
"""Bytes of an answer to one question of a few tokens, or of a list of models: many times the longest."""


class _Stay(HTTPRedirectHandler):
    """Another address is another service, which the key is not for: a redirection is an HTTP error."""

    def redirect_request(self, *_told: Any) -> None:
        """Go nowhere."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service that answered.

    Attributes:
        url: The whole address.
        model: Its name; empty where the form of request names none.
    """

    url: str
    kind: Kind
    model: str


def find_service(url: str, model: str | None, headers: Mapping[str, str], seconds: float) -> Service:
    """Ask it once.

    Args:
        url: As the user gave it.
        model: As the user named it; None: the first that the service lists.
        headers: For every request.
        seconds: That it may take, model loading and compiling on the first request too.

    Raises:
        UsageError: It is no address of a model.
        IncompleteError: It does not answer as a served model does.
    """
    whole, kind = endpoint_of(url)
    if kind in OF_OPENAI and model is None:
        model = _first_model(whole, headers, seconds)
    service = Service(whole, kind, model or "")
    if kind is Kind.GENERATE and not _answers(service, headers, seconds):
        service = Service(whole, Kind.INPUTS, "")
    _ask(service, headers, seconds)
    return service


def _first_model(url: str, headers: Mapping[str, str], seconds: float) -> str:
    place = url.rsplit("/v1/", 1)[0] + "/v1/models"
    answer = _read(Request(place, headers=dict(headers)), seconds)  # noqa: S310 (http or https)
    models = _models(answer)
    if not models:
        raise IncompleteError(_("{url}: it lists no model").format(url=place), _("give --model NAME"))
    return models[0]


def _models(answer: bytes) -> list[str]:
    """Their names; none where it is no list of models."""
    try:
        rows = json.loads(answer)["data"]
        names = [row["id"] for row in rows]
    except (ValueError, RecursionError, TypeError, KeyError):
        return []
    return [name for name in names if isinstance(name, str) and name.isprintable()]


def _answers(service: Service, headers: Mapping[str, str], seconds: float) -> bool:
    """Whether it takes `prompt`; a server of the other form says 4xx."""
    try:
        _ask(service, headers, seconds)
    except IncompleteError as error:
        if isinstance(error.__cause__, HTTPError) and error.__cause__.code in (400, 404, 415, 422):
            return False
        raise
    return True


def _ask(service: Service, headers: Mapping[str, str], seconds: float) -> None:
    body: dict[str, Any] = body_of(service.kind, service.model, "Say one word.", _TOKENS)
    request = Request(  # noqa: S310 (http or https)
        service.url, json.dumps(body).encode(), {**headers, "Content-Type": "application/json"}
    )
    answer = _read(request, seconds)
    pieces = [piece for line in answer.replace(b"\0", b"\n").splitlines() if (piece := piece_of(line))]
    wrong = next((piece.error for piece in pieces if piece.error), None)
    if wrong or not any(map(_is_text, pieces)):
        what = wrong or _("it answers, but not as a served model does")
        raise IncompleteError(f"{service.url}: {without_key(what, headers)}", _("see the service's log"))


def _is_text(piece: Piece) -> bool:
    return piece.text


def _read(request: Request, seconds: float) -> bytes:
    try:
        with closing(build_opener(_Stay).open(request, timeout=seconds)) as answer:
            return _all(answer, time.monotonic() + seconds)
    except HTTPError as error:
        said = without_key(one_line(error.read(500).decode(errors="replace")), request.headers)
        raise IncompleteError(
            f"{request.full_url}: HTTP {error.code} {said}".strip(), _hint(error)
        ) from error
    except (URLError, OSError, HTTPException, ValueError) as error:
        why = getattr(error, "reason", None) or error
        raise IncompleteError(f"{request.full_url}: {one_line(str(why))}", _hint_of(why)) from error


def _all(answer: Any, end: float) -> bytes:
    """The whole body; raises `TimeoutError` where it has not ended by then, and where it is far too long."""
    body = b""
    while chunk := answer.read1(1 << 16):
        body += chunk
        if time.monotonic() > end or len(body) > _LONGEST:
            raise TimeoutError(_("its answer does not end"))
    return body


def _hint_of(why: object) -> str:
    if isinstance(why, SSLCertVerificationError):
        return _("name the file of its CA in the variable SSL_CERT_FILE")
    return _("see whether the service is up, and its port")


def _hint(error: HTTPError) -> str:
    if 300 <= error.code < 400:
        return _("give the address that it leads to: {url}").format(
            url=one_line(error.headers["Location"] or "?")
        )
    if error.code in (401, 403):
        return _("put its key into the variable NPUDOCTOR_API_KEY")
    if error.code in (400, 404, 422):
        return _("see the path, and --model")
    return _("see the service's log")

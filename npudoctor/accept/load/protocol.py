"""What a served model is asked, and how its answer is read: OpenAI's chat and completions, and `/generate`.

Sources: the API reference of OpenAI (chat/completions, completions, `stream_options`), the README of
text-generation-inference (`/generate_stream`), vLLM's `vllm/entrypoints/api_server.py` (`/generate`, pieces
end with a NUL), the interface pages of MindIE Service (which serves all of them). Read 2026-11.
"""

from __future__ import annotations

import json
from enum import Enum
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Mapping


class Kind(str, Enum):
    """The form of request and answer."""

    CHAT = "chat"
    COMPLETIONS = "completions"
    GENERATE = "generate"
    """vLLM's own `/generate`: `prompt`, pieces that hold all of the text so far."""
    INPUTS = "inputs"
    """`/generate_stream`: `inputs` and `parameters`, a token a piece."""


OF_OPENAI = (Kind.CHAT, Kind.COMPLETIONS)
CUT_OFF = "an answer that is cut off, or of another form"


@dataclass(frozen=True, slots=True)
class Piece:
    """What one piece of a streamed answer brings.

    Attributes:
        text: Whether it brings text: one token, or a few.
        tokens: How many tokens the whole answer has, where the piece says so.
        error: What the server says went wrong.
        last: Whether it says that the answer ends here.
    """

    text: bool = False
    tokens: int | None = None
    error: str | None = None
    last: bool = False


_MOST = 10**9
"""Tokens of an answer: no counter of a server is right above it."""
_LONGEST = 300
"""Letters of a server's message."""
_TEXTS = ("content", "reasoning_content", "reasoning", "text")
"""What a model thinks is `reasoning` since vLLM pull request 27752 (2025-11), no more `reasoning_content`."""
_PATHS = {
    "/chat/completions": Kind.CHAT,
    "/completions": Kind.COMPLETIONS,
    "/generate_stream": Kind.INPUTS,
    "/generate": Kind.GENERATE,
}


def endpoint_of(url: str) -> tuple[str, Kind]:
    """The whole address and its kind; without a path, or up to `/v1`, it is a server of OpenAI's kind.

    Raises:
        UsageError: It is no address of a model.
    """
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if "@" in url:
        what = _("no user and no password in the address of a service")
        raise UsageError(what, _("put its key into the variable NPUDOCTOR_API_KEY"))
    if not sound or not url.isprintable() or " " in url:
        raise UsageError(_("{url}: no address of a service").format(url=url), "http://HOST:PORT")
    path = parts.path.rstrip("/")
    for end, kind in _PATHS.items():
        if path.endswith(end):
            return url, kind
    if path and not path.endswith("/v1"):
        what = _("{url}: it ends in none of the paths of a served model").format(url=url)
        raise UsageError(what, ", ".join(_PATHS))
    base = parts._replace(path=path or "/v1", query="").geturl()
    return f"{base}/chat/completions", Kind.CHAT


def body_of(kind: Kind, model: str, prompt: str, max_tokens: int) -> dict[str, Any]:
    """The request for one prompt, to be streamed."""
    if kind is Kind.INPUTS:
        return {"inputs": prompt, "parameters": {"max_new_tokens": max_tokens, "details": True}}
    shared: dict[str, Any] = {"max_tokens": max_tokens, "stream": True, "temperature": 0}
    if kind is Kind.GENERATE:
        return {"prompt": prompt, **shared}
    asked = {"messages": [{"role": "user", "content": prompt}]} if kind is Kind.CHAT else {"prompt": prompt}
    return {"model": model, **asked, **shared, "stream_options": {"include_usage": True}}


def piece_of(line: bytes) -> Piece | None:
    """Read one line of an answer; None for what brings nothing: blank lines, comments."""
    text = line.strip(b"\r\n\0 ")
    if text.startswith(b"data:"):
        text = text[5:].strip()
    if text == b"[DONE]":
        return Piece(last=True)
    if not text.startswith(b"{"):
        return None
    try:
        return _piece(json.loads(text))
    except (ValueError, RecursionError):
        return Piece(error=CUT_OFF)
    except (TypeError, AttributeError):
        return Piece(error="an answer of another form than that of a served model")


def _piece(document: dict[str, Any]) -> Piece:
    if document.get("error"):
        return Piece(error=_message(document["error"]))
    usage = document.get("usage") or document.get("details") or {}
    tokens = usage.get("completion_tokens", usage.get("generated_tokens"))
    counted = type(tokens) is int and 0 < tokens < _MOST
    return Piece(_has_text(document), tokens if counted else None, last=_has_reason(document))


def _has_reason(document: dict[str, Any]) -> bool:
    """Why the answer ends, which OpenAI's forms say with its last piece."""
    return any(choice.get("finish_reason") for choice in document.get("choices") or ())


def _message(error: Any) -> str:
    return one_line(str(error.get("message", error) if isinstance(error, dict) else error))


def one_line(text: str) -> str:
    """What a server says, as a person may be shown it: no control characters, not long."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text[:_LONGEST])
    return " ".join(printable.split())


def without_key(text: str, headers: Mapping[str, str]) -> str:
    """The same without the key, where a server sends it back."""
    key = headers.get("Authorization", "").removeprefix("Bearer ")
    return text.replace(key, "***") if key else text


def _has_text(document: dict[str, Any]) -> bool:
    for choice in document.get("choices") or ():
        said = choice.get("delta") or choice.get("message") or choice
        return any(said.get(name) for name in _TEXTS)
    if isinstance(document.get("token"), dict):
        return bool(document["token"].get("text"))
    return bool(document.get("text") or document.get("generated_text"))

"""A served model over HTTP: whether it is ready, and whether it answers a real request."""

from __future__ import annotations

import calendar
import json
import time
from contextlib import closing
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

_SECONDS = 10
_DIRECT = build_opener(ProxyHandler({}))


def age(container: dict) -> float:
    """Seconds since a container was started, as `docker inspect` tells of it."""
    started = container["State"].get("StartedAt", "")[:19]
    try:
        return time.time() - calendar.timegm(time.strptime(started, "%Y-%m-%dT%H:%M:%S"))
    except ValueError:
        return float("inf")


def is_ready(port: int, path: str) -> bool:
    """Whether the path answers with 200."""
    return get(port, path)[0] == 200


def get(port: int, path: str) -> tuple:
    """(status, text); status 0 where nobody answers."""
    return _ask(Request(_address(port, path)), _SECONDS)


def ask(port: int, path: str, body: dict, seconds: int) -> str:
    """Send one request: what is wrong with the answer, in words; empty where it is one.

    A body without a model gets the first that the service lists.
    """
    if "model" not in body and path.startswith("/v1/"):
        body = dict(body, model=_first_model(port))
    data = json.dumps(body).encode()
    status, text = _ask(Request(_address(port, path), data, {"Content-Type": "application/json"}), seconds)
    if status != 200:
        return "{0} answers {1}: {2}".format(path, status or "nothing", text[:300])
    try:
        json.loads(text)
    except ValueError:
        return "{0} answers no JSON: {1}".format(path, text[:300])
    return ""


def _first_model(port: int) -> str:
    try:
        return json.loads(get(port, "/v1/models")[1])["data"][0]["id"]
    except (ValueError, KeyError, IndexError, TypeError):
        return ""


def _address(port: int, path: str) -> str:
    return "http://127.0.0.1:{0}{1}".format(port, path)


def _ask(request: Request, seconds: int) -> tuple:
    try:
        with closing(_DIRECT.open(request, timeout=seconds)) as answer:
            return answer.getcode(), answer.read().decode("utf-8", "replace")
    except HTTPError as error:
        return error.code, error.read().decode("utf-8", "replace")
    except (OSError, HTTPException) as error:
        return 0, str(error)

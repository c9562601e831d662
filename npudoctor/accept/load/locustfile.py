"""What locust runs: requests at their times, whatever the answers to earlier ones do.

Each user of locust is one sender. It sends its share of each step's requests on a clock, each in a greenlet
of its own, so that a slow service does not slow the test down. The settings come from the file that
`NPUDOCTOR_LOAD` names, and go from locust's master to its workers; the records come back the same way and
end in one file.
"""

from __future__ import annotations

import json
import os
import random
import signal
import ssl
import time
from typing import TYPE_CHECKING, Any

import gevent
from geventhttpclient.response import HTTPParseError
from geventhttpclient.useragent import ConnectionError as NotAnsweredError
from geventhttpclient.useragent import UserAgent
from locust import User, events, task
from locust.runners import LocalRunner, MasterRunner, WorkerRunner

from npudoctor.accept.load.protocol import CUT_OFF, OF_OPENAI, Kind, body_of, piece_of, without_key

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS = "NPUDOCTOR_LOAD"
_MESSAGE = "npudoctor"
_CONNECTIONS = 100_000
_settings: dict[str, Any] = {}
_records: list[dict[str, Any]] = []
_ended: set[str] = set()


def _prepare(environment: Any, **_more: Any) -> None:
    if isinstance(environment.runner, WorkerRunner):
        environment.runner.register_message(_MESSAGE, lambda msg, **_more: _settings.update(msg.data))
        return
    gevent.spawn(_end_with_parent, os.getppid())
    with open(os.environ[SETTINGS], encoding="utf-8") as file:
        _settings.update(json.load(file))


def _end_with_parent(parent: int) -> None:
    """Where npudoctor was killed nobody wants the records, and the next test wants the service."""
    while os.getppid() == parent:
        gevent.sleep(1)
    os.killpg(os.getpgrp(), signal.SIGKILL)


def _tell(environment: Any, **_more: Any) -> None:
    if isinstance(environment.runner, MasterRunner):
        environment.runner.send_message(_MESSAGE, _settings)


def _hand_over(data: dict[str, Any], **_more: Any) -> None:
    data[_MESSAGE] = {"records": _records[:], "ended": sorted(_ended)}
    _records.clear()


def _take(client_id: str, data: dict[str, Any], **_more: Any) -> None:
    told = data.get(_MESSAGE, {"records": [], "ended": []})
    _write(told["records"])
    _ended.update(f"{client_id} {each}" for each in told["ended"])


def _write(records: list[dict[str, Any]]) -> None:
    with open(_settings["records"], "a", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def _watch(environment: Any, **_more: Any) -> None:
    """End the test once every sender has ended, on the machine that locust was started on."""
    if not isinstance(environment.runner, WorkerRunner):
        gevent.spawn(_end_with_senders, environment.runner)


def _end_with_senders(runner: Any) -> None:
    while len(_ended) < _settings["senders"]:
        gevent.sleep(0.2)
    if isinstance(runner, LocalRunner):
        _write(_records)
    runner.quit()


_hooks: Any = events
_hooks.init.add_listener(_prepare)
_hooks.test_start.add_listener(_tell)
_hooks.test_start.add_listener(_watch)
_hooks.report_to_master.add_listener(_hand_over)
_hooks.worker_report.add_listener(_take)


class Sender(User):
    """One sender: its share of all requests."""

    @task
    def send(self) -> None:
        """Send at each arrival, wait for the answers, then never again."""
        client = UserAgent(
            concurrency=_CONNECTIONS,
            network_timeout=_settings["timeout"],
            connection_timeout=_settings["timeout"],
            ssl_context_factory=ssl.create_default_context,
            headers=_settings["headers"],
            max_retries=0,
            max_redirects=0,  # another address is another service, which the key is not for
        )
        begun = time.monotonic()
        began = time.time()
        prompts = _settings["prompts"]
        running = []
        for number, (step, at) in enumerate(_arrivals()):
            gevent.sleep(max(0.0, begun + at - time.monotonic()))
            prompt = prompts[(number * _settings["senders"] + id(self)) % len(prompts)]
            running.append(gevent.spawn(_request, client, (begun, began), step, at, prompt))
        gevent.joinall(running, timeout=_settings["timeout"])
        _ended.add(f"{os.getpid()} {id(self)}")
        gevent.sleep(1e6)


def _arrivals() -> Iterator[tuple[int, float]]:
    """Step and second of each request of one sender, at an even pace; the senders are not in step."""
    for step, rate in enumerate(_settings["rates"]):
        pause = _settings["senders"] / rate
        phase = random.random() if _settings["senders"] > 1 else 0.0  # noqa: S311
        for number in range(round(_settings["seconds"] / pause)):
            yield step, step * _settings["seconds"] + (number + phase) * pause


def _request(client: UserAgent, start: tuple[float, float], step: int, at: float, prompt: str) -> None:
    (begun, began), sent = start, time.monotonic()
    record: dict[str, Any] = {"step": step, "first": None, "tokens": 0, "error": None}
    record.update(late=sent - begun - at, began=began)
    try:
        with gevent.Timeout(_settings["timeout"]):
            _answer(client, prompt, sent, record)
    except gevent.Timeout:
        record["error"] = "time limit"
    except (NotAnsweredError, HTTPParseError, OSError) as error:
        record["error"] = _reason(error)
    now = time.monotonic()
    record["last"], record["ended"] = record.get("last", now - sent), now - begun
    _records.append(record)


def _answer(client: UserAgent, prompt: str, sent: float, record: dict[str, Any]) -> None:
    kind = Kind(_settings["kind"])
    body = json.dumps(body_of(kind, _settings["model"], prompt, _settings["max_tokens"])).encode()
    response = client.urlopen(_settings["url"], "POST", {"Content-Type": "application/json"}, body)
    if response.status_code >= 300:
        record["error"] = f"HTTP {response.status_code}"
        return
    streamed = "event-stream" in str(response.headers.get("content-type", ""))
    tokens, ended = None, not streamed or kind not in OF_OPENAI
    for line in _lines(response, b"\n" if streamed or kind is not Kind.GENERATE else b"\0"):
        piece = piece_of(line)
        if piece is None:
            continue
        if piece.error:
            record["error"] = without_key(piece.error, _settings["headers"])
            return
        tokens, ended = piece.tokens or tokens, ended or piece.last
        if piece.text:
            record["last"] = time.monotonic() - sent
            record["first"] = record["first"] if record["first"] is not None else record["last"]
            record["tokens"] += 1
    _count(record, tokens)
    if not ended and not record["error"]:
        record["error"] = CUT_OFF


def _count(record: dict[str, Any], tokens: int | None) -> None:
    """The tokens as the server counts them, else the pieces. One piece with all says nothing of tokens."""
    if not record["tokens"]:
        record["error"] = "an answer without text"
        return
    if record["tokens"] == 1 and tokens != 1:
        record["first"] = None
    if tokens is not None:
        record["tokens"] = tokens


def _lines(response: Any, end: bytes) -> Iterator[bytes]:
    stream = response.stream
    while line := stream.readline(end):
        yield line
    yield bytes(stream.read())


def _reason(error: Exception) -> str:
    """Few words, so that the same failure is counted as the same."""
    if isinstance(error, HTTPParseError):
        return CUT_OFF
    code = getattr(error, "code", None)
    if code:
        return f"HTTP {code}"
    return type(getattr(error, "original", None) or error).__name__

"""A small server that answers as served models do: streamed chat, completions, both forms of /generate.

python -m tests.accept.load.served 8000     # to try it by hand
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "tiny"
_MIX = 20


@dataclass
class Behaviour:
    """How it answers.

    Attributes:
        first: Seconds to the first token, of each slot.
        spread: By how much more the slowest of twenty requests in a row waits for it; the others by less.
        each: Seconds for a token after it.
        slots: How many requests are answered at once; the rest waits.
        fail_every: Each so many-th request ends in HTTP 500; 0: none.
        inputs: Whether /generate takes `inputs`, as text-generation-inference does.
        cut: Whether it hangs up after the first token, from the second request on.
        to: Where it sends whoever asks, from the second request on.
        key: The key that it wants.
        ready_after: Seconds after its start for which it is not healthy.
        asked: The bodies of all requests.
        answered: Of each streamed answer, the seconds from the request to its first and its last token.
    """

    first: float = 0.01
    each: float = 0.002
    slots: int = 64
    fail_every: int = 0
    inputs: bool = False
    cut: bool = False
    to: str = ""
    key: str = ""
    ready_after: float = 0
    spread: float = 0
    asked: list[dict[str, Any]] = field(default_factory=list)
    answered: list[tuple[float, float]] = field(default_factory=list)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # as real servers do; else tokens come in lumps
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        if self.path == "/health":
            self._json(200 if time.monotonic() > self.server.ready_at else 503, {})
        elif self.path == "/v1/models":
            self._json(200, {"data": [{"id": MODEL}]})
        else:
            self._json(404, {"error": "no such path"})

    def do_POST(self) -> None:
        began = time.perf_counter()
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        behaviour = self.server.behaviour
        with self.server.lock:
            behaviour.asked.append(body)
            number = len(behaviour.asked)
        if behaviour.key and self.headers.get("Authorization") != f"Bearer {behaviour.key}":
            self._json(401, {"error": {"message": "wrong key"}})
        elif behaviour.fail_every and number % behaviour.fail_every == 0:
            self._json(500, {"error": "out of memory"})
        elif behaviour.to and number > 1:
            self._json(307, {}, Location=behaviour.to)
        elif behaviour.cut and number > 1:
            self._hang_up()
        elif self.path == "/generate" and behaviour.inputs and "inputs" not in body:
            self._json(422, {"error": "missing field inputs"})
        elif self.path.startswith("/v1/") and not body.get("stream"):
            self._json(200, {"model": body.get("model"), "choices": [{"text": "w0"}]})
        else:
            with self.server.slots:
                self._stream(body, began, number)

    def _hang_up(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(self._piece(0))

    def _stream(self, body: dict[str, Any], began: float, request: int) -> None:
        tokens = body.get("max_tokens") or body["parameters"]["max_new_tokens"]
        plain = self.path == "/generate" and not self.server.behaviour.inputs
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream" if plain else "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        behaviour, came = self.server.behaviour, []
        first = behaviour.first + behaviour.spread * (request % _MIX) / (_MIX - 1)
        for number in range(tokens):
            time.sleep(behaviour.each if number else first)
            self._chunk(self._piece(number))
            came.append(time.perf_counter() - began)
        behaviour.answered.append((came[0], came[-1]))
        if "/completions" in self.path:
            kind = "chat.completion.chunk" if "/chat/" in self.path else "text_completion"
            usage = {"object": kind, "choices": [], "usage": {"completion_tokens": tokens}}
            self._chunk(b"data: " + json.dumps(usage).encode() + b"\n\n")
            self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _piece(self, number: int) -> bytes:
        if self.path.endswith("/chat/completions"):
            document: dict[str, Any] = {"choices": [{"index": 0, "delta": {"content": f"w{number} "}}]}
            document["object"] = "chat.completion.chunk"
        elif self.path.endswith("/completions"):
            document = {"object": "text_completion", "choices": [{"index": 0, "text": f"w{number} "}]}
        elif self.server.behaviour.inputs or self.path.endswith("_stream"):
            document = {"token": {"text": f"w{number} "}}
        else:
            return json.dumps({"text": [" ".join("w" * (number + 1))]}).encode() + b"\0"
        return b"data: " + json.dumps(document).encode() + b"\n\n"

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _json(self, code: int, document: Any, **headers: str) -> None:
        data = json.dumps(document).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


class _Server(ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True

    def __init__(self, port: int, behaviour: Behaviour) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.behaviour = behaviour
        self.ready_at = time.monotonic() + behaviour.ready_after
        self.lock = threading.Lock()
        self.slots = threading.Semaphore(behaviour.slots)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that hung up is no error of ours."""


@contextlib.contextmanager
def served(behaviour: Behaviour | None = None, port: int = 0) -> Iterator[str]:
    """Serve on a free port of loopback; the address without a path."""
    server = _Server(port, behaviour or Behaviour())
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _by_hand() -> None:
    """Behave as the variables EXIT, READY_AFTER and FAIL_EVERY say: those of a container."""
    if os.environ.get("EXIT"):
        sys.exit("RuntimeError: " + os.environ["EXIT"])
    fail_every, ready_after = (os.environ.get(name, "0") for name in ("FAIL_EVERY", "READY_AFTER"))
    with served(
        Behaviour(fail_every=int(fail_every), ready_after=float(ready_after)), int(sys.argv[1])
    ) as address:
        print(address, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    _by_hand()

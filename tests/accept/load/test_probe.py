"""The one request before a load test, to services that answer in ways that none should."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from npudoctor.accept.load.probe import find_service
from npudoctor.errors import IncompleteError

KEY = "sk-planted-secret"
HEADERS = {"Authorization": f"Bearer {KEY}"}


@contextmanager
def serving(body: bytes, code: int = 200, *, repeat: bool = False, to: str = ""):
    """Answers everything with `body`; with `repeat`, again and again without an end."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_told: object) -> None:
            """Say nothing."""

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(code)
            if to:
                self.send_header("Location", to)
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(body)
                while repeat:
                    self.wfile.write(body)

        do_GET = do_POST

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("body", [b'{"data": 5}', b"[" * 100_000, b"", b'{"data": [{"id": "\\u001b[2J"}]}'])
def test_what_is_no_list_of_models_names_none(body):
    with serving(body) as url, pytest.raises(IncompleteError, match="it lists no model"):
        find_service(url, None, {}, 5)


def test_an_answer_that_does_not_end_is_not_waited_for():
    with serving(b"x" * 1_000_000, repeat=True) as url, pytest.raises(IncompleteError, match="does not end"):
        find_service(url, "m", {}, 5)


def test_a_redirection_is_told_and_not_followed():
    """The key would go to whoever the service names."""
    with serving(b"", 302, to="http://elsewhere.invalid/v1") as url, pytest.raises(IncompleteError) as error:
        find_service(url, "m", HEADERS, 5)
    assert str(error.value).endswith(
        "HTTP 302; give the address that it leads to: http://elsewhere.invalid/v1"
    )


@pytest.mark.parametrize("code", [200, 401])
def test_a_key_that_the_service_sends_back_is_not_shown(code):
    body = f'{{"error": "wrong key Bearer {KEY}"}}'.encode()
    with serving(body, code) as url, pytest.raises(IncompleteError) as error:
        find_service(url, "m", HEADERS, 5)
    assert "wrong key Bearer ***" in str(error.value)

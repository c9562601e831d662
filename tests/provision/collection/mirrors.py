"""Mirrors of packages that answer well, break off, or give other bytes."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Mirror(ThreadingHTTPServer):
    """Serves `files` by path.

    Attributes:
        asked: Each request: its path and the range that it asked for.
        breaks_after: Bytes after which a connection is dropped; None: never.
        ranges: Whether it begins elsewhere than at the first byte.
    """

    daemon_threads = True

    def __init__(self, files: dict[str, bytes], breaks_after: int | None = None, ranges: bool = True) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files = files
        self.asked: list[tuple[str, str]] = []
        self.breaks_after = breaks_after
        self.ranges = ranges

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Mirror

    def do_GET(self) -> None:
        wanted = self.headers.get("Range", "")
        self.server.asked.append((self.path, wanted))
        data = self.server.files.get(self.path)
        if data is None:
            self.send_error(404)
            return
        start = int(wanted.removeprefix("bytes=").partition("-")[0]) if wanted and self.server.ranges else 0
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        self.wfile.write(data[start:][: self.server.breaks_after])

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def mirror(files: dict[str, bytes], breaks_after: int | None = None, ranges: bool = True) -> Iterator[Mirror]:
    """A mirror for the length of a block."""
    server = Mirror(files, breaks_after, ranges)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()

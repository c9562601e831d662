"""A real HTTP server on loopback that serves a folder, well or badly."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote


class Served:
    """A folder behind `url`.

    Attributes:
        ranges: Whether it knows of ranges.
        cut: Break off each answer after so many bytes; as a list, one for each answer in turn.
        stall: Fall silent after so many bytes, until the server ends.
        listing: Whether it lists the folder.
        alter: What it makes of the bytes of a file.
        lengths: Whether it tells how long an answer is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.ranges, self.listing, self.lengths = folder, True, True, True
        self.cut: list[int] = []
        self.stall: int | None = None
        self.status: int | None = None
        self.alter = bytes
        self.asked: list[tuple[str, str, str]] = []
        self.over = threading.Event()
        self.began = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Of the folder."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def close(self) -> None:
        """End it."""
        self.over.set()
        self._server.shutdown()
        self._server.server_close()

    def gets(self) -> list[tuple[str, str]]:
        """Path and range of each GET."""
        return [(path, ranged) for method, path, ranged in self.asked if method == "GET"]


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, served: Served, *arguments) -> None:
        self.served = served
        super().__init__(*arguments, directory=str(served.folder))

    def log_message(self, *_arguments) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        served = self.served
        served.asked.append((self.command, unquote(self.path), self.headers.get("Range", "")))
        file = served.folder / unquote(self.path).lstrip("/")
        if served.status is not None:
            self.send_error(served.status)
        elif file.is_dir() and served.listing:
            super().do_GET()
        elif not file.is_file():
            self.send_error(404)
        else:
            self._send(served.alter(file.read_bytes()), with_body)

    def _send(self, content: bytes, with_body: bool) -> None:
        served, start = self.served, 0
        ranged = self.headers.get("Range", "")
        if ranged and served.ranges:
            start = int(ranged.removeprefix("bytes=").rstrip("-"))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        body = content[start:]
        if served.lengths:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self._write(body)

    def _write(self, body: bytes) -> None:
        served = self.served
        served.began.set()
        if served.stall is not None:
            self.wfile.write(body[: served.stall])
            self.wfile.flush()
            served.over.wait(30)
            return
        most = served.cut.pop(0) if served.cut else len(body)
        self.wfile.write(body[:most])

"""Serves the packages of a store to the hosts of a rack, read-only, for a while. Started by `serve`, as a file.

    python3 store_server.py SERVE.json

`SERVE.json` (root only) holds `folder`, `address`, `port`, `token` and `until` (seconds since 1970): never a word of
it on a command line. It ends when that time has come, or when the file is gone. It answers `GET` and `HEAD` of
`/sha256/ab/abcd…`, with ranges, to those who send the token.
"""

from __future__ import annotations

import hmac
import json
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN_HEADER = "X-Npudoctor-Token"
_LOOK = 0.5
_PATH = re.compile(r"^/sha256/([0-9a-f]{2})/(\1[0-9a-f]{62})$")
_RANGE = re.compile(r"^bytes=(\d+)-(\d*)$")


class Handler(BaseHTTPRequestHandler):
    """One request. The server carries `folder` and `token`."""

    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self):
        """A package, or the rest of one."""
        self._answer(with_body=True)

    def do_HEAD(self):
        """Its size."""
        self._answer(with_body=False)

    def log_message(self, format, *args):
        """Say nothing: nobody reads it."""

    def _answer(self, with_body):
        if not hmac.compare_digest(self.headers.get(TOKEN_HEADER, "").encode(), self.server.token.encode()):
            return self._refuse(403)
        found = _PATH.match(self.path)
        path = os.path.join(self.server.folder, "sha256", found.group(1), found.group(2)) if found else ""
        if not os.path.isfile(path) or os.path.islink(path):
            return self._refuse(404)
        with open(path, "rb") as file:
            return self._send(file, os.fstat(file.fileno()).st_size, with_body)

    def _send(self, file, size, with_body):
        asked = _RANGE.match(self.headers.get("Range", ""))
        start, end = _span(asked, size)
        if start > end:
            return self._refuse(416)
        self.send_response(206 if asked else 200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(end - start + 1))
        if asked:
            self.send_header("Content-Range", "bytes {0}-{1}/{2}".format(start, end, size))
        self.end_headers()
        if with_body:
            self.wfile.flush()
            self.connection.sendfile(file, start, end - start + 1)
        return None

    def _refuse(self, code):
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.end_headers()


def _span(asked, size):
    """First and last byte that are asked for; the whole where nothing is, or nothing that can be understood."""
    if not asked:
        return 0, size - 1
    last = int(asked.group(2)) if asked.group(2) else size - 1
    return int(asked.group(1)), min(last, size - 1)


def server(told):
    """A server that is bound, but does not answer yet; port 0 takes a free one."""
    made = ThreadingHTTPServer((told["address"], told["port"]), Handler)
    made.daemon_threads = True
    made.folder, made.token = told["folder"], told["token"]
    return made


def main(path):
    """Serve until the time is over, or the file is gone."""
    told = _read(path)
    made = server(told)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    while told and time.time() < told["until"]:
        time.sleep(_LOOK)
        told = _read(path)
    made.shutdown()
    return 0


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))

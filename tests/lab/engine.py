"""The engine of this machine as the Docker of lab hosts: real containers, without what only the lab host has.

    with engine(host, kept=(served.__file__,)):   # `docker` on the host is that of this machine
        host.run("docker", "run", "-d", …)

The program there hands its words over a socket in the `/lab` of the host. Of `docker run` devices are left
out, and every mount whose source is not among `kept`: they lie on the lab host, and not here.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from socketserver import StreamRequestHandler, ThreadingMixIn, UnixStreamServer

from tests.lab.provisioned import ProvisionedHost

_CLIENT = """\
#!/usr/bin/python3
import json, socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect("/lab/engine.sock")
line.sendall(json.dumps(sys.argv[1:]).encode() + b"\\n")
code, said, complained = json.loads(line.makefile().read())
sys.stdout.write(said)
sys.stderr.write(complained)
sys.exit(code)
"""


class _Server(ThreadingMixIn, UnixStreamServer):
    daemon_threads = True
    request_queue_size = 64


class _Handler(StreamRequestHandler):
    def __init__(self, kept: Sequence[str], *args: object) -> None:
        self._kept = tuple(kept)
        super().__init__(*args)  # type: ignore[arg-type]

    def handle(self) -> None:
        words = _without(json.loads(self.rfile.readline()), self._kept)
        done = subprocess.run(["docker", *words], capture_output=True, text=True, check=False)
        self.wfile.write(json.dumps([done.returncode, done.stdout, done.stderr]).encode())


def _without(words: list[str], kept: tuple[str, ...]) -> list[str]:
    """The words without what lies on the lab host only."""
    if words[:1] != ["run"]:
        return words
    found, left = [], iter(words)
    for word in left:
        if word not in ("--device", "-v", "--group-add"):
            found.append(word)
            continue
        value = next(left)
        if word == "-v" and value.startswith(kept):
            found += [word, value]
    return found


@contextlib.contextmanager
def engine(host: ProvisionedHost, kept: Sequence[str] = ()) -> Iterator[None]:
    """Give a host the engine of this machine, until the block ends."""
    server = _Server(str(host.folder / "engine.sock"), partial(_Handler, kept))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    host.run("sh", "-c", "cat >/usr/local/bin/docker && chmod 755 /usr/local/bin/docker", text=_CLIENT)
    host.run("ln", "-sf", "/lab/engine.sock", "/run/docker.sock")
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

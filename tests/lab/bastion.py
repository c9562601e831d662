"""`bastion.py HOST PORT`: what `nc HOST PORT` does, for a ProxyCommand; and servers that are no sshd."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def impostor(address: str, greeting: bytes = b"") -> Iterator[int]:
    """A server that greets whoever connects, then says nothing and listens to nobody; its port."""
    kept: list[socket.socket] = []

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                caller, _address = server.accept()
                kept.append(caller)
                caller.sendall(greeting)

    with socket.socket() as server:
        server.bind((address, 0))
        server.listen()
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
    for caller in kept:
        caller.close()


def _relay(host: str, port: int) -> None:
    with socket.create_connection((host, port)) as line:
        threading.Thread(target=_pump, args=(line,), daemon=True).start()
        while data := line.recv(65536):
            os.write(1, data)


def _pump(line: socket.socket) -> None:
    while data := os.read(0, 65536):
        line.sendall(data)
    line.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    _relay(sys.argv[1], int(sys.argv[2]))

"""Reading a container through an engine that is scripted here; real ones are in tests/lab."""

from __future__ import annotations

import socket
import threading

import pytest

pytest.importorskip("docker", reason="the docker package is not installed")

from npudoctor.collect import container
from npudoctor.collect.container import Engine, Found

RUNNING = Found("serve", {"Id": "1", "Name": "/serve", "State": {"Status": "running"}})
STREAM = b"npudoctor-stream/1 @" + b"0" * 32 + b"\n"
MARK = b"\n@" + b"0" * 32


class Api:
    """An engine's side of one exec: it answers with these pieces."""

    base_url = "http+docker://localhost"

    def __init__(self, *pieces: bytes, code: int = 0) -> None:
        self.pieces, self.code, self.heard = pieces, code, bytearray()

    def exec_create(self, *_arguments, **_options):
        return {"Id": "2"}

    def exec_start(self, *_arguments, **_options):
        ours, theirs = socket.socketpair()
        self.thread = threading.Thread(target=self._answer, args=(theirs,), daemon=True)
        self.thread.start()
        return ours

    def exec_inspect(self, _id):
        self.thread.join(5)
        return {"ExitCode": self.code}

    def _answer(self, peer: socket.socket) -> None:
        self.heard += peer.recv(65536)
        for piece in self.pieces:
            peer.sendall(piece)
        peer.close()


def framed(data: bytes, stream: int = 1) -> bytes:
    return bytes([stream, 0, 0, 0]) + len(data).to_bytes(4, "big") + data


@pytest.fixture
def read(monkeypatch):
    def of(api: Api, found: Found = RUNNING, seconds: float = 5):
        engine = Engine.__new__(Engine)
        engine._client = type("Client", (), {"api": api})()
        return engine.read(found, "# script\n", seconds)

    return of


def test_output_comes_in_frames_that_are_cut_anywhere(read):
    whole = framed(STREAM) + framed(b"noise", 2) + framed(MARK + b">c id\nuid=0(root)\n" + MARK + b"<0\n")
    whole += framed(MARK + b".done\n")
    api = Api(*(whole[at : at + 7] for at in range(0, len(whole), 7)))

    snapshot = read(api)

    assert snapshot.command("id").value == "uid=0(root)\n"
    assert (snapshot.name, snapshot.source, snapshot.problems) == ("serve", "container", ())
    assert bytes(api.heard).endswith(b"exit\n")


def test_a_stream_that_breaks_off_says_so(read):
    snapshot = read(Api(framed(STREAM + MARK + b">c id\nuid")))

    assert snapshot.problems == ("the stream is cut off",)
    assert snapshot.entries["commands/id"].state == "cut-off"


@pytest.mark.parametrize(
    ("said", "code", "words"),
    [
        (b"OCI runtime exec failed: executable file not found in $PATH", 126, "has no /bin/sh"),
        (b"", 127, "has no /bin/sh"),
        (b"exec /bin/sh: cannot allocate memory", 1, "can be read: exec /bin/sh: cannot allocate memory"),
    ],
)
def test_where_nothing_can_be_run_the_reason_is_kept(read, said, code, words):
    snapshot = read(Api(framed(said), code=code))

    assert snapshot.entries == {}
    assert words in snapshot.problems[0]


def test_one_that_never_answers_ends_in_time(read):
    class Silent(Api):
        def _answer(self, peer):
            peer.recv(65536)
            threading.Event().wait(2)

    assert "nothing inside container serve can be read" in read(Silent(), seconds=0.3).problems[0]


def test_one_that_does_not_run_is_not_asked(read):
    stopped = Found("serve", {"Id": "1", "State": {"Status": "exited"}})

    assert read(Api(), stopped).problems == ("container serve is exited: nothing inside can be read",)


def test_an_engine_elsewhere_is_not_this_machine():
    def here(address):
        engine = Engine.__new__(Engine)
        engine._client = type("Client", (), {"api": type("A", (), {"base_url": address})()})()
        return engine.is_here

    assert here("http+docker://localhost")
    assert not here("http://192.0.2.7:2375")


def test_permission_is_told_from_absence():
    assert "may not be asked" in str(container._unreachable(OSError("Permission denied")))
    assert "no container engine answers" in str(container._unreachable(OSError("No such file")))

"""The module `serve`: a store that is given to the neighbours, read-only, with a token, for a while."""

from __future__ import annotations

import hashlib
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.provision.collection.calling import call

DATA = b"a package" * 1000
DIGEST = hashlib.sha256(DATA).hexdigest()
PLACE = f"/sha256/{DIGEST[:2]}/{DIGEST}"


class Served:
    """A store that is served."""

    def __init__(self, root: Path) -> None:
        self.root = root
        path = root / "var/lib/npudoctor/store" / PLACE.lstrip("/")
        path.parent.mkdir(parents=True)
        path.write_bytes(DATA)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]

    def call(self, **more: Any) -> dict[str, Any]:
        return call("serve", self.root, port=self.port, address="127.0.0.1", **more)

    def get(self, path: str = PLACE, token: str = "secret", **headers: str) -> tuple[int, bytes]:
        url = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(url, headers={"X-Npudoctor-Token": token, **headers})
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, b""

    def listens(self) -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    made = Served(tmp_path)
    yield made
    made.call(state="absent")


def test_packages_are_given_to_those_who_know_the_token(served: Served) -> None:
    assert served.call(token="secret")["changed"]
    assert served.get() == (200, DATA)
    assert served.get(token="guess")[0] == 403
    assert served.get(Range="bytes=10-19") == (206, DATA[10:20])


@pytest.mark.parametrize(
    "path", ["/", "/sha256", "/../steps/driver.json", "/sha256/00/" + "0" * 64, PLACE + ".json"]
)
def test_nothing_else_is_given(served: Served, path: str) -> None:
    served.call(token="secret")
    assert served.get(path)[0] == 404


def test_the_second_call_changes_nothing_and_another_token_replaces_the_first(served: Served) -> None:
    served.call(token="secret")
    assert not served.call(token="secret")["changed"]
    assert served.call(token="other")["changed"]
    assert served.get(token="secret")[0] == 403
    assert served.get(token="other")[0] == 200


def test_it_ends_when_its_time_is_over(served: Served) -> None:
    served.call(token="secret", seconds=1)
    end = time.monotonic() + 10
    while served.listens() and time.monotonic() < end:
        time.sleep(0.1)
    assert not served.listens()


def test_check_mode_starts_nothing_and_no_token_is_refused(served: Served) -> None:
    assert served.call(token="secret", check=True)["changed"]
    assert not served.listens()
    assert served.call()["failed"]


def test_the_token_is_on_no_command_line(served: Served) -> None:
    served.call(token="planted-token")
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert any(b"store_server.py" in line for line in lines)
    assert not any(b"planted-token" in line for line in lines)

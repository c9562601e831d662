"""What Docker and Kubernetes cut at 16 KiB is one line again, and no line gets another number."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from npudoctor.collect.dump.rows import joined

LONG = "x" * 40_000 + " error code is 507033 " + "y" * 5_000
LINES = ["first", LONG, "third", LONG, "last"]
TIME = "2026-01-02T03:04:05.123456789Z"


def pieces(line: str, size: int = 16_384) -> list[str]:
    return [line[at : at + size] for at in range(0, len(line), size)]


def docker(lines: list[str], stream: str = "stdout") -> list[bytes]:
    rows = [{"log": piece, "stream": stream, "time": TIME} for line in lines for piece in pieces(line + "\n")]
    return [json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows]


def cri(lines: list[str], stream: str = "stderr") -> list[bytes]:
    return [
        f"{TIME} {stream} {'F' if piece is cut[-1] else 'P'} {piece}\n".encode()
        for line in lines
        for cut in [pieces(line)]
        for piece in cut
    ]


def chunked(data: bytes, size: int) -> Iterator[bytes]:
    yield from (data[at : at + size] for at in range(0, len(data), size))


def said_by_docker(data: bytes) -> list[str]:
    return [json.loads(row)["log"].rstrip("\n") for row in data.splitlines() if row]


@pytest.mark.parametrize("size", [100, 16_000, 1 << 20])
def test_rows_of_docker_that_belong_together_are_one(size: int) -> None:
    data = b"".join(docker(LINES))
    together = b"".join(joined(chunked(data, size)))
    assert said_by_docker(together) == LINES
    assert together.count(b"\n") == data.count(b"\n")


@pytest.mark.parametrize("size", [100, 16_000, 1 << 20])
def test_rows_of_kubernetes_that_belong_together_are_one(size: int) -> None:
    data = b"".join(cri(LINES))
    together = b"".join(joined(chunked(data, size)))
    assert [row.split(b" ", 3)[3].decode() for row in together.splitlines() if row] == LINES
    assert together.count(b"\n") == data.count(b"\n")


def test_two_streams_that_write_at_once_are_not_mixed() -> None:
    one, two = docker([LONG], "stdout"), docker(["a" * 40_000], "stderr")
    mixed = b"".join(row for pair in zip(one, two, strict=True) for row in pair)
    assert sorted(said_by_docker(b"".join(joined(iter([mixed]))))) == sorted([LONG, "a" * 40_000])


def test_a_log_that_breaks_off_in_a_row_gives_what_is_there() -> None:
    rows = docker([LONG])
    assert said_by_docker(b"".join(joined(iter(rows[:1])))) == [LONG[:16_384]]


@pytest.mark.parametrize("data", [b"", b"plain\ntext", b'{"log":"x"}\n{"other": 1}\n', b'{"log":"\\'])
def test_all_else_stays_as_it_is(data: bytes) -> None:
    assert b"".join(joined(chunked(data, 5))) == data

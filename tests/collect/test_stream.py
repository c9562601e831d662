"""The stream that comes back from a host, whole and damaged."""

from __future__ import annotations

import random

import pytest

from npudoctor.collect.bundle import read_bundle
from npudoctor.collect.stream import StreamReader

NONCE = "@" + "0123456789abcdef" * 2


def stream(*frames: str, end: str = "done") -> bytes:
    text = f"npudoctor-stream/1 {NONCE}\n" + "".join(frames) + f"\n{NONCE}.{end}\n"
    return text.encode()


def frame(title: str, output: str, close: str = "0", errors: str = "") -> str:
    stderr = f"\n{NONCE}!\n{errors}" if errors else ""
    return f"\n{NONCE}>{title}\n{output}{stderr}\n{NONCE}<{close}\n"


def read(data: bytes, piece: int = 1 << 20):
    reader = StreamReader()
    for at in range(0, len(data), piece):
        reader.feed(data[at : at + piece])
    return reader.finish("node1", "ssh")


FRAMES = (
    frame("c npu-smi info", "table\n", "0 1000 20 10.50 12.00", "noise\n"),
    frame("f /etc/os-release", "ID=openEuler\n", "0 1000"),
    frame("f /etc/hccn.conf", "", "absent"),
    frame("c dmesg", "", "denied"),
    frame("e environment", "A=1\0B=x\ny\0"),
    frame("p python-packages", "# /usr/bin/python3 3.11.2\n"),
    frame("c id", "", "0 1000 5 1.00 1.01"),
)


@pytest.mark.parametrize("piece", [1, 7, 64, 1 << 20])
def test_frames_become_entries_however_they_are_cut_into_pieces(piece: int) -> None:
    snapshot = read(stream(*FRAMES), piece)
    entry = snapshot.entry("commands/npu-smi_info")
    assert (entry.stdout, entry.stderr, entry.exit_code, entry.seconds) == (b"table\n", b"noise\n", 0, 1.5)
    assert snapshot.file("/etc/os-release").value == "ID=openEuler\n"
    assert snapshot.file("/etc/hccn.conf").absent
    assert snapshot.entry("commands/dmesg").state == "denied"
    assert snapshot.entry("environment").stdout == b"A=1\nB=x\\ny\n"
    assert snapshot.entry("commands/id").stdout == b""
    assert snapshot.problems == ()


def test_a_login_banner_before_it_is_passed_over() -> None:
    assert read(b"Last login: today\r\nWelcome\n" + stream(*FRAMES), 100).problems == ()


def test_output_that_looks_like_a_frame_of_another_nonce_is_output() -> None:
    forged = "\n@" + "f" * 32 + "<0 1 1 1 1\n"
    assert read(stream(frame("c id", forged))).entry("commands/id").text == forged


@pytest.mark.parametrize(
    ("close", "state"),
    [
        ("0 3 5 1.00 1.10", "cut-off"),
        ("137 1000 5 1.00 6.10", "timeout"),
        ("143 1000 5 1.00 6.10", "timeout"),
        ("137 1000 5 1.00 2.00", "complete"),
        ("141 1000 5 1.00 2.00", "cut-off"),
        ("153 1000 5 1.00 2.00", "cut-off"),
        ("1 1000 5 1.00 2.00", "complete"),
        ("nonsense", "failed"),
    ],
)
def test_the_closing_line_says_how_it_ended(close: str, state: str) -> None:
    assert read(stream(frame("c dmesg", "abcdef", close))).entry("commands/dmesg").state == state


def test_the_start_or_the_end_is_kept_of_what_is_too_long() -> None:
    snapshot = read(stream(frame("c a", "abcdef", "0 3 5 1 1"), frame("c b", "abcdef", "0 -3 5 1 1")))
    assert snapshot.entry("commands/a").stdout == b"abc"
    assert snapshot.entry("commands/b").stdout == b"def"


def test_a_refusal_with_no_output_is_denied() -> None:
    errors = "dmesg: read kernel buffer failed: Operation not permitted\n"
    snapshot = read(stream(frame("c dmesg", "", "1 100 5 1.00 1.01", errors)))
    assert snapshot.entry("commands/dmesg").state == "denied"


def test_a_frame_that_was_never_closed_ran_out_of_time() -> None:
    unclosed = f"\n{NONCE}>c ss -ltnp\nhalf"
    snapshot = read(stream(unclosed, frame("c id", "x\n"), end="interrupted"))
    assert snapshot.entry("commands/ss_-ltnp").state == "timeout"
    assert snapshot.entry("commands/id").state == "complete"
    assert snapshot.problems == ("collecting was ended before all was read",)


def test_a_stream_that_is_cut_off_anywhere_gives_what_came_and_says_so() -> None:
    whole = stream(*FRAMES)
    for length in range(60, len(whole) - 2):
        snapshot = read(whole[:length])
        assert snapshot.problems
        for entry in snapshot.entries.values():
            if entry.state == "complete":
                assert entry == read(whole).entry(entry.path)


def test_no_stream_at_all_says_so() -> None:
    assert read(b"sh: not found\n").problems == ("no stream came back",)


def test_damaged_streams_never_crash() -> None:
    whole = stream(*FRAMES)
    chance = random.Random(7)
    for _ in range(2000):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        read(bytes(data))


def test_containers_of_one_docker_inspect_are_told_apart() -> None:
    text = '[{"Name": "/vllm", "HostConfig": {"Devices": ["/dev/davinci0"]}}, {"Name": "/db"}]'
    snapshot = read(stream(frame("c docker inspect", text)))
    assert '"Name": "/vllm"' in snapshot.command("docker inspect vllm").value
    assert snapshot.entry("commands/docker_inspect_db") is None
    assert snapshot.command("docker inspect").value == "vllm\ndb\n"


def test_a_stream_saved_by_hand_is_read_as_a_bundle(tmp_path) -> None:
    (tmp_path / "host.stream").write_bytes(b"banner\n" + stream(*FRAMES))
    snapshot = read_bundle(tmp_path / "host.stream")
    assert snapshot.command("npu-smi info").value == "table\n"
    assert snapshot.problems == ()


def test_a_stream_that_was_packed_with_gzip_is_read_whole_or_cut_off(tmp_path) -> None:
    import gzip

    packed = gzip.compress(stream(*FRAMES))
    (tmp_path / "host.stream.gz").write_bytes(packed)
    assert read_bundle(tmp_path / "host.stream.gz").problems == ()
    assert read_bundle(tmp_path / "host.stream.gz").name == "host"
    (tmp_path / "host.stream.gz").write_bytes(packed[:-40])
    assert read_bundle(tmp_path / "host.stream.gz").problems == ("the stream is cut off",)


@pytest.mark.parametrize(
    "title", ["f /../../etc/x", "f ../x", "c ../../x", "p ../../x", "z x", "f x/../../.."]
)
def test_no_title_makes_an_entry_outside_the_bundle(title: str) -> None:
    for path in read(stream(frame(title, "x"))).entries:
        assert ".." not in path.split("/")
        assert path.startswith(("files/", "commands/"))


def test_the_detours_of_a_path_are_taken_out() -> None:
    snapshot = read(stream(frame("f /opt/a//../b/./version.cfg", "1")))
    assert snapshot.file("/opt/b/version.cfg").value == "1"


def test_a_host_that_never_stops_talking_is_ended(monkeypatch) -> None:
    from npudoctor.collect import stream as module

    monkeypatch.setattr(module, "_MOST_IN_ALL", 10_000)
    snapshot = read(stream(*FRAMES, end="x" * 20_000), 1000)
    assert snapshot.problems == ("the stream is larger than any host's",)


def test_a_host_without_room_says_that_something_is_missing() -> None:
    assert "no room" in read(stream(*FRAMES, end="lost")).problems[0]


def test_a_container_that_ended_meanwhile_does_not_spoil_the_others() -> None:
    text = '[{"Name": "/vllm", "HostConfig": {"Devices": ["/dev/davinci0"]}}]'
    snapshot = read(
        stream(frame("c docker inspect", text, "1 9999 10 1.00 1.20", "Error: No such object: ab"))
    )
    assert snapshot.command("docker inspect vllm").known
    assert not snapshot.command("docker inspect").known


@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
def test_one_grep_gives_many_files(piece: int) -> None:
    lines = "/etc/a:1\n/etc/a:2\n/etc/b:3\n:0\n"
    snapshot = read(stream(frame("g grep", lines, errors="/etc/a\n/etc/b\n/etc/c\n")), piece)
    assert [snapshot.file(f"/etc/{name}").value for name in "abc"] == ["1\n2\n", "3\n", ""]
    assert len(snapshot.entries) == 3

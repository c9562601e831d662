"""One file over HTTP, from a real server that behaves well or badly."""

import socket

import pytest

from npudoctor.errors import Exit, IncompleteError
from npudoctor.provision.packages import web
from npudoctor.provision.packages.fetch import WrongBytesError, fetch

from .factory import DRIVER, sha256


@pytest.fixture
def content(folder):
    content = bytes(range(256)) * 40_000
    (folder / DRIVER).write_bytes(content)
    return content


@pytest.fixture
def target(tmp_path):
    return tmp_path / DRIVER


def test_a_file_is_there_whole_with_its_size_and_digest(served, content, target):
    assert fetch(served.url + DRIVER, target) == (len(content), sha256(content))
    assert target.read_bytes() == content
    assert not target.with_name(f"{DRIVER}.part").exists()


def test_it_goes_on_where_it_stopped(served, content, target):
    target.with_name(f"{DRIVER}.part").write_bytes(content[:3_000_000])

    fetch(served.url + DRIVER, target, [sha256(content)])

    assert served.gets() == [(f"/{DRIVER}", "bytes=3000000-")]
    assert target.read_bytes() == content


def test_a_server_that_breaks_off_is_asked_for_the_rest(served, content, target):
    served.cut = [1_000_000, 2_000_000]

    assert fetch(served.url + DRIVER, target, [sha256(content)])[0] == len(content)
    assert [ranged for _path, ranged in served.gets()] == ["", "bytes=1000000-", "bytes=3000000-"]


def test_a_server_that_knows_of_no_ranges_is_asked_from_the_beginning(served, content, target):
    served.ranges = False
    target.with_name(f"{DRIVER}.part").write_bytes(b"of another day")

    fetch(served.url + DRIVER, target, [sha256(content)])

    assert target.read_bytes() == content


def test_a_server_that_does_not_say_how_long_a_file_is_is_believed_where_the_digest_holds(
    served, content, target
):
    served.lengths = False

    assert fetch(served.url + DRIVER, target, [sha256(content)]) == (len(content), sha256(content))


def test_one_that_breaks_off_again_and_again_ends_as_incomplete_and_keeps_what_came(served, content, target):
    served.cut = [10_000] * 50

    with pytest.raises(IncompleteError, match="cut off after 50000 of 10240000 bytes"):
        fetch(served.url + DRIVER, target)

    assert not target.exists()
    assert target.with_name(f"{DRIVER}.part").read_bytes() == content[:50_000]


def test_other_bytes_than_the_published_ones_are_thrown_away(served, content, target):
    served.alter = bytes.swapcase

    with pytest.raises(WrongBytesError, match=sha256(content)[:16]) as error:
        fetch(served.url + DRIVER, target, [sha256(content)])

    assert error.value.exit is Exit.FINDINGS
    assert not list(target.parent.glob(f"{DRIVER}*"))


def test_a_half_of_another_file_is_found_out_by_the_digest(served, content, target):
    target.with_name(f"{DRIVER}.part").write_bytes(b"x" * 100)

    with pytest.raises(WrongBytesError):
        fetch(served.url + DRIVER, target, [sha256(content)])

    fetch(served.url + DRIVER, target, [sha256(content)])
    assert target.read_bytes() == content


def test_a_silent_server_is_given_up_and_what_came_stays(served, content, target, monkeypatch):
    monkeypatch.setattr(web, "STALLED_AFTER", 0.2)
    served.stall = 500_000

    with pytest.raises(IncompleteError, match="silent"):
        fetch(served.url + DRIVER, target)

    part = target.with_name(f"{DRIVER}.part").read_bytes()
    assert part == content[: len(part)]


@pytest.mark.parametrize(("status", "said"), [(503, "HTTP 503"), (403, "HTTP 403"), (404, "not there")])
def test_what_a_server_refuses_is_incomplete_and_says_why(served, content, target, status, said):
    served.status = status

    with pytest.raises(IncompleteError, match=said):
        fetch(served.url + DRIVER, target)


def test_no_network_is_told_in_one_line(target):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/x"

    with pytest.raises(IncompleteError, match="check the network, or carry the file over by hand") as error:
        fetch(url, target)

    assert "\n" not in str(error.value)
    assert error.value.exit is Exit.INCOMPLETE


def test_a_size_that_the_server_does_not_have_is_another_file(served, content, target):
    with pytest.raises(WrongBytesError, match="has 10240000 bytes, not 5"):
        fetch(served.url + DRIVER, target, size=5)

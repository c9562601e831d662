"""Requests and answers of the forms that served models know."""

import pytest

from npudoctor.accept.load.protocol import Kind, Piece, body_of, endpoint_of, piece_of
from npudoctor.errors import UsageError


@pytest.mark.parametrize(
    ("url", "whole", "kind"),
    [
        ("http://a:8000", "http://a:8000/v1/chat/completions", Kind.CHAT),
        ("http://a:8000/", "http://a:8000/v1/chat/completions", Kind.CHAT),
        ("https://a/api/v1", "https://a/api/v1/chat/completions", Kind.CHAT),
        ("http://a/v1/completions", "http://a/v1/completions", Kind.COMPLETIONS),
        ("http://a/generate", "http://a/generate", Kind.GENERATE),
        ("http://a/generate_stream", "http://a/generate_stream", Kind.INPUTS),
    ],
)
def test_an_address_says_what_is_asked(url, whole, kind):
    assert endpoint_of(url) == (whole, kind)


@pytest.mark.parametrize(
    "url",
    ["a:8000", "ftp://a/v1", "http://", "http://a/metrics", "http://[::1", "http://a:b/v1", "http://a b/"],
)
def test_an_address_of_no_model_is_refused(url):
    with pytest.raises(UsageError):
        endpoint_of(url)


def test_every_form_streams_and_limits_the_tokens():
    for kind in (Kind.CHAT, Kind.COMPLETIONS, Kind.GENERATE):
        body = body_of(kind, "m", "hello", 7)
        assert (body["stream"], body["max_tokens"]) == (True, 7)
    assert body_of(Kind.INPUTS, "", "hello", 7)["parameters"]["max_new_tokens"] == 7


@pytest.mark.parametrize(
    ("line", "piece"),
    [
        (b'data: {"choices": [{"delta": {"content": "a"}}]}\n', Piece(text=True)),
        (b'data: {"choices": [{"delta": {"reasoning_content": "a"}}]}\r\n', Piece(text=True)),
        (b'data: {"choices": [{"delta": {"role": "assistant", "content": ""}}]}\n', Piece()),
        (b'data: {"choices": [{"text": "a"}]}\n', Piece(text=True)),
        (b'data: {"choices": [], "usage": {"completion_tokens": 9}}\n', Piece(tokens=9)),
        (b'data:{"token": {"text": "a"}, "details": {"generated_tokens": 3}}', Piece(text=True, tokens=3)),
        (b'{"text": ["a b"]}\0', Piece(text=True)),
        (b'{"choices": [{"message": {"content": "a"}}], "usage": {"completion_tokens": 1}}', Piece(True, 1)),
        (b'data: {"error": {"message": "too long"}}', Piece(error="too long")),
        (b"data: [DONE]\n", Piece(last=True)),
        (b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n', Piece(last=True)),
        (b'data: {"choices": [{"delta": {"reasoning": "a"}, "finish_reason": null}]}\n', Piece(text=True)),
        (b": keep-alive\n", None),
        (b"\n", None),
    ],
)
def test_a_line_of_an_answer_is_read(line, piece):
    assert piece_of(line) == piece


def test_a_piece_that_is_cut_off_is_an_error():
    assert piece_of(b'data: {"choices": [').error


@pytest.mark.parametrize(
    "line",
    [
        b'{"choices": 5}',
        b'{"choices": [null]}',
        b'{"usage": [1]}',
        b'{"choices": [{"delta": "a"}]}',
        b'{"a":' + b"[" * 100_000,
    ],
)
def test_a_piece_of_another_form_is_an_error(line):
    assert piece_of(line).error


def test_what_a_server_says_is_one_line_without_control_characters():
    assert piece_of(b'{"error": {"message": "out of\\n memory\\u001b[2J"}}').error == "out of memory [2J"


@pytest.mark.parametrize("count", ['"many"', "-7", "0", "9" * 400])
def test_a_count_of_tokens_that_no_answer_has_is_none(count):
    assert piece_of(b'{"choices": [], "usage": {"completion_tokens": %s}}' % count.encode()) == Piece()


def test_a_password_in_an_address_is_refused_and_not_repeated():
    with pytest.raises(UsageError) as error:
        endpoint_of("http://user:hidden@a/v1")
    assert "hidden" not in str(error.value)

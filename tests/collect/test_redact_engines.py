"""RE2 and Python find the same secrets and names, and neither is slow on a text made to slow it down."""

from __future__ import annotations

import re
import time

import pytest

from npudoctor.collect.redact import engine, identity, numbers, redactor, scan, secrets
from npudoctor.collect.redact.redactor import Run
from npudoctor.collect.samples import read_sample, samples
from npudoctor.collect.snapshot import Snapshot, snapshot_of
from tests.collect import test_redact, test_redact_planted

re2 = pytest.importorskip("re2", reason="google-re2 is not installed")

TEXTS = next(mark.args[1] for mark in test_redact.test_a_secret_is_replaced.pytestmark)
PLAIN = next(mark.args[1] for mark in test_redact.test_what_is_no_secret_stays.pytestmark)
CORPUS = "\n".join([*TEXTS, *PLAIN, test_redact_planted.PLOG, test_redact_planted.DMESG]).encode()


def patterns() -> dict[str, bytes]:
    """Every pattern of the package, by where it stands."""
    found = {}
    for module in (secrets, scan, identity, numbers, redactor):
        for name, value in vars(module).items():
            if isinstance(value, engine.pattern):
                found[f"{module.__name__}.{name}"] = value.text
            elif isinstance(value, bytes) and name not in ("TOKEN", "WORDS", "SHORT", "_ALONE"):
                found[f"{module.__name__}.{name}"] = value
    places = {
        place.pattern: f"{place.path} {place.kind}" for place in (*identity.PLACES, *identity.EVERYWHERE)
    }
    return {**found, **{name: text for text, name in places.items()}}


@pytest.fixture
def python(monkeypatch):
    """Where google-re2 is not installed."""
    monkeypatch.setattr(engine, "engine", lambda: re)
    for cached in (engine.compiled,):
        cached.cache_clear()
    for module in (secrets, scan, numbers):
        for value in vars(module).values():
            if isinstance(value, engine.pattern):
                value.__dict__ = {"text": value.text}
    yield
    engine.compiled.cache_clear()
    for module in (secrets, scan, numbers):
        for value in vars(module).values():
            if isinstance(value, engine.pattern):
                value.__dict__ = {"text": value.text}


@pytest.mark.parametrize("name", patterns())
def test_a_pattern_finds_the_same_in_both_engines(name: str) -> None:
    text = patterns()[name]
    ours = [found.span() for found in re.compile(text).finditer(CORPUS)]
    assert [found.span() for found in engine.compiled(text).finditer(CORPUS)] == ours


@pytest.fixture(scope="module")
def redacted() -> dict[str, Snapshot]:
    """By RE2, with a key that the test knows."""
    return {name: _redact(name) for name in (*samples(), "planted")}


def _redact(name: str) -> Snapshot:
    from npudoctor.collect.redact import redact
    from npudoctor.collect.redact.tokens import Tokens

    return redact(_snapshot(name), Run(Tokens(bytes(32))))


def _snapshot(name: str) -> Snapshot:
    if name != "planted":
        return read_sample(name)
    files = {**test_redact_planted.FILES, "/x.log": CORPUS}
    environment = "".join(f"{key}={value}\n" for key, value in test_redact_planted.VARIABLES.items())
    return snapshot_of(files, test_redact_planted.COMMANDS, environment=environment)


@pytest.mark.parametrize("name", [*samples(), "planted"])
def test_without_re2_the_same_is_replaced(name: str, redacted, python) -> None:
    assert _redact(name) == redacted[name]


SLOW = {
    "words": b"token" * 60_000,
    "parts": b"a-b.c_" * 50_000 + b"token",
    "tools": b"curl mysql " * 30_000,
    "quotes": b'password="' + b'\\"' * 100_000,
    "numbers": b"1." * 150_000,
    "colons": b"ab:" * 100_000,
    "keys": b"-----BEGIN PRIVATE KEY-----" * 10_000,
    "lists": b'"--api-key",\n' * 20_000,
    "addresses": b"http://" * 40_000,
    "blanks": b"password" + b" " * 300_000 + b"=x",
    "homes": b"/home/" * 50_000,
    "mails": b"a.b@" * 50_000 + b"a@" + b"b.c." * 50_000,
    "pairs": b"- name: a_key\n  value:\n" * 20_000,
}


@pytest.mark.parametrize("name", SLOW)
def test_no_text_takes_long(name: str) -> None:
    text = SLOW[name]
    redact = Run().host(snapshot_of(name="node1"))
    begin = time.monotonic()
    redact.entry(snapshot_of({"/x": text}).entries["files/x"])
    assert time.monotonic() - begin < 8


def test_a_hint_that_begins_with_the_end_of_the_line_before_goes_on_to_the_next():
    hosts = b"127.0.0.1\tlocalhost\n::1\tlocalhost\nfe00::0\tlocal\n"

    assert list(scan.regions(hosts, rb"127\.0|[^0-9a-z:]::[0-9a-f]")) == [(0, 19), (20, 33)]

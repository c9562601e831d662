"""Dumps that are damaged in every way: no reader of them crashes, and none takes long."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import re
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator

import pytest

from npudoctor.collect.dump import Told, logs_of_stream
from npudoctor.errors import UsageError
from npudoctor.report.style import Style
from npudoctor.report.triage_json import to_json
from npudoctor.report.triage_text import to_text
from npudoctor.triage.by_exception import signature
from npudoctor.triage.decode import decode, forms
from npudoctor.triage.gather import _ERROR, _HEAD, Gathered
from npudoctor.triage.line import read_line
from npudoctor.triage.pattern import Text
from npudoctor.triage.scan import Scan, finder, literals
from npudoctor.triage.signatures import rows, signatures
from npudoctor.triage.verdict import judge_dump

SAMPLES = [text for row in rows() for text in row["matches"]]
DUMP = "\n".join(
    f"[ERROR] RUNTIME({number},python3):2026-01-02-03:04:05.{number % 1000:03}.001 [a.cc:5]7 {text}"
    for number, text in enumerate(SAMPLES)
).encode()
ROUNDS = 40
INTRUDERS = (b"\n", b"\0" * 9, b'"}\n{"log":"', b"\x1b[3", b"\xff\xfe", b"\\ud800")
RUNS = (
    " ",
    "0",
    "a",
    "\t",
    "[",
    "=",
    "0x",
    "error",
    "code ",
    "ret=",
    "ab ",
    "7f ",
    "-",
    ".",
    "E1",
    "(",
    "1,",
)


def in_tar(data: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for number in range(3):
            info = tarfile.TarInfo(f"folder/{'long' * 40 * number}/{number}.log")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def in_zip(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"folder/{number}.log", data)
    return file.getvalue()


WRAPPED = {
    "text": DUMP,
    "gzip": gzip.compress(DUMP),
    "bzip2": bz2.compress(DUMP),
    "xz": lzma.compress(DUMP),
    "tar": in_tar(DUMP[:5000]),
    "zip": in_zip(DUMP[:5000]),
    "tar in gzip in zip": in_zip(gzip.compress(in_tar(DUMP[:3000]))),
    "docker": b"".join(b'{"log":"%s' % line for line in DUMP[:20_000].split(b"\n")),
    "utf-16": DUMP[:20_000].decode("utf-8", "replace").encode("utf-16"),
}


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The bytes with some changed, taken out, put in, doubled, or with the end cut off."""
    out = bytearray(data)
    for _change in range(chance.randrange(1, 12)):
        at = chance.randrange(len(out) + 1)
        size = chance.choice((1, 4, 60, 3000))
        kind = chance.randrange(5)
        if kind == 0:
            out[at : at + size] = chance.randbytes(len(out[at : at + size]))
        elif kind == 1:
            del out[at : at + size]
        elif kind == 2:
            out[at:at] = chance.choice(INTRUDERS)
        elif kind == 3:
            out[at:at] = out[at : at + size]
        else:
            del out[max(1, at) :]
    return bytes(out)


def answer(data: bytes, find: Callable[[bytes], object]) -> str:
    """What triage says of a file of these bytes, in both forms."""
    told, gathered = Told(), Gathered()
    try:
        for log in logs_of_stream(io.BytesIO(data), "-", told):
            gathered.take(Scan(find).hits(log.chunks), log.name)
    except UsageError as error:
        return str(error)
    verdict = judge_dump(gathered.first_to_last(), {}, told.problems, told.passed, gathered.left_out)
    return to_json(verdict) + to_text(verdict, Style()) + to_text(verdict, Style(40, True, True))


@pytest.fixture(scope="module")
def find() -> Callable[[bytes], object]:
    return finder(literals())


@pytest.mark.parametrize("kind", WRAPPED)
def test_no_damage_crashes_or_hangs_a_reader(kind: str, find: Callable[[bytes], object]) -> None:
    chance = random.Random(kind)
    begun = time.process_time()
    for _round in range(ROUNDS):
        answer(damaged(WRAPPED[kind], chance), find).encode()
    assert time.process_time() - begun < ROUNDS


@pytest.mark.parametrize("seed", range(30))
def test_no_line_crashes_what_reads_lines(seed: int) -> None:
    chance = random.Random(seed)
    for text in chance.sample(SAMPLES, 20):
        line = read_line(damaged(text.encode(), chance), "a.log", 1)
        line.text.encode()
        decode(line.text)


def hard_lines(size: int) -> Iterator[str]:
    """Lines that make a pattern try everything: runs of what patterns repeat, and of what they look for."""
    for run in RUNS:
        yield (run * size)[:size]
    for text in random.Random(9).sample(SAMPLES, 6):
        yield (" ".join(text.split())[:50] * size)[:size]


PATTERNS: dict[str, Callable[[str], object]] = {
    **{f"form {n} {form.family}": form.pattern.findall for n, form in enumerate(forms())},
    **{f"near {n} {form.family}": form.near.findall for n, form in enumerate(forms()) if form.near},
    "error": _ERROR.findall,
    "head": lambda text: _HEAD.match(text.encode()),
    "line": lambda text: read_line(text.encode(), "a.log", 1),
    "exception": signature,
}


def seconds(look: Callable[[str], object], lines: list[str]) -> float:
    begun = time.process_time()
    for line in lines:
        look(line)
    return time.process_time() - begun


@pytest.mark.parametrize("name", PATTERNS)
def test_no_pattern_takes_more_than_its_share_of_a_long_line(name: str) -> None:
    short, long = list(hard_lines(400)), list(hard_lines(4000))
    look = PATTERNS[name]
    seconds(look, short)
    assert seconds(look, long) < 25 * min(seconds(look, short) for _ in range(3)) + 0.02


def test_no_condition_of_a_signature_takes_long_on_any_line() -> None:
    every = (each for one in signatures() for each in (*one.all, *one.any, *one.none))
    conditions = {each for each in every if isinstance(each, Text)}
    slow = []
    for condition in conditions:
        lines = [(condition.literal * 4000)[:4000], f"{condition.literal} {'0' * 3900}"]
        if seconds(condition.on, lines) > 0.1 and seconds(condition.on, lines) > 0.1:
            slow.append(condition.literal)
    assert slow == []


def test_a_tree_of_hostile_numbers_is_no_code_of_its_own() -> None:
    assert not [code for code in decode("code " * 500 + "1" * 3000) if re.fullmatch("1+", code.code)]

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from npudoctor.checks.registry import all_checks
from npudoctor.triage.diagnose import diagnose
from npudoctor.triage.scan import Scan, finder, literals
from npudoctor.triage.signatures import rows, signatures

ROWS = {row["id"]: row for row in rows()}
BY_ID = {signature.id: signature for signature in signatures()}
MATCHES = [(name, text) for name, row in ROWS.items() for text in row["matches"]]
MISSES = [(name, text) for name, row in ROWS.items() for text in row["misses"]]


def test_an_id_is_given_once() -> None:
    assert [name for name, number in Counter(row["id"] for row in rows()).items() if number > 1] == []


@pytest.mark.parametrize(("name", "text"), MATCHES, ids=lambda text: text[:40])
def test_its_sample_matches(name: str, text: str, sights: Any) -> None:
    assert diagnose(sights(text), [BY_ID[name]], {})[0].signature.id == name


@pytest.mark.parametrize(("name", "text"), MISSES, ids=lambda text: text[:40])
def test_what_looks_like_it_does_not_match(name: str, text: str, sights: Any) -> None:
    assert name not in {cause.signature.id for cause in diagnose(sights(text), [BY_ID[name]], {})}


@pytest.mark.parametrize(("name", "text"), MATCHES, ids=lambda text: text[:40])
def test_the_scan_picks_its_lines_out_of_a_log(name: str, text: str, sights: Any, find: Any) -> None:
    picked = b"\n".join(raw for _number, raw in Scan(find).hits([text.encode()]))
    assert diagnose(sights(picked.decode()), [BY_ID[name]], {})


def test_checks_and_signatures_that_a_signature_names_are_there() -> None:
    checks = {check.id for check in all_checks()}
    named = {id for row in ROWS.values() for id in (*row.get("for", ()), *row.get("against", ()))}
    assert named - checks == set()
    assert {id for row in ROWS.values() for id in row.get("sets_off", ())} - set(ROWS) == set()


def test_a_condition_has_words_enough_to_be_looked_for() -> None:
    texts = {text for row in ROWS.values() for key in ("all", "any", "none") for text in row.get(key, ())}
    plain = [text for text in texts if not text.startswith("code: ")]
    assert [text for text in plain if max(map(len, re.split(r"[*#]", text))) < 5] == []


@pytest.fixture(scope="session")
def find() -> Any:
    return finder(literals())


def test_what_a_command_of_npudoctor_asks_for_is_there() -> None:
    ids = {check.id for check in all_checks()}
    known = ids | {id.split(".")[0] for id in ids}
    commands = [
        text for row in ROWS.values() for text in (*row["fix"].get("commands", ()), *row.get("look", ()))
    ]
    asked = {
        name for text in commands for found in re.findall(r"--only (\S+)", text) for name in found.split(",")
    }
    assert asked - known == set()

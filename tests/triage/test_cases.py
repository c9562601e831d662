"""Dumps as people post them, made up, each with what a person who knows the field would say of it.

`cases/NAME/input.log` is the dump; `want.yaml` beside it says the `category` of the first cause (`none`
where there is no fault), the `codes` that must be found (`family:token`), and `concluded: false` where nobody
could know: no cause may then be called more than a candidate.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from npudoctor.triage.gather import Gathered
from npudoctor.triage.scan import Scan, finder, literals
from npudoctor.triage.verdict import Verdict, judge_dump

CASES = sorted(path.parent for path in Path(__file__).with_name("cases").glob("*/want.yaml"))
A_HALF = 0.5


@pytest.fixture(scope="module")
def find() -> Any:
    return finder(literals())


def told(case: Path, find: Any) -> tuple[Verdict, dict[str, Any]]:
    gathered = Gathered()
    gathered.take(Scan(find).hits([(case / "input.log").read_bytes()]), "input.log")
    return judge_dump(gathered.first_to_last(), {}), yaml.safe_load((case / "want.yaml").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_first_cause_is_of_the_right_kind(case: Path, find: Any) -> None:
    verdict, want = told(case, find)
    first = verdict.causes[0].signature.category if verdict.causes else "none"
    assert first == want["category"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_code_of_it_is_found(case: Path, find: Any) -> None:
    verdict, want = told(case, find)
    found = {f"{one.code.family}:{one.code.code}" for one in verdict.codes}
    assert set(want.get("codes", ())) - found == set()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_where_nobody_could_know_there_are_candidates_only(case: Path, find: Any) -> None:
    verdict, want = told(case, find)
    if not want.get("concluded", True):
        assert max(cause.confidence for cause in verdict.causes) < A_HALF

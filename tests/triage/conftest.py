from __future__ import annotations

from collections.abc import Callable

import pytest

from npudoctor.triage.gather import Gathered, Sight


@pytest.fixture
def sights() -> Callable[..., list[Sight]]:
    """The sights of a log that is given as text, as if every line of it mattered."""

    def of(text: str) -> list[Sight]:
        gathered = Gathered()
        gathered.take(((number, line.encode()) for number, line in enumerate(text.splitlines(), 1)), "a.log")
        return gathered.first_to_last()

    return of

"""No text makes a parser fail in any way but `ParseError`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npudoctor.fact import ParseError
from npudoctor.parse import Parser, all_parsers
from npudoctor.parse.as_json import as_json
from npudoctor.text import clean, decode

CASES = Path(__file__).parent / "cases"
PARSERS = tuple(all_parsers().values())


def texts_of(kind: str) -> list[str]:
    return [decode(file.read_bytes()) for file in sorted((CASES / kind).glob("*.txt"))] or [""]


@st.composite
def damaged(draw: st.DrawFn, texts: list[str]) -> str:
    """A good text that was cut, lost lines, got strange characters or other text around it."""
    text = draw(st.sampled_from(texts))
    start, end = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
    noise = draw(st.text(max_size=30))
    return clean(draw(st.sampled_from((text[start:end], text[:start] + noise + text[end:], noise + text))))


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.kind)
def test_a_damaged_text_is_parsed_or_refused(parser: Parser):
    @settings(max_examples=25, deadline=None)
    @given(st.one_of(damaged(texts_of(parser.kind)), st.text(max_size=200).map(clean)))
    def parsed_or_refused(text: str) -> None:
        with suppress(ParseError):
            as_json(parser.function(text))

    parsed_or_refused()

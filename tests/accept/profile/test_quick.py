"""Polars and the careful reader agree; what polars finds odd is left to the careful one."""

import pytest

from npudoctor.accept.profile import quick
from npudoctor.accept.profile.figures import figures_of
from npudoctor.accept.profile.read import read

pytest.importorskip("polars")


@pytest.fixture
def many(tmp_path, profiles):
    operators = [
        (name, type, core, start + 530 * lap, time)
        for lap in range(40)
        for name, type, core, start, time in profiles.OPERATORS
    ]
    return profiles.write(tmp_path, {"op_summary_20250101000000.csv": profiles.table("8", operators)})


def test_both_readers_give_the_same_figures(many, monkeypatch):
    (slow,) = read(many).measured
    monkeypatch.setattr(quick, "WORTH", 0)
    added = []
    monkeypatch.setattr("npudoctor.accept.profile.read.read_operators", lambda *_: added.append(1) or 0)
    (fast,) = read(many).measured
    assert not added, "the careful reader was not needed"
    assert figures_of(fast.tally) == figures_of(slow.tally)


@pytest.mark.parametrize(
    ("old", "new"),
    [("300.0,7", "N/A,7"), ("MatMulV2,7", "N/A,7"), ("\n", "\r\n")],
    ids=["time", "type", "crlf"],
)
def test_odd_values_are_read_as_the_careful_reader_does(old, new, many, monkeypatch):
    file = many / "op_summary_20250101000000.csv"
    file.write_text(file.read_text().replace(old, new))
    (slow,) = read(many).measured
    monkeypatch.setattr(quick, "WORTH", 0)
    (fast,) = read(many).measured
    assert figures_of(fast.tally) == figures_of(slow.tally)

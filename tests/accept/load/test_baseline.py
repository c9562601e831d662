"""An earlier load test to compare with."""

import pytest

from npudoctor.accept.load.baseline import read_baseline
from npudoctor.errors import UsageError


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[" * 100_000,
        '{"schema": "npudoctor.report/1"}',
        '{"schema": "npudoctor.load/1"}',
        '{"schema": "npudoctor.load/1", "steps": [{"rate": []}], "total": {}}',
        '{"schema": "npudoctor.load/1", "steps": [], "total": {"latency_ms": {"p99": NaN}}}',
    ],
)
def test_what_is_no_earlier_test_is_refused_before_a_new_one_runs(tmp_path, text):
    (tmp_path / "before.json").write_text(text)

    with pytest.raises(UsageError, match=r"--baseline .*before\.json"):
        read_baseline(tmp_path / "before.json")

"""The whole engine over whole environments."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npudoctor.envvars import Versions, describe, judge
from npudoctor.envvars.table import table
from npudoctor.fact import Evidence
from tests.envvars import judged

ENVIRONMENTS = sorted((Path(__file__).parent / "environments").glob("*.env"))


def _versions(text: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in text.splitlines()[0].partition("versions: ")[2].split())


@pytest.mark.parametrize("file", ENVIRONMENTS, ids=lambda file: file.stem)
def test_an_official_environment_gives_no_finding(file: Path):
    text = file.read_text(encoding="utf-8")

    found = [one for one in judged(text, **_versions(text)) if one.severity != "info"]

    assert [(one.name, one.message) for one in found] == []


@pytest.mark.parametrize("file", ENVIRONMENTS, ids=lambda file: file.stem)
def test_it_gives_none_either_where_no_version_is_known(file: Path):
    found = [one for one in judged(file.read_text(encoding="utf-8")) if one.severity != "info"]

    assert [(one.name, one.message) for one in found] == []


def test_the_worst_comes_first_and_every_judgement_names_its_line_and_its_source():
    found = judged("ASCEND_LAUNCH_BLOCKING=1\nHCCL_CONNECT_TIMEOUT=5\nHCCL_XYZ=1")

    assert [one.severity for one in found] == ["fail", "warn", "info"]
    assert found[0].evidence == (Evidence("environment", "HCCL_CONNECT_TIMEOUT=5"),)
    assert all(one.source for one in found if one.severity != "info")


def test_a_redacted_value_is_never_judged():
    lines = "HCCL_IF_IP=<redacted:token>\nASCEND_RT_VISIBLE_DEVICES=<redacted>\nHCCL_CONNECT_TIMEOUT=***"

    assert judged(lines) == []


NAMES = st.sampled_from(sorted(table().rows)) | st.text("ABCDEFHCLNPS_01", min_size=1, max_size=40)
VALUES = st.text(max_size=60) | st.sampled_from(
    [
        "1",
        "0",
        "true",
        "9" * 30,
        "-1",
        "1e9",
        "nan",
        "0,1,,2",
        "a:b,c:[d,e]",
        "60000-1",
        "::",
        "[[[",
        "1.5",
        "\n",
    ]
)
CHIPS = st.sampled_from([None, "910", "910B", "A3", "310P", "310B", "950", "x"])
TEXTS = st.none() | st.sampled_from(
    ["8.1.RC1", "6.0", "", "x", "25.5.0", "2.5.1", "0.11.0rc1", "9.2.0-beta.1"]
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(NAMES, VALUES, max_size=12), CHIPS, TEXTS, TEXTS, TEXTS, st.text(max_size=40))
def test_no_environment_crashes_the_engine(values, chip, cann, torch_npu, vllm_ascend, arguments):
    versions = Versions(cann=cann, torch_npu=torch_npu, vllm_ascend=vllm_ascend, chip=chip, driver=cann)
    given_ = {name: (value, Evidence("environment", f"{name}={value}")) for name, value in values.items()}

    found = judge(given_, versions, arguments)

    assert all(one.severity in ("fail", "warn", "info") and one.message for one in found)
    assert all(line in given_.values() or line for one in found for line in one.evidence)


def test_every_variable_can_be_described():
    for name in table().rows:
        text = describe(name)
        assert text is not None
        assert text.startswith(f"{name}\n")
        assert "source: " in text

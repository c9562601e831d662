"""How versions order, within one series and never across."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npudoctor import versions
from npudoctor.versions import (
    Cann,
    DriverLabel,
    DriverSet,
    Firmware,
    Hdk,
    InnerVersion,
    MindCluster,
    Mindie,
    MindSpore,
    Solution,
    Torch,
    TorchNpu,
    TorchNpuLine,
    TritonAscend,
    VersionError,
    VllmAscend,
    driver_version,
)

ORDERS = [
    (Hdk, "23.0.rc2.b100 23.0.RC2 23.0.rc3 23.0.0 23.0.7 24.1.rc1 24.1.RC2 24.1.rc2.2 24.1.Rc3 24.1.rc3.10"),
    (Hdk, "24.1.rc3.9 24.1.rc3.10 24.1.0 24.1.0.3 25.0.rc1.b080 25.0.rc1 25.0.rc1.1 25.2.0 25.2.1 25.3.RC1"),
    (Hdk, "25.3.0 25.5.0 25.5.2 26.0.RC1 26.1.0"),
    (Cann, "6.3.RC2 6.3.RC3 6.3.RC3.1 6.3.203 7.0.T10 7.0.RC1.alpha002 7.0.RC1 7.0.0.beta1 7.0.0 7.0.1"),
    (Cann, "8.0.T6 8.0.RC3.alpha001 8.0.RC3.alpha002 8.0.RC3.beta1 8.0.rc3 8.0.0 8.0.1 8.1.RC1 8.2.RC2"),
    (Cann, "8.5.0.alpha001 8.5.0 8.5.2 9.0.0-beta.1 9.0.0-beta.2 9.0.0 9.0.1 9.1.0-beta.3 9.1.0 9.2.0"),
    (Firmware, "6.0.rc1.2 6.0.0 6.3.0.1.241 7.1.0.3.220 7.1.0.11.220 7.7.t20.0.b200 7.7.0.1.231 9.0.0.0.205"),
    (TorchNpuLine, "2.0.4 2.0.4.tr5 5.0.rc2 5.0.rc2.1 5.0.rc3 6.0.rc1 6.0.0 7.3.0 26.0.0 26.1.0"),
    (TorchNpu, "2.5.1.dev20250218 2.5.1 2.5.1.post1.dev20250619 2.5.1.post1 2.7.1 2.7.1.post2 2.7.1.post10"),
    (Mindie, "1.0.RC3 1.0.0 2.0.T3.B010 2.0.RC1 2.1.RC1.B152 2.1.RC1 2.1.RC2 2.3.0 3.0.0"),
    (VllmAscend, "0.7.3 0.7.3.post1 0.9.1rc3 0.9.1 0.10.0rc1 0.11.0rc0 0.11.0"),
    (MindSpore, "1.10 2.3.0rc 2.3.0 2.6.0-rc1 2.6.0 2.10.0"),
    (TritonAscend, "3.2.0.dev20260322 3.2.0rc4 3.2.0 3.2.1"),
    (MindCluster, "6.0.RC2 7.2.RC1 7.2.RC1.SPC1 7.3.0 26.1.0"),
]


@pytest.mark.parametrize(("series", "texts"), ORDERS)
def test_versions_order_as_they_were_released(series, texts):
    ordered = [series(text) for text in texts.split()]

    assert sorted(ordered) == ordered
    assert all(left < right for left, right in itertools.pairwise(ordered))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Hdk("24.1.RC2"), Solution("24.1.RC2")),
        (Hdk("23.0.0"), DriverLabel("6.3.1")),
        (MindCluster("6.0.RC2"), TorchNpuLine("6.0.rc2")),
        (Cann("7.3.0"), Firmware("7.3.0")),
        (TorchNpu("2.7.1"), Torch("2.7.1")),
    ],
)
def test_series_that_look_alike_cannot_be_compared(left, right):
    with pytest.raises(TypeError):
        assert left < right
    with pytest.raises(TypeError):
        assert left == right


def test_an_inner_version_is_a_member_of_lists_and_has_no_order():
    inner = InnerVersion("V100R001C21SPC002B220")

    assert inner.baseline == "C21"
    assert InnerVersion("V100R003C10").baseline == "R003C10"
    with pytest.raises(TypeError):
        assert inner < InnerVersion("V100R001C11SPC001B243")


def test_a_community_beta_before_9_0_pairs_like_the_release_and_a_newer_one_does_not():
    assert Cann("8.0.RC3.beta1").edition == Cann("8.0.RC3")
    assert Cann("8.0.0.beta1").edition == Cann("8.0.0")
    assert Cann("9.0.0-beta.2").edition == Cann("9.0.0-beta.2")
    assert Cann("9.0.0-beta.2").edition != Cann("9.0.0")


@pytest.mark.parametrize(
    ("preview", "release"),
    [
        (Cann("8.0.RC3.alpha001"), "8.0.RC3"),
        (Cann("9.0.0-beta.2"), "9.0.0"),
        (Cann("7.0.T10"), "7.0.0"),
        (Hdk("25.0.rc1.b080"), "25.0.rc1"),
        (Mindie("2.1.RC2.B080"), "2.1.RC2"),
    ],
)
def test_a_preview_leads_to_its_release(preview, release):
    assert preview.is_preview
    assert preview.released() == type(preview)(release)
    assert not preview.released().is_preview


def test_a_patch_extends_and_a_preview_or_a_later_release_does_not():
    assert Hdk("24.1.0.3").extends(Hdk("24.1.0"))
    assert Hdk("24.1.rc2.2").extends(Hdk("24.1.RC2"))
    assert not Hdk("25.5.1").extends(Hdk("25.5.0"))
    assert not Hdk("24.1.rc20").extends(Hdk("24.1.rc2"))
    assert not Cann("8.0.RC3.alpha001").extends(Cann("8.0.RC3"))


def test_a_driver_number_belongs_to_the_series_of_its_time():
    assert isinstance(driver_version("24.1.rc2"), Hdk)
    assert isinstance(driver_version("c81-22.0.0.3"), Hdk)
    assert isinstance(driver_version("6.3.1"), DriverLabel)
    assert isinstance(driver_version("1.0.17"), DriverSet)


def test_a_wheel_says_its_torch_and_whether_it_is_a_build_of_its_own():
    assert TorchNpu("2.7.1.post2").torch == "2.7.1"
    assert not TorchNpu("2.7.1.post2").is_exact_build
    assert TorchNpu("2.9.0.post1+git4c901a4").is_exact_build
    assert TorchNpu("2.9.0.post1+git4c901a4") != TorchNpu("2.9.0.post1")


def test_a_local_label_of_torch_or_vllm_names_the_build_and_not_the_version():
    assert Torch("2.5.1+cpu") == Torch("2.5.1")
    assert versions.Vllm("0.11.0+empty") == versions.Vllm("0.11.0")


@pytest.mark.parametrize(
    "text", ["", "abc", "X", "25.5.X", "9..", "8.0 RC1", "1.2.3?", "RC1", "1" * 200, "٣.١"]
)
def test_other_text_is_no_version(text):
    with pytest.raises(VersionError):
        Cann(text)


NUMBERS = st.lists(st.integers(0, 40), min_size=2, max_size=4).map(lambda parts: ".".join(map(str, parts)))
STAGES = st.sampled_from(["", ".RC1", ".rc2", ".Rc10", ".T6", ".alpha001", ".alpha012", ".beta1", "-beta.2"])
TAILS = st.sampled_from(["", ".1", ".12", ".b080", ".alpha003", ".SPC102"])
TEXTS = st.builds(lambda numbers, stage, tail: numbers + stage + tail, NUMBERS, STAGES, TAILS)


@given(TEXTS)
def test_a_version_prints_as_it_was_written_and_reads_back_as_itself(text):
    assert str(Cann(text)) == text
    assert Cann(str(Cann(text))) == Cann(text)
    assert hash(Cann(text.lower())) == hash(Cann(text.upper()))


@given(TEXTS, TEXTS)
def test_of_two_versions_exactly_one_is_less_or_they_are_equal(left, right):
    a, b = Cann(left), Cann(right)

    assert [a < b, a == b, a > b].count(True) == 1
    assert (a == b) == (b == a)
    assert (a <= b) == (not b < a)


@given(TEXTS, TEXTS, TEXTS)
def test_order_is_transitive(one, two, three):
    a, b, c = sorted([Cann(one), Cann(two), Cann(three)])

    assert a <= b <= c
    assert a <= c


@given(TEXTS)
def test_a_preview_is_below_what_it_leads_to_and_a_patch_above_what_it_extends(text):
    version = Cann(text)

    assert Cann(text + ".b001") < version
    assert Cann(text + ".1") > version
    if version.is_preview:
        assert version.released() >= version or version.released().extends(version.released())

"""Offline models: hostile bytes that must be read or refused, and nothing else."""

from __future__ import annotations

import random

import pytest

from npudoctor.fact import ParseError
from npudoctor.parse.om import OfflineModel, parse_om
from tests.offline_models import offline_model, probed


@pytest.mark.parametrize("wide", [False, True])
def test_chip_compiler_and_length_are_read(wide):
    model = offline_model("Ascend310P3", "7.7.0.1.238", wide=wide)

    assert parse_om(probed(model)) == OfflineModel(
        "resnet50", len(model), len(model), False, "Ascend310P3", "7.7.0.1.238", "8.5.0.1", "Onnx"
    )


def test_text_of_ten_letters_is_read_though_its_length_is_a_line_end():
    assert parse_om(probed(offline_model("Ascend910A"))).soc_version == "Ascend910A"


def test_an_attribute_that_is_shorter_than_it_says_is_not_believed():
    model = offline_model().replace(b"\x12\x0dsoc", b"")
    lying = model.replace(b"soc_version\x12\x0d\x12\x0b", b"soc_version\x12\x7d\x12\x7b")

    assert parse_om(probed(lying)).soc_version is None


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (b"", "does not begin with IMOD"),
        (b"version https://git-lfs.github.com/spec/v1\n", "does not begin with IMOD"),
        (b"PK\x03\x04" + bytes(400), "OM2"),
        (b"IMOD" + bytes(100), "cut off"),
    ],
)
def test_what_is_no_offline_model_is_refused(model, said):
    with pytest.raises(ParseError, match=said):
        parse_om(probed(model))


def test_a_space_that_od_never_writes_is_no_dump():
    with pytest.raises(ParseError, match="no dump of od"):
        parse_om(probed(offline_model()).replace("\n ", "\n\x85 ", 1))


def test_any_damage_is_read_or_refused():
    random.seed(20261130)
    whole = probed(offline_model(graph=b""))
    for _round in range(2000):
        text = list(whole)
        for _hit in range(random.randint(1, 12)):
            at = random.randrange(len(text))
            text[at : at + random.randint(0, 3)] = random.choice(
                ["", "f", "ff ", "\n", "--", "\x00", "Ж", "9" * 40]
            )
        damaged = "".join(text)[: random.randint(0, len(text) + 40)]
        try:
            assert isinstance(parse_om(damaged), OfflineModel)
        except ParseError:
            continue


def test_any_bytes_behind_the_mark_are_read_or_refused():
    random.seed(20261130)
    for _round in range(500):
        model = b"IMOD" + random.randbytes(random.randint(0, 600)) + b"soc_version\x12" + random.randbytes(40)
        try:
            assert parse_om(probed(model)).stated_bytes >= 256
        except ParseError:
            continue

"""What the names of images say."""

from __future__ import annotations

import pytest

from npudoctor.images import read_image
from npudoctor.images.reading import FILE, grammars, said
from npudoctor.matrix.chips import family_of_name
from npudoctor.versions import Cann, Mindie, TorchNpu, VllmAscend

ROWS = {row["id"]: row for row in grammars()}
EXAMPLES = [(row["id"], example) for row in ROWS.values() for example in row["examples"]]
OTHERS = [(row["id"], tag) for row in ROWS.values() for tag in row["others"]]
SERIES = {"cann": Cann, "mindie": Mindie, "torch_npu": TorchNpu, "vllm_ascend": VllmAscend}


@pytest.mark.parametrize(("id", "example"), EXAMPLES, ids=lambda it: str(it)[:40])
def test_every_grammar_reads_its_examples(id, example):
    assert said(ROWS[id], example["tag"]) == example["says"]


@pytest.mark.parametrize(("id", "tag"), OTHERS)
def test_and_leaves_the_tags_of_others_alone(id, tag):
    assert said(ROWS[id], tag) is None


@pytest.mark.parametrize(("id", "example"), EXAMPLES, ids=lambda it: str(it)[:40])
def test_what_they_say_are_versions_that_can_be_ordered(id, example):
    for name, text in example["says"].items():
        if name in SERIES:
            assert str(SERIES[name](text)) == text


def test_the_ids_are_told_apart():
    assert len(ROWS) == len(list(grammars()))
    assert FILE.name == "grammars.yaml"


def test_a_cann_image_names_cann_chip_system_and_python():
    image = read_image("quay.io/ascend/cann:9.1.0-a3-openeuler24.03-py3.12-devel")

    assert image.versions == {"cann": "9.1.0", "python": "3.12"}
    assert (image.chip, image.family, image.os, image.glibc) == ("a3", "A3", "openEuler 24.03", "2.38")


def test_mirrors_ports_and_digests_do_not_matter():
    image = read_image("m.example.org:5000/quay.io/ascend/vllm-ascend:v0.13.0-310p@sha256:00")

    assert (image.grammar, image.versions, image.family) == ("vllm-ascend", {"vllm_ascend": "0.13.0"}, "310P")


def test_the_words_of_a_tag_mean_the_families_of_the_matrix():
    for word in ("a3", "310p", "310b", "a2"):
        assert read_image(f"gpustack/runner:cann8.5-{word}-vllm0.13.0").family == family_of_name(word)


@pytest.mark.parametrize(
    "reference",
    ["quay.io/ascend/cann:latest", "quay.io/ascend/cann", "app:1", "quay.io/ascend/cann@sha256:00", ""],
)
def test_a_tag_that_no_grammar_knows_says_nothing(reference):
    image = read_image(reference)

    assert (image.grammar, dict(image.versions), image.family) == (None, {}, None)


def test_another_repository_does_not_borrow_the_grammar():
    assert read_image("registry.local/scan:9.1.0").versions == {}

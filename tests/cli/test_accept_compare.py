"""`npudoctor accept compare`: the contract of its output and its exit codes."""

import json

import pytest


@pytest.fixture
def dumps(tmp_path):
    numpy = pytest.importorskip("numpy")
    old = numpy.arange(1, 25, dtype=numpy.float32).reshape(2, 12)
    numpy.save(tmp_path / "a.npy", old)
    numpy.save(tmp_path / "b.npy", old * [[1], [-1]])
    return "a.npy", "b.npy"


def test_the_json_says_what_failed_and_where(npudoctor, dumps):
    ended = npudoctor("accept", "compare", *dumps, "--kind", "logits", "--format", "json")
    document = json.loads(ended.stdout)
    assert ended.returncode == 1
    assert document["schema"] == "npudoctor.compare/1"
    assert (document["kind"], document["pass"], document["failed"]) == ("logits", False, ["cosine_min"])
    assert document["cosine_min"] == -1
    assert document["limits"] == {"cosine_min": 0.999}
    assert document["worst"][0]["position"] == 1


def test_what_is_alike_passes(npudoctor, dumps):
    ended = npudoctor("accept", "compare", dumps[0], dumps[0], "--kind", "logits")
    assert ended.returncode == 0
    assert ended.stdout.startswith("Both say the same, within the limits.\n\n")
    assert ended.stdout.splitlines()[3].split() == ["PASS", "cosine_min", "1", "(≥", "0.999)"]


def test_limits_can_be_set(npudoctor, dumps):
    arguments = ("accept", "compare", *dumps, "--kind", "logits")
    assert npudoctor(*arguments, "--min-cosine", "-1").returncode == 0
    assert npudoctor(*arguments, "--min-cosine", "-1", "--min-top5", "0.9").returncode == 1
    assert npudoctor(*arguments, "--exit-zero").returncode == 0


def test_texts_show_the_worst_with_what_is_lost(npudoctor, tmp_path):
    pytest.importorskip("sacrebleu")
    (tmp_path / "a").write_text("it is in Paris now\nthis one is wholly the same\n")
    (tmp_path / "b").write_text("it is in London now\nthis one is wholly the same\n")
    ended = npudoctor("accept", "compare", "a", "b", "--kind", "text", "--min-recall", "0.9")
    assert ended.returncode == 1
    assert "lost: Paris" in ended.stdout
    assert "    + it is in London now" in ended.stdout


def test_perplexity_needs_no_library(npudoctor, tmp_path):
    (tmp_path / "a").write_text("5")
    (tmp_path / "b").write_text("5.1")
    ended = npudoctor("accept", "compare", "a", "b", "--kind", "perplexity")
    assert ended.returncode == 0
    assert npudoctor("accept", "compare", "b", "a", "--kind", "perplexity").returncode == 0
    (tmp_path / "b").write_text("6")
    assert npudoctor("accept", "compare", "a", "b", "--kind", "perplexity").returncode == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a", "--kind", "text"), "give two outputs"),
        (("a", "b"), "no such kind"),
        (("a", "b", "--kind", "taste"), "no such kind"),
        (("a.npy", "b.npy", "--kind", "logits"), "no such file"),
        (("a", "b", "--kind", "text"), "No such file"),
        (("a", "b", "--kind", "perplexity"), "No such file"),
    ],
)
def test_wrong_usage_is_one_line(npudoctor, arguments, said):
    ended = npudoctor("accept", "compare", *arguments)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert len(ended.stderr.splitlines()) == 1

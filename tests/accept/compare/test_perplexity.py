import json
import math

import pytest

from npudoctor.accept.compare.perplexity import compare_perplexity
from npudoctor.errors import UsageError


def compared(folder, one, two, suffix=".json", **options):
    for name, content in (("a", one), ("b", two)):
        (folder / f"{name}{suffix}").write_text(content)
    return compare_perplexity(folder / f"a{suffix}", folder / f"b{suffix}", **options)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("5.0", "5.06"),
        ('{"perplexity": 5.0}', '{"perplexity": 5.06}'),
        (
            '{"results": {"wikitext": {"word_perplexity,none": 5.0, "word_perplexity_stderr,none": "N/A"}}}',
            '{"results": {"wikitext": {"word_perplexity,none": 5.06}}}',
        ),
        (json.dumps([-math.log(5.0)] * 7), json.dumps([-math.log(5.06)] * 7)),
        ('{"logprobs": [null, %f]}' % -math.log(5.0), '{"logprobs": [null, %f]}' % -math.log(5.06)),
    ],
)
def test_a_rise_of_1_2_percent_is_within_3(one, two, tmp_path):
    """The figure of founding report B."""
    got = compared(tmp_path, one, two)
    assert got.figures["perplexity_before"] == pytest.approx(5, rel=1e-5)
    assert got.figures["perplexity_change"] == pytest.approx(0.012, rel=1e-3)
    assert got.failed == ()


def test_a_higher_rise_fails_and_a_fall_does_not(tmp_path):
    assert [limit.figure for limit in compared(tmp_path, "5", "5.2").failed] == ["perplexity_change"]
    assert compared(tmp_path, "5", "5.2", change=0.05).failed == ()
    assert compared(tmp_path, "5", "4").failed == ()


def test_texts_count_by_their_tokens_and_the_worst_is_told(tmp_path):
    old = [[-1.0] * 9, [-2.0]]
    new = [[-1.0] * 9, [-3.0]]
    one, two = ("\n".join(json.dumps({"logprobs": row}) for row in rows) for rows in (old, new))
    got = compared(tmp_path, one, two, ".jsonl")
    assert got.figures["perplexity_before"] == pytest.approx(math.exp(1.1))
    assert got.figures["perplexity_after"] == pytest.approx(math.exp(1.2))
    assert got.worst[0]["text"] == 1


def test_arrays_of_log_probabilities_are_read(tmp_path):
    numpy = pytest.importorskip("numpy")
    numpy.save(tmp_path / "a.npy", numpy.full(50, -1.5, dtype=numpy.float32))
    got = compare_perplexity(tmp_path / "a.npy", tmp_path / "a.npy")
    assert got.figures["perplexity_after"] == pytest.approx(math.exp(1.5))


@pytest.mark.parametrize("content", ["", "good", '{"loss": 2}', '{"perplexity": -1}', "[]", '["a"]', "nan"])
def test_what_holds_no_perplexity_is_refused(content, tmp_path):
    with pytest.raises(UsageError, match="holds no perplexity"):
        compared(tmp_path, content, "5")


@pytest.mark.parametrize(
    "content", ["[2.1, 1.3, 0.5]", "0.27", "[-2000, -3000]", '{"perplexity": 1%s}' % ("0" * 400)]
)
def test_losses_and_what_no_model_has_are_no_perplexity(content, tmp_path):
    """Of losses in the place of log probabilities the worse model would be the better one."""
    with pytest.raises(UsageError, match="holds no perplexity"):
        compared(tmp_path, "5", content)


def test_a_text_without_a_perplexity_is_not_passed_over(tmp_path):
    with pytest.raises(UsageError, match="holds no perplexity"):
        compared(tmp_path, '{"logprobs": [-1]}\n{"error": "timeout"}', '{"logprobs": [-1]}')


def test_the_first_token_may_have_none(tmp_path):
    assert compared(tmp_path, "[null, -1, -2]", "[-1, -2]\n\n").figures["perplexity_change"] == 0

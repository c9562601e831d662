"""Against sacrebleu, called for itself."""

import json

import pytest

from npudoctor.accept.compare.text import compare_texts, entities
from npudoctor.errors import UsageError

sacrebleu = pytest.importorskip("sacrebleu")

OLD = [
    "The capital of France is Paris, and it lies on the river Seine.",
    "We met Marie Curie in Warsaw on 4 May 1903.",
    "Water boils at 100 degrees at the level of the sea.",
]
NEW = [
    "The capital of France is Paris, and it lies at the river Seine.",
    "We met her in Warsaw on 4 May 1903.",
    "Water boils at 100 degrees at the level of the sea.",
]
REFERENCES = [
    "France has Paris for a capital, and it lies on the river Seine.",
    "On 4 May 1903 we met Marie Curie in Warsaw.",
    "Water boils at 100 degrees at sea level.",
]


def lines(folder, name, texts):
    file = folder / name
    file.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return file


def rows(folder, name, texts, **more):
    columns = [dict(zip(more, values, strict=True)) for values in zip(*more.values(), strict=True)]
    documents = [json.dumps({"text": text, **one}) for text, one in zip(texts, columns, strict=True)]
    return lines(folder, name, documents)


def test_without_references_the_second_is_held_against_the_first(tmp_path):
    got = compare_texts(lines(tmp_path, "a", OLD), lines(tmp_path, "b", NEW))
    score = sacrebleu.corpus_bleu(NEW, [OLD]).score
    assert got.figures["bleu_after"] == pytest.approx(score)
    assert got.figures["bleu_ratio"] == pytest.approx(score / 100)
    assert [limit.figure for limit in got.failed] == ["bleu_ratio"]
    assert got.figures["same_texts"] == 1


def test_texts_that_are_the_same_are_no_examples_of_a_difference(tmp_path):
    got = compare_texts(lines(tmp_path, "a", OLD), lines(tmp_path, "b", NEW))
    assert [row["before"] for row in got.worst] == [OLD[1], OLD[0]]


def test_with_references_the_ratio_is_of_two_scores(tmp_path):
    first = rows(tmp_path, "a", OLD, prompt=["1", "2", "3"], reference=REFERENCES)
    second = rows(tmp_path, "b", NEW, prompt=["1", "2", "3"])
    got = compare_texts(first, second)
    old, new = (sacrebleu.corpus_bleu(texts, [REFERENCES]).score for texts in (OLD, NEW))
    assert got.figures["bleu_before"] == pytest.approx(old)
    assert got.figures["bleu_ratio"] == pytest.approx(new / old)


def test_texts_are_paired_by_their_prompts(tmp_path):
    first = rows(tmp_path, "a", OLD, prompt=["1", "2", "3"])
    second = rows(tmp_path, "b", OLD[::-1], prompt=["3", "2", "1"])
    assert compare_texts(first, second).figures["same_texts"] == 3


def test_an_empty_answer_keeps_its_place(tmp_path):
    got = compare_texts(lines(tmp_path, "a", OLD), lines(tmp_path, "b", [OLD[0], "", OLD[2]]))
    assert got.figures["same_texts"] == 2
    assert got.worst[0]["after"] == ""


def test_chinese_is_cut_into_characters(tmp_path):
    old, new = ["昇腾处理器的驱动与工具包必须配套。"], ["昇腾处理器的驱动和工具包必须配套。"]
    got = compare_texts(lines(tmp_path, "a", old), lines(tmp_path, "b", new))
    bleu = sacrebleu.metrics.BLEU(tokenize="zh", effective_order=True)
    assert got.figures["bleu_after"] == pytest.approx(bleu.corpus_score(new, [old]).score)


def test_names_and_numbers_that_are_gone_are_counted_and_shown(tmp_path):
    got = compare_texts(lines(tmp_path, "a", OLD), lines(tmp_path, "b", NEW), recall=0.95)
    wanted = sum(len(entities(text)) for text in OLD)
    assert got.figures["entities"] == wanted
    assert got.figures["entity_recall"] == pytest.approx((wanted - 1) / wanted)
    assert got.worst[0]["lost"] == ["Marie Curie"]
    assert {limit.figure for limit in got.failed} == {"bleu_ratio", "entity_recall"}


def test_names_that_are_given_are_looked_for_alone(tmp_path):
    got = compare_texts(lines(tmp_path, "a", OLD), lines(tmp_path, "b", NEW), names=["Seine", "Berlin"])
    assert (got.figures["entities"], got.figures["entity_recall"]) == (1, 1)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We met Marie Curie in Warsaw on 4 May 1903.", ["Marie Curie", "Warsaw", "4", "May", "1903"]),
        ("The answer is no.", []),
        ("It runs on an Ascend 910B3. Then it stops.", ["Ascend", "910B3"]),
        ("他读了《红楼梦》。", ["《红楼梦》"]),
    ],
)
def test_entities_are_names_numbers_and_titles(text, found):
    assert entities(text) == found


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("a\nb\n", "a\n", "hold 2 and 1 texts"),
        ("", "a\n", "holds no text"),
        ('{"text": "a", "id": 1}\n', '{"text": "a", "id": 2}\n', "no answer to: 1"),
        ('{"words": "a"}\n', "a\n", "has no text"),
        ('{"text": "a"}\n{"text": \n', "a\n", "a:2: is no JSON"),
    ],
)
def test_what_cannot_be_compared_is_refused(first, second, said, tmp_path):
    (tmp_path / "a").write_text(first)
    (tmp_path / "b").write_text(second)
    with pytest.raises(UsageError, match=said):
        compare_texts(tmp_path / "a", tmp_path / "b")


def test_texts_that_are_not_utf_8_are_refused(tmp_path):
    """Read as if they were, two different Chinese texts become the same row of question marks."""
    file = tmp_path / "a"
    file.write_bytes("北京是首都".encode("gbk"))
    with pytest.raises(UsageError, match="it is not UTF-8; iconv -f GB18030 -t UTF-8"):
        compare_texts(file, file)


@pytest.mark.parametrize("mark", ["\u2028", "\x85", "\x0c"])
def test_a_mark_within_a_text_is_no_end_of_its_line(mark, tmp_path):
    texts = [text.replace(",", mark) for text in OLD]
    documents = [json.dumps({"text": text}, ensure_ascii=False) for text in texts]
    assert (
        compare_texts(lines(tmp_path, "a", texts), lines(tmp_path, "b", documents)).figures["same_texts"] == 3
    )


def test_an_empty_answer_at_the_end_counts(tmp_path):
    got = compare_texts(lines(tmp_path, "a", [*OLD, ""]), lines(tmp_path, "b", [*OLD, "Well."]))
    assert (got.figures["texts"], got.figures["same_texts"]) == (4, 3)


def test_short_texts_that_are_the_same_are_the_same(tmp_path):
    """sacrebleu finds no four words in them, and says 0."""
    file = lines(tmp_path, "a", ["Yes.", "No."])
    assert compare_texts(file, file).failed == ()

"""The Chinese catalogue: it is whole and compiled, and no translation loses a placeholder."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po

import npudoctor
from npudoctor.words import _, use_language

FOLDER = Path(npudoctor.__file__).parent
CATALOGUE = FOLDER / "locale" / "zh_CN" / "LC_MESSAGES" / "npudoctor.po"
PLACEHOLDER = re.compile(r"\{[^}]*\}")
FULL_WIDTH = "，。：；！？（）、…"
HALF_WIDTH_BESIDE_HAN = re.compile(r"[\u4e00-\u9fff][,;:!?()]|[,;:!?(][\u4e00-\u9fff]")
THE_SAME = {"CANN", "{size} GiB"}


def translations():
    with CATALOGUE.open("rb") as file:
        return {message.id: message for message in read_po(file) if message.id}


@pytest.fixture(scope="module")
def marked():
    """Every text that the code marks for translation."""
    return {text for _file, _line, text, *_rest in extract_from_dir(FOLDER)}


@pytest.fixture
def chinese():
    use_language("zh")
    yield
    use_language("en")


def test_every_marked_text_is_translated(marked):
    done = {text for text, message in translations().items() if message.string and not message.fuzzy}
    assert sorted(marked - done) == [], "docs/extending.md, Words and translations, says how"


def test_the_catalogue_holds_no_text_that_nobody_marks(marked):
    assert sorted(set(translations()) - marked) == []


def test_the_compiled_catalogue_is_that_of_the_text():
    fresh = BytesIO()
    with CATALOGUE.open("rb") as file:
        write_mo(fresh, read_po(file))
    fresh.seek(0)
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        shipped = {message.id: message.string for message in read_mo(file) if message.id}
    assert shipped == {message.id: message.string for message in read_mo(fresh) if message.id}


def test_a_translation_keeps_every_placeholder():
    for text, message in translations().items():
        assert sorted(PLACEHOLDER.findall(text)) == sorted(PLACEHOLDER.findall(message.string))


def test_a_translation_keeps_the_blanks_around_it_unless_a_full_width_mark_stands_there():
    for text, message in translations().items():
        for at in (0, -1):
            kept = text[at].isspace() == message.string[at].isspace()
            assert kept or message.string[at] in FULL_WIDTH, text


def test_a_translation_is_chinese_with_full_width_marks():
    for text, message in translations().items():
        assert message.string != text or text in THE_SAME
        assert not HALF_WIDTH_BESIDE_HAN.search(PLACEHOLDER.sub("", message.string)), message.string


def test_a_text_with_a_translation_is_chinese(chinese):
    assert _("found: {actual}").format(actual="8192 KB") == "实际：8192 KB"


def test_a_text_without_one_stays_english(chinese):
    assert _("there is no such text in the catalogue") == "there is no such text in the catalogue"


def test_an_empty_text_stays_empty(chinese):
    assert _("") == ""

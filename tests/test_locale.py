"""The Chinese catalogue: it is compiled, and no translation loses a placeholder."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po

from npudoctor.words import _, use_language

FOLDER = Path(__file__).parents[1] / "npudoctor" / "locale" / "zh_CN" / "LC_MESSAGES"
PLACEHOLDER = re.compile(r"\{\w*\}")


def catalogue():
    with (FOLDER / "npudoctor.po").open("rb") as file:
        return read_po(file)


@pytest.fixture
def chinese():
    use_language("zh")
    yield
    use_language("en")


def test_the_compiled_catalogue_is_that_of_the_text():
    fresh = BytesIO()
    write_mo(fresh, catalogue())
    fresh.seek(0)
    with (FOLDER / "npudoctor.mo").open("rb") as file:
        shipped = {message.id: message.string for message in read_mo(file) if message.id}
    assert shipped == {message.id: message.string for message in read_mo(fresh) if message.id}


def test_a_translation_keeps_every_placeholder():
    for message in catalogue():
        if message.id and message.string:
            assert sorted(PLACEHOLDER.findall(message.id)) == sorted(PLACEHOLDER.findall(message.string))


def test_a_text_with_a_translation_is_chinese(chinese):
    assert _("found: {actual}").format(actual="8192 KB") == "实际:8192 KB"


def test_a_text_without_one_stays_english(chinese):
    assert _("there is no such text in the catalogue") == "there is no such text in the catalogue"

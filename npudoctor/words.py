"""Words for people: gettext with one domain. Ids, JSON keys and status words are never translated."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LANGUAGES = ("en", "zh")
_translate: Callable[[str], str] = str
_language = "en"


def _in_english(one: str, many: str, number: int) -> str:
    return one if number == 1 else many


_translate_number: Callable[[str, str, int], str] = _in_english


def _(text: str) -> str:
    """The text in the language of the run; English where there is no translation."""
    return _translate(text) if text else ""  # gettext answers an empty text with the head of its catalogue


def ngettext(one: str, many: str, number: int) -> str:
    """The text for so many of a thing, in the language of the run; Chinese has one form for all numbers."""
    return _translate_number(one, many, number)


def N_(text: str) -> str:
    """Mark a text for translation that is shown later (titles at module level)."""
    return text


def use_language(language: str) -> None:
    """Choose the language of the run: `en` or `zh`."""
    global _translate, _translate_number, _language
    _language = language
    if language == "en":
        _translate, _translate_number = str, _in_english
        return
    import gettext

    folder = Path(__file__).parent / "locale"
    catalogue = gettext.translation("npudoctor", folder, ["zh_CN"], fallback=True)
    _translate, _translate_number = catalogue.gettext, catalogue.ngettext


def language() -> str:
    """The language of the run."""
    return _language


def choose_language(language: str | None) -> None:
    """Use the language that an option names, if it names one; raises `UsageError` for one there is not."""
    from npudoctor.errors import UsageError

    if language is None:
        return
    if language not in LANGUAGES:
        raise UsageError(f"--lang {language}: no such language", "use " + " or ".join(LANGUAGES))
    use_language(language)


def default_language() -> str:
    """`zh` where the locale of this shell is Chinese, else `en`."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"

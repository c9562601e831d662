"""What the person probably meant."""

from __future__ import annotations

from collections.abc import Iterable

from npudoctor.words import _


def nearest(word: str, names: Iterable[str], otherwise: str = "") -> str:
    """`did you mean …?` for a mistyped name; `otherwise` where nothing is near."""
    from difflib import get_close_matches

    found = get_close_matches(word, list(names), n=2)
    if found:
        return _("did you mean {names}?").format(names=_(" or ").join(found))
    return otherwise or _("see npudoctor --help")

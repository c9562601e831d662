"""Patterns over bytes, in RE2 where it is installed (`npudoctor[fast]`), else in Python's own engine.

RE2 reads hundreds of megabytes a second and is never slow on any text. All patterns here stay in the subset
that both know and read alike (no look-around, no back-references), so what is found does not depend on it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import re

    def pattern(text: bytes) -> re.Pattern[bytes]:
        """A pattern that is compiled when something is first matched with it."""

else:

    class pattern:
        """A pattern that is compiled when something is first matched with it."""

        def __init__(self, text):
            self.text = text

        def __getattr__(self, name):
            method = getattr(compiled(self.text), name)
            setattr(self, name, method)
            return method


_MEMORY = 256 << 20
"""Bytes that RE2 may use for one pattern: with less it forgets what it has worked out, and is slow."""


@cache
def compiled(text: bytes) -> Any:
    """The compiled pattern, of whichever engine is there."""
    module = engine()
    if not is_fast():
        return module.compile(text)
    options = module.Options()
    options.max_mem = _MEMORY
    options.encoding = options.Encoding.LATIN1  # bytes, as Python takes them: a log may be in any encoding
    return module.compile(text, options)


def is_fast() -> bool:
    """Whether patterns may be asked about every line of a log."""
    return str(engine().__name__) != "re"


@cache
def engine() -> Any:
    """The module `re2` or `re`."""
    try:
        import re2
    except ImportError:
        import re

        return re
    return re2

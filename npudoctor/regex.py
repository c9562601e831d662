"""`re.compile` that waits: a pattern is compiled when something is first matched with it.

Our two hundred patterns took a sixth of a whole `npudoctor check`, which uses a third of them. For the
tables and constants of modules; to its users nothing changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import re

    regex = re.compile
else:

    def regex(pattern, flags=0):
        """As `re.compile`."""
        return _Waiting(pattern, flags)


class _Waiting:
    """Stands for a compiled pattern; holds its methods from the first use on."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._arguments = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        import re

        compiled = re.compile(*self._arguments)
        for method in ("search", "match", "fullmatch", "finditer", "findall", "split", "sub"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)

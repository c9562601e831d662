"""`--logs SINCE`: how far back error logs are read."""

from __future__ import annotations

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.regex import regex
from npudoctor.words import _

_MINUTES = {"m": 1, "h": 60, "d": 24 * 60, "w": 7 * 24 * 60}
_MOST = 366 * 24 * 60
_SPAN = regex(r"(\d{1,6})([mhdw])")


@dataclass(frozen=True, slots=True)
class Since:
    """A span that ends now, or a moment; one of both.

    Attributes:
        minutes: Before the script runs, by the host's clock.
        moment: Seconds since 1970.
    """

    minutes: int | None = None
    moment: int | None = None


def read_since(text: str) -> Since:
    """`90m`, `2h`, `3d`, `1w`, `2026-11-29` or `2026-11-29T10:00+08:00`; no zone is that of this machine.

    Raises:
        UsageError: It is none of these.
    """
    from datetime import datetime

    if span := _SPAN.fullmatch(text.strip()):
        return Since(minutes=max(1, min(_MOST, int(span[1]) * _MINUTES[span[2]])))
    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00")).timestamp()
        return Since(moment=max(0, int(moment)))
    except (ValueError, OverflowError):
        raise UsageError(
            _("--logs {text}: is neither a span nor a moment").format(text=text),
            _("write 2h, 3d or 2026-11-29T10:00"),
        ) from None

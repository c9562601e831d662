"""Times as text to whole nanoseconds."""

from __future__ import annotations

_MOST = 1 << 61
"""A start and a duration of less can be added in 64 bits."""


def nanoseconds(text: bytes) -> int:
    """Microseconds with any number of decimals (`1736158271000908.331\\t`) to ns.

    Raises:
        ValueError: It is no number (`N/A`, a header).
    """
    whole, _point, part = text.strip().partition(b".")
    try:  # three decimals, as the profilers write it, need no more
        value = int(whole + part) if len(part) == 3 else int(whole) * 1000 + int((part + b"000")[:3])
    except ValueError:
        value = _carefully(text)
    if -_MOST < value < _MOST:
        return value
    raise ValueError(text)


def _carefully(text: bytes) -> int:
    """As above, for spellings of a spreadsheet: `1.736E+15`, quotes, a sign."""
    from decimal import Decimal

    try:
        value = Decimal(text.decode("ascii", "replace").strip().strip('"')) * 1000
    except ArithmeticError:
        raise ValueError(text) from None
    if not value.is_finite() or abs(value) >= _MOST:  # before int: 1E+999999999 would fill the memory
        raise ValueError(text)
    return int(value)

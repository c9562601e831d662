"""Times as text to whole nanoseconds."""

from __future__ import annotations


def nanoseconds(text: bytes) -> int:
    """Microseconds with any number of decimals (`1736158271000908.331\\t`) to ns.

    Raises:
        ValueError: It is no number (`N/A`, a header).
    """
    whole, _point, part = text.strip().partition(b".")
    try:
        if len(part) == 3:  # as the profilers write it
            return int(whole + part)
        return int(whole) * 1000 + int((part + b"000")[:3])
    except ValueError:
        return _carefully(text)


def _carefully(text: bytes) -> int:
    """As above, for spellings of a spreadsheet: `1.736E+15`, quotes, a sign."""
    from decimal import Decimal, InvalidOperation

    try:
        value = Decimal(text.decode("ascii", "replace").strip().strip('"')) * 1000
    except InvalidOperation:
        raise ValueError(text) from None
    if not value.is_finite() or abs(value) > 2**62:
        raise ValueError(text)
    return int(value)

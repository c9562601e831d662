"""Whether the firmware starts signed code only: `mokutil --sb-state`, or the EFI variable itself."""

from __future__ import annotations

from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.words import N_


@parser("mokutil-sb-state", origin="mokutil --sb-state")
def parse_sb_state(text: str) -> bool:
    """Whether Secure Boot is on; a machine without EFI variables has none.

    Raises:
        ParseError: Neither is said.
    """
    words = text.lower()
    if "secureboot enabled" in words:
        return "validation is disabled in shim" not in words
    if "secureboot disabled" in words or "not supported" in words:
        return False
    raise ParseError(N_("says neither enabled nor disabled"))


@parser("efi-secure-boot", origin="od SecureBoot")
def parse_efi_variable(text: str) -> bool:
    """The same of the variable's bytes in decimal: four of attributes, then 1 or 0.

    Raises:
        ParseError: Not five bytes.
    """
    words = text.split()
    if len(words) != 5 or words[-1] not in ("0", "1"):
        raise ParseError(N_("not five bytes that end with 0 or 1"))
    return words[-1] == "1"

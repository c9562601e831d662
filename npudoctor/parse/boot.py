"""Which kernels can start: the names in /boot, what `grubby --default-kernel` and grubenv say."""

from __future__ import annotations

from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.regex import regex
from npudoctor.words import N_

_KERNEL = regex(r"(?:vmlinu[xz]|Image|kernel)-(\d+\.\d+\S*)")
_RELEASE = regex(r"\d+\.\d+\.\d+\S*?(?=-(?:advanced|recovery)-|$)")


@parser("boot-kernels", origin="ls /boot")
def parse_boot_kernels(text: str) -> tuple[str, ...]:
    """Releases of the kernels that lie there, in the order printed; rescue images are left out."""
    found = (_KERNEL.fullmatch(word) for word in text.split())
    return tuple(match[1] for match in found if match and not match[1].endswith((".old", ".dpkg-bak")))


@parser("grubby-default-kernel", origin="grubby --default-kernel")
def parse_default_kernel(text: str) -> str:
    """The release of the kernel that the next boot starts.

    Raises:
        ParseError: The line names no kernel.
    """
    name = text.strip().rpartition("/")[2]
    match = _KERNEL.fullmatch(name)
    if not match:
        raise ParseError(N_("names no kernel"))
    return match[1]


@parser("grubenv", origin="/boot/grub/grubenv")
def parse_grubenv(text: str) -> str:
    """The release in the entry that GRUB starts next, once or always; empty where none is named by it."""
    values = dict(line.split("=", 1) for line in text.splitlines() if "=" in line and line[0] != "#")
    entry = values.get("next_entry") or values.get("saved_entry") or ""
    match = _RELEASE.search(entry.rpartition(">")[2])
    return match[0] if match else ""

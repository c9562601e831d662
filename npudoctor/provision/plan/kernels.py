"""Which kernel runs, which one the next boot starts, and which of them have their headers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, first_known, known, unavailable
from npudoctor.parse.boot import parse_boot_kernels, parse_default_kernel, parse_grubenv
from npudoctor.parse.held import parse_versionlock
from npudoctor.parse.secure_boot import parse_efi_variable, parse_sb_state
from npudoctor.regex import regex
from npudoctor.words import N_

if TYPE_CHECKING:
    from collections.abc import Iterable

    from npudoctor.collect.snapshot import Snapshot
    from npudoctor.host import Host

_PART = regex(r"\d+|[A-Za-z]+")
_LOCKS = ("/etc/dnf/plugins/versionlock.list", "/etc/yum/pluginconf.d/versionlock.list")


@dataclass(frozen=True, slots=True)
class Kernels:
    """The kernels of one host.

    Attributes:
        running: As `uname -r` prints it.
        next: What the next boot starts: what the boot loader was told, else the newest one in /boot.
        headers: Releases whose headers are there.
        held: Packages that are held back from updates.
        secure_boot: Whether only signed modules are loaded.
    """

    running: Fact[str]
    next: Fact[str]
    headers: Fact[tuple[str, ...]]
    held: Fact[tuple[str, ...]]
    secure_boot: Fact[bool]


def read_kernels(host: Host) -> Kernels:
    """Read it out of a host."""
    snapshot, kernel = host.snapshot, host.kernel
    return Kernels(
        running=kernel.release,
        next=_next(snapshot),
        headers=kernel.headers,
        held=first_known(
            snapshot.command("apt-mark showhold").map(lambda text: tuple(text.split())),
            *(snapshot.file(path).map(parse_versionlock) for path in _LOCKS),
        ),
        secure_boot=_secure_boot(snapshot),
    )


def newest(releases: Iterable[str]) -> str | None:
    """The newest release, which GRUB starts where nothing else is set; None of none."""
    return max(releases, key=_order, default=None)


def _order(release: str) -> tuple[tuple[int, int, str], ...]:
    """`5.15.0-130-generic` is newer than `5.15.0-25-generic`; a number is newer than a word."""
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in _PART.findall(release))


def _next(snapshot: Snapshot) -> Fact[str]:
    told = snapshot.command("grubby --default-kernel").map(parse_default_kernel)
    if told.known:
        return told
    there = snapshot.command("ls /boot").map(parse_boot_kernels)
    if _chosen(snapshot):
        for path in ("/boot/grub/grubenv", "/boot/grub2/grubenv"):
            saved = snapshot.file(path).map(parse_grubenv)
            if saved.or_none() in (there.or_none() or ()):
                return saved
        return unavailable(N_("GRUB starts an entry that names no kernel"), "/etc/default/grub", "unreadable")
    found = newest(there.or_none() or ())
    if there.known and found is None:
        return unavailable("/boot holds no kernel", "ls /boot", "absent")
    return known(found, "ls /boot", f"vmlinuz-{found}") if found else there.map(lambda _all: "")


def _chosen(snapshot: Snapshot) -> bool:
    """Whether GRUB is set to start an entry of its own choice, not the first."""
    text = snapshot.file("/etc/default/grub").or_none() or ""
    values = re.findall(r"^\s*GRUB_DEFAULT\s*=\s*[\"']?([^\"'\n]*)", text, re.MULTILINE)
    return bool(values) and values[-1].strip() not in ("", "0")


def _secure_boot(snapshot: Snapshot) -> Fact[bool]:
    said = snapshot.output("mokutil --sb-state").map(lambda entry: parse_sb_state(entry.all_text))
    variable = snapshot.command("od SecureBoot").map(parse_efi_variable)
    if variable.absent and not said.known:
        return known(False, "/sys/firmware/efi", "no EFI variable SecureBoot")
    return first_known(said, variable)

"""What a host is, in a few words, for the heading of its report."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from npudoctor.fact import Fact
    from npudoctor.host import Host


def about(host: Host) -> dict[str, str]:
    """The chips, the driver, the firmware and CANN, as far as they are known."""
    facts: dict[str, Fact[str]] = {
        "npu": _chips(host),
        "driver": host.driver.version,
        "firmware": host.driver.firmware,
        "CANN": host.cann.active.map(lambda installation: installation.version),
    }
    return {name: fact.value for name, fact in facts.items() if fact.known}


def _chips(host: Host) -> Fact[str]:
    count = host.npus.count.or_none()
    return host.npus.chip.map(lambda name: f"{count} × {name}" if count else name)

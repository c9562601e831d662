"""What is installed, by the names that the matrix asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.fact import Fact, known

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.host.python import Interpreter

PACKAGES = ("torch", "torch_npu", "vllm_ascend", "vllm", "mindspore", "triton_ascend")


def chip_of(host: Host) -> str | None:
    """The chip as the matrix asks for it; where only the family is known, a name that stands for it.

    npu-smi prints `910B` for a chip of the first generation, which the matrix knows as `Ascend910B`.
    """
    chip, family = host.npus.chip.or_none(), host.npus.family.or_none()
    if chip == "910B":
        return "Ascend910B"
    return chip or (f"{family}1" if family == "910B" else family)


def base_of(host: Host) -> dict[str, Fact[str]]:
    """Driver, firmware, CANN and MindIE."""
    return {
        "driver": host.driver.version,
        "firmware": host.driver.firmware,
        "cann": host.cann.active.map(lambda cann: cann.version),
        "mindie": host.mindie.version,
    }


def packages_of(python: Interpreter) -> dict[str, Fact[str]]:
    """The packages of one Python that pair with anything, and the Python itself."""
    found = {name: python.package(name) for name in PACKAGES if name in python.packages}
    if python.version:
        found["python"] = known(python.version, python.path, f"Python {python.version}")
    return found


def installed_of(host: Host) -> dict[str, str]:
    """All that is known of this machine's stack; the Python of this environment speaks for the packages."""
    facts = base_of(host)
    current = host.python.current.or_none()
    if current is not None:
        facts.update(packages_of(current))
    values = {name: value for name, fact in facts.items() if (value := fact.or_none())}
    chip, arch = chip_of(host), host.system.arch.or_none()
    return (
        values | ({"chip": chip} if chip else {}) | ({"arch": arch} if arch in ("aarch64", "x86_64") else {})
    )

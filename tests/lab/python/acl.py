"""A simulated `acl`, which the toolkit brings: it knows how many NPUs run on this host."""

from __future__ import annotations

import os
import types

_NO_DRIVER = 507899


def _devices() -> int:
    """As many as the driver has made nodes for, if it runs."""
    try:
        with open("/lab/running", encoding="utf-8") as file:
            runs = "driver=none" not in file.read().splitlines()
    except OSError:
        return 0
    names = os.listdir("/dev")
    return sum(name[:7] == "davinci" and name[7:].isdigit() for name in names) if runs else 0


def init(_config: str = "") -> int:
    """0, or the code of a driver that is not there."""
    return 0 if _devices() else _NO_DRIVER


def finalize() -> int:
    """0."""
    return 0


def get_version() -> tuple[int, int, int, int]:
    """Of the interface, not of CANN; and the code."""
    return 1, 15, 0, 0


rt = types.SimpleNamespace(
    get_device_count=lambda: (_devices(), 0 if _devices() else _NO_DRIVER),
    set_device=lambda number: 0 if number < _devices() else 107001,
    reset_device=lambda _number: 0,
    get_soc_name=lambda: "Ascend910B3",
    get_version=lambda: (1, 15, 0, 0),
)
get_soc_name = rt.get_soc_name

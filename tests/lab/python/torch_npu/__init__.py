"""A simulated torch_npu: it needs the environment of CANN, and NPUs that the driver shows."""

from __future__ import annotations

import os
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

import torch

__version__ = version("torch_npu")
_FOLDERS = os.environ.get("LD_LIBRARY_PATH", "").split(":")
if not any(os.path.exists(os.path.join(folder, "libhccl.so")) for folder in _FOLDERS if folder):
    raise ImportError("libhccl.so: cannot open shared object file: No such file or directory")

import acl  # noqa: E402 (the real one fails in this order too)


def need(name: str) -> None:
    """Raise what a device that is not there raises."""
    number = int(name.partition(":")[2] or 0)
    if number >= device_count():
        code = 507899 if not device_count() else 107001
        raise RuntimeError(
            f"Initialize:torch_npu/csrc/core/npu/sys_ctrl/npu_sys_ctrl.cpp NPU error, error code is {code}"
        )


def device_count() -> int:
    """How many NPUs there are."""
    return int(acl.rt.get_device_count()[0])


def _set_device(device: Any) -> None:
    need(f"npu:{str(device).rpartition(':')[2]}")


npu = SimpleNamespace(
    device_count=device_count,
    is_available=lambda: device_count() > 0,
    set_device=_set_device,
    synchronize=lambda *_device: None,
    empty_cache=lambda: None,
    get_device_name=lambda _device=0: "Ascend910B3",
)
torch.npu = npu  # type: ignore[attr-defined]

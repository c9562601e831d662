"""A simulated torch: tensors of a few numbers, enough to see whether NPUs answer."""

from __future__ import annotations

import random
from importlib.metadata import version
from math import prod
from types import SimpleNamespace
from typing import Any

__version__ = version("torch")
float32 = "float32"
float16 = "float16"
bfloat16 = "bfloat16"
_C = SimpleNamespace(_GLIBCXX_USE_CXX11_ABI=True)


class Tensor:
    """Numbers, whatever their shape, and where they are."""

    def __init__(self, numbers: list[float], device: str = "cpu") -> None:
        self.numbers = numbers
        self.device = device

    def to(self, device: Any, *_more: Any) -> Tensor:
        """The same on another device; one that is not there is an error."""
        name = str(device)
        if name.startswith("npu"):
            import torch_npu

            torch_npu.need(name)
        return Tensor(list(self.numbers), name)

    def npu(self, number: Any = 0) -> Tensor:
        """The same on an NPU."""
        return self.to(number if str(number).startswith("npu") else f"npu:{number}")

    def cpu(self) -> Tensor:
        """The same on the host."""
        return self.to("cpu")

    def sum(self) -> Tensor:
        """One number."""
        return Tensor([sum(self.numbers)], self.device)

    def item(self) -> float:
        """The only number."""
        (number,) = self.numbers
        return number

    def tolist(self) -> list[float]:
        """All numbers."""
        return list(self.numbers)

    def __add__(self, other: Any) -> Tensor:
        return self._each(other, lambda one, two: one + two)

    def __mul__(self, other: Any) -> Tensor:
        return self._each(other, lambda one, two: one * two)

    def _each(self, other: Any, what: Any) -> Tensor:
        others = other.numbers if isinstance(other, Tensor) else [other] * len(self.numbers)
        return Tensor([what(one, two) for one, two in zip(self.numbers, others)], self.device)  # noqa: B905 (3.9)

    def __float__(self) -> float:
        return float(self.item())

    def __repr__(self) -> str:
        return f"tensor({self.numbers}, device='{self.device}')"


def _made(shape: tuple[Any, ...], number: Any, device: Any) -> Tensor:
    sizes = shape[0] if shape and isinstance(shape[0], (tuple, list)) else shape
    return Tensor([number() for _each in range(prod(sizes))]).to(device or "cpu")


def ones(*shape: Any, device: Any = None, dtype: Any = None) -> Tensor:
    """Ones."""
    return _made(shape, lambda: 1.0, device)


def zeros(*shape: Any, device: Any = None, dtype: Any = None) -> Tensor:
    """Zeros."""
    return _made(shape, lambda: 0.0, device)


def randn(*shape: Any, device: Any = None, dtype: Any = None) -> Tensor:
    """Numbers around 0."""
    return _made(shape, lambda: random.gauss(0, 1), device)


def full(shape: Any, number: float, device: Any = None, dtype: Any = None) -> Tensor:
    """One number, many times."""
    return _made((shape,), lambda: float(number), device)


def arange(end: int, device: Any = None, dtype: Any = None) -> Tensor:
    """0, 1, 2, …"""
    return Tensor([float(number) for number in range(end)]).to(device or "cpu")


def tensor(numbers: Any, device: Any = None, dtype: Any = None) -> Tensor:
    """Numbers that are given."""
    return Tensor([float(each) for each in (numbers if isinstance(numbers, list) else [numbers])]).to(
        device or "cpu"
    )


def device(name: str, number: int | None = None) -> str:
    """`npu`, 0: `npu:0`."""
    return name if number is None else f"{name}:{number}"


def compiled_with_cxx11_abi() -> bool:
    """Which C++ ABI it was built for."""
    return True

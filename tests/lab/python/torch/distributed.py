"""A simulated torch.distributed: an all-reduce over sockets of this host."""

from __future__ import annotations

import json
import os
import socket
import time
from types import SimpleNamespace
from typing import Any

from torch import Tensor

ReduceOp = SimpleNamespace(SUM="sum")
_world: dict[str, Any] = {}


def init_process_group(backend: str = "hccl", rank: int = -1, world_size: int = -1, **_more: Any) -> None:
    """Meet the others at MASTER_ADDR:MASTER_PORT."""
    rank = rank if rank >= 0 else int(os.environ["RANK"])
    size = world_size if world_size > 0 else int(os.environ["WORLD_SIZE"])
    place = (os.environ.get("MASTER_ADDR", "127.0.0.1"), int(os.environ["MASTER_PORT"]))
    _world.update(rank=rank, size=size, lines=_listen(place, size) if rank == 0 else [_call(place)])


def _listen(place: tuple[str, int], size: int) -> list[Any]:
    with socket.create_server(place) as server:
        server.settimeout(60)
        return [server.accept()[0].makefile("rw") for _each in range(size - 1)]


def _call(place: tuple[str, int]) -> Any:
    until = time.monotonic() + 60
    while True:
        try:
            return socket.create_connection(place, timeout=60).makefile("rw")
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


def _say(line: Any, numbers: list[float]) -> None:
    line.write(json.dumps(numbers) + "\n")
    line.flush()


def all_reduce(tensor: Tensor, op: Any = None) -> None:
    """The sum of the tensors of all ranks, in place."""
    lines = _world["lines"]
    if _world["rank"]:
        _say(lines[0], tensor.numbers)
        tensor.numbers = json.loads(lines[0].readline())
        return
    given = [tensor.numbers, *(json.loads(line.readline()) for line in lines)]
    tensor.numbers = [sum(each) for each in zip(*given)]  # noqa: B905 (3.9)
    for line in lines:
        _say(line, tensor.numbers)


def barrier() -> None:
    """Wait for all."""
    all_reduce(Tensor([0.0]))


def get_rank() -> int:
    """Which one this is."""
    return int(_world["rank"])


def get_world_size() -> int:
    """How many there are."""
    return int(_world["size"])


def is_initialized() -> bool:
    """Whether they have met."""
    return bool(_world)


def destroy_process_group() -> None:
    """Part."""
    for line in _world.pop("lines", []):
        line.close()
    _world.clear()

"""A simulated torch.multiprocessing: a process a rank."""

from __future__ import annotations

import multiprocessing
from typing import Any


def spawn(work: Any, args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True) -> None:
    """Run `work(rank, *args)` in as many processes; an error where one fails."""
    processes = [multiprocessing.Process(target=work, args=(rank, *args)) for rank in range(nprocs)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    failed = [process.exitcode for process in processes if process.exitcode]
    if failed:
        raise RuntimeError(f"process terminated with exit code {failed[0]}")

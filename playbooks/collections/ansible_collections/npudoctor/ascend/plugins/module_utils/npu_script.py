"""What is tried on the NPUs, in the Python of the environment. Runs as a file of its own, without the collection.

    python npu_script.py acl|tensors|all_reduce|rank

It ends with one line of JSON after a mark, as libraries print words of their own. Needs Python 3.7 and, by part, the
`acl` of CANN (`acl.get_version`: the pyACL reference, CANN 9.0.0, 2026-03) or torch and torch_npu.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys

MARK = "npudoctor-answer:"
_NUMBERS = 8


def acl() -> dict:
    """Where `acl` was found, its version, and what `acl.init` answers (0: it works)."""
    import acl as found

    begun = found.init()
    version = found.get_version()
    found.finalize()
    return {"file": os.path.realpath(found.__file__), "version": ".".join(map(str, version[:3])), "init": begun}


def tensors() -> dict:
    """By NPU what came of adding a tensor to itself there: an empty text where it is right, else what went wrong."""
    import torch
    import torch_npu

    answers = [_tried(number) for number in range(torch.npu.device_count())]
    return {"torch": torch.__version__, "torch_npu": torch_npu.__version__, "npus": answers}


def _tried(number: int) -> str:
    import torch

    try:
        held = torch.ones(_NUMBERS).to("npu:{0}".format(number))
        found = (held + held).sum().item()
    except Exception as error:  # noqa: BLE001 (whatever a driver raises is the answer)
        return "{0}: {1}".format(type(error).__name__, str(error).strip().splitlines()[0] if str(error).strip() else "")
    return "" if found == 2.0 * _NUMBERS else "the sum is {0}, not {1}".format(found, 2.0 * _NUMBERS)


def all_reduce() -> dict:
    """By rank what came of one HCCL all-reduce over all NPUs, a process each."""
    import torch
    import torch_npu  # noqa: F401 (torch.npu comes with it)

    size = torch.npu.device_count()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(size)}
    ranks = [
        subprocess.Popen(
            [sys.executable, "-B", os.path.abspath(__file__), "rank"],
            env=dict(os.environ, RANK=str(number), LOCAL_RANK=str(number), **place),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for number in range(size)
    ]
    said = [each.communicate()[0].decode(errors="replace") for each in ranks]
    return {"ranks": [_of_rank(text) for text in said]}


def rank() -> dict:
    """The sum that one rank holds after the all-reduce: of 1, 2, … for ranks 0, 1, …"""
    import torch
    import torch.distributed as group
    import torch_npu  # noqa: F401 (the backend hccl comes with it)

    number, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.npu.set_device(number)
    group.init_process_group("hccl", rank=number, world_size=size)
    held = torch.ones(_NUMBERS).to("npu:{0}".format(number)) * (number + 1)
    group.all_reduce(held)
    found, wanted = held.cpu().sum().item(), _NUMBERS * size * (size + 1) / 2.0
    group.destroy_process_group()
    return {"wrong": "" if found == wanted else "the sum is {0}, not {1}".format(found, wanted)}


def _of_rank(text: str) -> str:
    answer = answer_in(text)
    if answer:
        return answer["wrong"]
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it said nothing"


def answer_in(text: str) -> dict:
    """The answer in what this script printed; empty where it came to none."""
    lines = [line for line in text.splitlines() if line.startswith(MARK)]
    return json.loads(lines[-1][len(MARK) :]) if lines else {}


if __name__ == "__main__":
    _PARTS = {"acl": acl, "tensors": tensors, "all_reduce": all_reduce, "rank": rank}
    sys.stdout.write(MARK + json.dumps(_PARTS[sys.argv[1]]()) + "\n")

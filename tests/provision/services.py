"""A service on lab hosts with Docker engines of their own: its inventory, its model, what it answers."""

import contextlib
import json
import socket
import urllib.request

import yaml

from tests.accept.load import served
from tests.lab.services import COMMAND

_FILES = ("config.json", "tokenizer.json", "model.safetensors")
_MODEL = "/models/tiny"
_NAME = "npudoctor-serving"


def give_model(host) -> None:
    """Put a whole model where the inventory names it."""
    host.run("sh", "-c", f"mkdir -p {_MODEL}; cd {_MODEL}; echo {{}} | tee {' '.join(_FILES)}")


def inventory_of(lab):
    """`inventory(serving_image=…)` writes the variables of all hosts. Each has a port: `.ports`."""
    path = lab.inventory()
    content = yaml.safe_load(path.read_text())
    group = next(iter(content.values()))
    own = dict(group["vars"])
    ports = dict(zip(lab.hosts, _free_ports(len(lab.hosts)), strict=True))

    def write(**variables):
        for name, host in group["hosts"].items():
            host.update(serving_port=ports[name], serving_command=[*COMMAND, str(ports[name])])
        group["vars"] = own | {
            "serving_model": _MODEL,
            "serving_host_network": True,
            "serving_shm_size": "64m",
            "serving_stop_seconds": 0,
            "serving_ready_seconds": 20,
            **variables,
        }
        path.write_text(yaml.safe_dump(content))
        return path

    write.ports = ports
    return write


def _free_ports(number):
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _each in range(number)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def answer(port) -> list[str]:
    """The pieces of a streamed answer, in their order."""
    body = {"model": served.MODEL, "prompt": "Hello", "max_tokens": 4, "stream": True}
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=20) as events:
        lines = [line.decode().strip() for line in events]
    pieces = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
    return [piece["choices"][0]["text"] for piece in pieces if piece["choices"]]


def served_on(host) -> tuple[str, ...]:
    """Id and image of the service that runs on a host."""
    line = host.run(
        "docker", "ps", "--no-trunc", "--filter", f"name=^{_NAME}$", "--format", "{{.ID}} {{.Image}}"
    )
    return tuple(line.stdout.split())

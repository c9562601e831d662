"""A small service that stands in for vLLM (tests.accept.load.served), for hosts with an engine of their own.

service_image("lab-service:1", lab.packages())              # its archive
service_image("lab-service:2", lab.packages(), READY_AFTER="3600")   # of one that takes an hour to start
give_model(lab.hosts["node1"])
inventory = ServedInventory(lab)
inventory(serving_image="lab-service:1")                    # the inventory of the lab, with what to serve
answer(inventory.ports["node1"])                            # after `provision`
"""

from __future__ import annotations

import contextlib
import json
import platform
import socket
import subprocess
import tempfile
import urllib.request
from collections.abc import Sequence
from pathlib import Path

import yaml

from tests.accept.load import served
from tests.lab.image import image
from tests.lab.provisioned import ProvisionedHost, ProvisionLab
from tests.weights import safetensors

_NAME = "npudoctor-serving"
_MODEL = "/models/tiny"
_WEIGHTS = "".join(f"\\{byte:03o}" for byte in safetensors(7))
_COMMAND = ["python3", "/served.py"]
_DOCKERFILE = """\
FROM {root} AS root
RUN mkdir -p /small/usr/bin && cp -L /usr/bin/python3 /small/usr/bin/ \\
 && cp -L --parents $(ldd /usr/bin/python3 | grep -o '/[^ ]*') /small/ \\
 && cp -r --parents /usr/lib/python3.* /small/ && rm -rf /small/usr/lib/python3.*/test
FROM scratch
COPY --from=root /small /
COPY served.py /served.py
ENV {variables}
"""


def service_image(name: str, folder: Path, **variables: str) -> Path:
    """Build it, write its archive under the name that packages have, and take it off this machine again.

    Args:
        name: Name and tag of the image.
        folder: Where the archive is to lie.
        variables: What the server does: `READY_AFTER`, `FAIL_EVERY`, `EXIT`.
    """
    archive = folder / f"{name.replace(':', '_')}-{platform.machine()}.tar"
    given = {"PATH": "/usr/bin", **variables}
    text = _DOCKERFILE.format(
        root=image(), variables=" ".join(f'{key}="{value}"' for key, value in given.items())
    )
    with tempfile.TemporaryDirectory() as context:
        (Path(context) / "Dockerfile").write_text(text)
        (Path(context) / "served.py").write_bytes(Path(served.__file__).read_bytes())
        for words in (
            ["build", "--network", "none", "-t", name, context],
            ["save", "-o", str(archive), name],
            ["rmi", name],
        ):
            subprocess.run(["docker", *words], check=True, capture_output=True)
    return archive


def give_model(host: ProvisionedHost) -> None:
    """Put a whole model where the inventory names it."""
    words = f"echo {{}} | tee config.json tokenizer.json; printf '{_WEIGHTS}' >model.safetensors"
    host.run("sh", "-c", f"mkdir -p {_MODEL}; cd {_MODEL}; {words}")


class ServedInventory:
    """The inventory of a lab, with a service for some of its hosts; without names for all.

    Attributes:
        ports: Of each one's service, by the name of the host.
    """

    def __init__(self, lab: ProvisionLab, names: Sequence[str] = ()) -> None:
        self._path = lab.inventory()
        self._content = yaml.safe_load(self._path.read_text())
        wanted = names or tuple(lab.hosts)
        self.ports = dict(zip(wanted, _free_ports(len(wanted)), strict=True))

    def __call__(self, **variables: object) -> Path:
        """Write it, with these variables of each of them beside those that every service of the lab has."""
        (group,) = self._content.values()
        for name, port in self.ports.items():
            group["hosts"][name] |= {
                "serving_model": _MODEL,
                "serving_port": port,
                "serving_command": [*_COMMAND, str(port)],
                "serving_host_network": True,
                "serving_shm_size": "64m",
                "serving_stop_seconds": 0,
                "serving_ready_seconds": 20,
                **variables,
            }
        self._path.write_text(yaml.safe_dump(self._content))
        return self._path


def _free_ports(number: int) -> list[int]:
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _each in range(number)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def answer(port: int) -> list[str]:
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


def served_on(host: ProvisionedHost) -> tuple[str, ...]:
    """Id and image of the service that runs on a host."""
    words = ("--no-trunc", "--filter", f"name=^{_NAME}$", "--format", "{{.ID}} {{.Image}}")
    return tuple(host.run("docker", "ps", *words).stdout.split())

"""A service on lab hosts, from none to an answer over HTTP: rolled out, taken back, left alone when right."""

import contextlib
import json
import socket
import subprocess
import urllib.request

import pytest
import yaml

from tests.accept.load import served
from tests.lab.engine import engine
from tests.lab.image import image, why_not
from tests.lab.provisioned import provision_lab
from tests.provision.provisioning import NEW, Caller, lines_of

NAMES = ("node1", "node2", "node3")
FILES = ("config.json", "tokenizer.json", "model.safetensors")
READY = {"new": "0", "never": "3600"}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    if reason := why_not():
        pytest.skip(reason)
    with provision_lab(tmp_path_factory.mktemp("serving")) as lab, contextlib.ExitStack() as engines:
        lab.boot(*NAMES, **NEW)
        for name in NAMES:
            host = lab.hosts[name]
            engines.enter_context(engine(host, kept=(served.__file__,)))
            host.run("sh", "-c", f"mkdir -p /models/tiny; cd /models/tiny; echo {{}} | tee {' '.join(FILES)}")
        yield lab
        containers = [f"{name}{part}" for name in map(container, NAMES) for part in ("", "-previous")]
        subprocess.run(["docker", "rm", "-f", *containers], capture_output=True, check=False)
        subprocess.run(["docker", "rmi", *map(made, READY)], capture_output=True, check=False)


@pytest.fixture(scope="module")
def inventory(lab):
    """`inventory(serving_image=…)` writes the variables of all hosts; each has a port of its own."""
    path = lab.inventory()
    content = yaml.safe_load(path.read_text())
    group = next(iter(content.values()))
    ports = dict(zip(NAMES, free_ports(len(NAMES)), strict=True))

    def write(**variables):
        for name, host in group["hosts"].items():
            command = ["python3", "/served.py", str(ports[name])]
            host.update(serving_name=container(name), serving_port=ports[name], serving_command=command)
        group["vars"] |= {
            "serving_model": "/models/tiny",
            "serving_host_network": True,
            "serving_volumes": [f"{served.__file__}:/served.py:ro"],
            "serving_shm_size": "64m",
            "serving_stop_seconds": 0,
            "serving_ready_seconds": 20,
            **variables,
        }
        path.write_text(yaml.safe_dump(content))
        return path

    write.ports = ports
    return write


@pytest.fixture(scope="module")
def caller(lab, inventory):
    packages = lab.folder / "packages"
    packages.mkdir()
    return Caller(inventory(serving_image=image()), packages, lab.folder / "runs", ("--only", "serving"))


@pytest.fixture(scope="module")
def first(lab, caller):
    return caller.call("--canary", "0", "--max-unavailable", "3")


def container(name):
    return f"npudoctor-lab-run-{name}"


def made(what):
    """An image that behaves in some way, made of that of the lab."""
    return f"npudoctor-lab-serving:{what}"


def build(what):
    text = f"FROM {image()}\nENV READY_AFTER={READY[what]}\n"
    subprocess.run(
        ["docker", "build", "-t", made(what), "-"], input=text, text=True, check=True, capture_output=True
    )


def free_ports(number):
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _each in range(number)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def answers(port):
    body = json.dumps({"model": served.MODEL, "prompt": "Hello", "max_tokens": 1}).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/completions", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return "choices" in json.load(answer)


def containers():
    """Id and image by host."""
    found = {}
    for name in NAMES:
        form = "{{.Id}} {{.Config.Image}} {{.State.Running}}"
        done = subprocess.run(
            ["docker", "inspect", "-f", form, container(name)], capture_output=True, text=True, check=False
        )
        found[name] = tuple(done.stdout.split())
    return found


def test_one_call_brings_every_host_to_a_service_that_answers(inventory, caller, first):
    code, said = first
    assert code == 0, said
    assert caller.words() == dict.fromkeys(NAMES, "done")
    assert all(answers(port) for port in inventory.ports.values())
    assert "node1: starts the service and waits up to 20 s until it answers" in said


def test_hosts_that_serve_it_already_cost_one_reading(caller, first):
    before = containers()
    code, said = caller.call()
    assert code == 0, said
    assert caller.words() == dict.fromkeys(NAMES, "converged")
    assert lines_of(caller.newest() / "journal.jsonl") == 2
    assert containers() == before


def test_an_image_that_is_never_ready_stops_at_the_first_host_which_serves_as_before(
    inventory, caller, first
):
    build("never")
    before = containers()
    inventory(serving_image=made("never"), serving_ready_seconds=8)
    code, said = caller.call("--max-failed", "1")
    report = json.loads((caller.newest() / "report.json").read_text())
    assert code == 1, said
    words = [(host["name"], host["word"], host["key"]) for host in report["hosts"]]
    assert words[0] == ("node1", "rolled-back", "not-ready"), said
    assert [word for _name, word, _key in words[1:]] == ["paused", "paused"]
    assert "did not answer within 8 s" in report["hosts"][0]["message"]
    assert report["brake"]
    assert containers() == before
    assert answers(inventory.ports["node1"])


def test_another_good_image_takes_its_place_and_can_be_taken_back(inventory, caller, first):
    build("new")
    before = containers()
    inventory(serving_image=made("new"))
    code, said = caller.call("--limit", "node2")
    assert code == 0, said
    assert [each[1] for each in containers().values()] == [image(), made("new"), image()]
    code, said = caller.call("--rollback", "--limit", "node2")
    assert code == 0, said
    assert containers() == before
    assert answers(inventory.ports["node2"])

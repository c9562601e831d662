"""A bare host becomes all of a stack, and serves, in one call; the next call leaves it alone."""

import json
import time
import urllib.error

import pytest

from tests.lab.by_hand import own_digests
from tests.lab.image import why_not
from tests.lab.provisioned import provision_lab
from tests.lab.services import ServedInventory, answer, give_model, served_on, service_image
from tests.provision.provisioning import NEW, STACK, Caller, lines_of

GOOD, BROKEN = "lab-service:good", "lab-service:broken"
PYTHON = "/opt/npudoctor/python/current/bin/python"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    if reason := why_not():
        pytest.skip(reason)
    with provision_lab(tmp_path_factory.mktemp("stack")) as lab:
        lab.packages(STACK)
        service_image(GOOD, lab.packages())
        service_image(BROKEN, lab.packages(), EXIT="no module named vllm")
        lab.boot("bare", docker="real")
        give_model(lab.hosts["bare"])
        yield lab


@pytest.fixture(scope="module")
def inventory(lab):
    return ServedInventory(lab)


@pytest.fixture(scope="module")
def caller(lab, inventory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NPUDOCTOR_DIGESTS", str(own_digests(lab.packages())))
        path = inventory(serving_image=GOOD, npudoctor_domain="rack1")
        yield Caller(path, lab.packages(), lab.folder / "runs", more=())


@pytest.fixture(scope="module")
def first(caller):
    return caller.call()


def test_one_call_brings_all_components_and_verifies_them(lab, caller, first):
    code, said = first
    assert code == 0, said
    report = json.loads((caller.newest() / "report.json").read_text())
    (host,) = report["hosts"]
    assert (host["word"], host["steps"]) == (
        "done",
        [
            "host_tuning", "driver", "firmware", "toolkit", "ops", "nnal", "python_env", "environment",
            "ascend_runtime", "serving",
        ],
    )  # fmt: skip
    assert lab.hosts["bare"].running == NEW
    assert report["staged_bytes"].keys() == {"controller"}


def test_the_python_environment_holds_what_cann_imports(lab, first):
    said = lab.hosts["bare"].run(PYTHON, "-m", "pip", "list", "--format", "json").stdout
    there = {row["name"].lower().replace("_", "-"): row["version"] for row in json.loads(said)}
    assert there["torch-npu"] == "2.8.0.post2"
    assert {"torch", "numpy", "protobuf", "absl-py", "sympy"} <= there.keys()


def test_the_next_call_finds_all_of_it_right_and_starts_no_ansible(caller, first):
    code, said = caller.call()
    assert code == 0, said
    assert caller.words() == {"bare": "converged"}
    assert lines_of(caller.newest() / "journal.jsonl") == 2


def test_the_service_streams_its_answer_out_of_a_container_with_the_npus(lab, inventory, first):
    assert answer(inventory.ports["bare"]) == ["w0 ", "w1 ", "w2 ", "w3 "]
    bare = lab.hosts["bare"]
    inspected = json.loads(bare.run("docker", "inspect", served_on(bare)[0]).stdout)[0]
    devices = {device["PathInContainer"] for device in inspected["HostConfig"]["Devices"]}
    assert {"/dev/davinci0", "/dev/davinci1", "/dev/davinci_manager"} <= devices
    assert not inspected["HostConfig"]["Privileged"]


def test_a_restart_of_the_host_brings_the_service_back(lab, inventory, first):
    bare = lab.hosts["bare"]
    before, boots = served_on(bare), len(bare.boots)
    bare.run("reboot", check=False)
    bare.wait(boots + 1)
    assert answer_within(30, inventory.ports["bare"])
    assert served_on(bare) == before


def answer_within(seconds, port):
    until = time.monotonic() + seconds
    while True:
        try:
            return answer(port)
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def test_a_broken_image_gives_way_to_the_one_that_served(lab, inventory, caller, first):
    before = served_on(lab.hosts["bare"])
    inventory(serving_image=BROKEN, npudoctor_domain="rack1")
    code, said = caller.call()
    assert code == 1, said
    (host,) = json.loads((caller.newest() / "report.json").read_text())["hosts"]
    assert host["word"] == "rolled-back", said
    assert "no module named vllm" in host["message"]
    assert host["after"] == host["before"]
    assert served_on(lab.hosts["bare"]) == before
    assert answer(inventory.ports["bare"])

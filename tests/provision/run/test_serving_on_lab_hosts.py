"""A service on lab hosts, from none to an answer over HTTP: rolled out, taken back, left alone when right."""

import json

import pytest

from tests.lab.image import why_not
from tests.lab.provisioned import provision_lab
from tests.lab.services import ServedInventory, answer, give_model, served_on, service_image
from tests.provision.provisioning import NEW, Caller, lines_of

NAMES = ("node1", "node2", "node3")
FIRST, SECOND, NEVER = (f"lab-service:{what}" for what in ("first", "second", "never"))


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    if reason := why_not():
        pytest.skip(reason)
    with provision_lab(tmp_path_factory.mktemp("serving")) as lab:
        (lab.folder / "packages").mkdir()
        service_image(FIRST, lab.folder / "packages")
        service_image(SECOND, lab.folder / "packages", READY_AFTER="0")
        service_image(NEVER, lab.folder / "packages", READY_AFTER="3600")
        lab.boot(*NAMES, docker="real", **NEW)
        for host in lab.hosts.values():
            give_model(host)
        yield lab


@pytest.fixture(scope="module")
def inventory(lab):
    return ServedInventory(lab)


@pytest.fixture(scope="module")
def caller(lab, inventory):
    more = ("--only", "serving")
    return Caller(inventory(serving_image=FIRST), lab.folder / "packages", lab.folder / "runs", more)


@pytest.fixture(scope="module")
def first(lab, caller):
    return caller.call("--canary", "0", "--max-unavailable", "3")


def containers(lab):
    """Id and image by host."""
    return {name: served_on(host) for name, host in lab.hosts.items()}


def test_one_call_brings_every_host_to_a_service_that_answers(inventory, caller, first):
    code, said = first
    assert code == 0, said
    assert caller.words() == dict.fromkeys(NAMES, "done")
    assert all(answer(port) for port in inventory.ports.values())
    assert "node1: starts the service and waits up to 20 s until it answers" in said


def test_hosts_that_serve_it_already_cost_one_reading(lab, caller, first):
    before = containers(lab)
    code, said = caller.call()
    assert code == 0, said
    assert caller.words() == dict.fromkeys(NAMES, "converged")
    assert lines_of(caller.newest() / "journal.jsonl") == 2
    assert containers(lab) == before


def test_an_image_that_is_never_ready_stops_at_the_first_host_which_serves_as_before(
    lab, inventory, caller, first
):
    before = containers(lab)
    inventory(serving_image=NEVER, serving_ready_seconds=8)
    code, said = caller.call("--max-failed", "1")
    report = json.loads((caller.newest() / "report.json").read_text())
    assert code == 1, said
    words = [(host["name"], host["word"], host["key"]) for host in report["hosts"]]
    assert words[0] == ("node1", "rolled-back", "not-ready"), said
    assert [word for _name, word, _key in words[1:]] == ["paused", "paused"]
    assert "did not answer within 8 s" in report["hosts"][0]["message"]
    assert report["brake"]
    assert containers(lab) == before
    assert answer(inventory.ports["node1"])


def test_another_good_image_takes_its_place_and_can_be_taken_back(lab, inventory, caller, first):
    before = containers(lab)
    inventory(serving_image=SECOND)
    code, said = caller.call("--limit", "node2")
    assert code == 0, said
    assert [image for _id, image in containers(lab).values()] == [FIRST, SECOND, FIRST]
    code, said = caller.call("--rollback", "--limit", "node2")
    assert code == 0, said
    assert containers(lab) == before
    assert answer(inventory.ports["node2"])


def test_it_can_be_taken_back_with_an_inventory_that_wants_the_old_setting_again(
    lab, inventory, caller, first
):
    before = containers(lab)
    inventory(serving_image=FIRST, serving_shm_size="65m")
    code, said = caller.call("--limit", "node3")
    assert code == 0, said
    assert containers(lab)["node3"] != before["node3"]
    inventory(serving_image=FIRST)
    code, said = caller.call("--rollback", "--limit", "node3")
    assert code == 0, said
    assert caller.words() == {"node3": "rolled-back"}
    assert containers(lab) == before
    assert answer(inventory.ports["node3"])
    code, said = caller.call("--rollback", "--limit", "node3")
    assert code == 0, said
    assert "what the last run had changed is back already" in said

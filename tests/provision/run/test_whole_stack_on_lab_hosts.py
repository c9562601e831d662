"""A bare host becomes all of a stack in one call, and the next call leaves it alone."""

import json

import pytest

from tests.lab.by_hand import own_digests
from tests.lab.image import why_not
from tests.lab.provisioned import provision_lab
from tests.provision.provisioning import NEW, STACK, Caller, lines_of

PYTHON = "/opt/npudoctor/python/current/bin/python"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    if reason := why_not():
        pytest.skip(reason)
    with provision_lab(tmp_path_factory.mktemp("stack")) as lab:
        lab.packages(STACK)
        lab.boot("bare", docker="24.0.7")
        yield lab


@pytest.fixture(scope="module")
def caller(lab):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NPUDOCTOR_DIGESTS", str(own_digests(lab.packages())))
        inventory = lab.inventory()
        inventory.write_text(inventory.read_text().replace("vars: {", "vars: {npudoctor_domain: rack1, "))
        yield Caller(inventory, lab.packages(), lab.folder / "runs", more=())


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
            "ascend_runtime",
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

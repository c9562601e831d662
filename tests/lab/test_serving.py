"""The module `serving` on a real Docker engine, with a real HTTP service in the container."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.accept.load import served
from tests.lab.image import image, why_not
from tests.provision.collection.calling import call_with_own_programs

pytestmark = pytest.mark.skipif(why_not() is not None, reason=why_not() or "")
NODES = ("davinci0", "davinci1", "davinci_manager", "devmm_svm", "hisi_hdc")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A host: device nodes that Docker can map, the driver's files, a model."""
    for node in NODES:
        path = tmp_path / "dev" / node
        path.parent.mkdir(exist_ok=True)
        os.mknod(path, 0o660 | 0o020000, os.makedev(1, 3))
    driver = tmp_path / "usr/local/Ascend/driver"
    (driver / "lib64").mkdir(parents=True)
    (driver / "version.info").write_text("Version=25.5.0\n")
    model = tmp_path / "models/tiny"
    model.mkdir(parents=True)
    for name, text in (("config.json", "{}"), ("tokenizer.json", "{}"), ("model.safetensors", "weights")):
        (model / name).write_text(text)
    return tmp_path


@pytest.fixture
def serve(root: Path):
    """`serve(environment=…)`: the module's answer; its containers go with the test."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    name = f"npudoctor-lab-serving-{port}"

    def run(check: bool = False, **more: Any) -> dict[str, Any]:
        given = {
            "name": name,
            "image": image(),
            "command": ["python3", "/served.py", str(port)],
            "volumes": [f"{served.__file__}:/served.py:ro"],
            "host_network": True,
            "port": port,
            "model": "/models/tiny",
            "shm_size": "64m",
            "ready_seconds": 20,
            "stop_seconds": 0,
        }
        return call_with_own_programs("serving", root, check, **{**given, **more})

    run.name = name  # type: ignore[attr-defined]
    run.port = port  # type: ignore[attr-defined]
    yield run
    subprocess.run(["docker", "rm", "-f", name, f"{name}-previous"], capture_output=True, check=False)


def inspected(name: str) -> dict[str, Any]:
    """What Docker says of a container; empty where there is none."""
    done = subprocess.run(["docker", "container", "inspect", name], capture_output=True, check=False)
    found: dict[str, Any] = json.loads(done.stdout)[0] if not done.returncode else {}
    return found


def test_a_service_starts_is_ready_and_a_second_run_changes_nothing(serve):
    predicted = serve(check=True)
    assert predicted["changed"], predicted.get("msg")
    assert not inspected(serve.name)
    first = serve()
    assert first["changed"], first
    assert first["after"]["ready"]
    container = inspected(serve.name)["Id"]
    assert not serve()["changed"]
    assert inspected(serve.name)["Id"] == container
    assert not serve(verb="verify")["failed"]


def test_it_has_the_npus_the_driver_and_the_model_and_is_not_privileged(serve):
    serve()
    host = inspected(serve.name)["HostConfig"]
    assert [device["PathInContainer"] for device in host["Devices"]] == [f"/dev/{node}" for node in NODES]
    mounts = {mount["Destination"]: mount["RW"] for mount in inspected(serve.name)["Mounts"]}
    assert mounts["/model"] is False
    assert mounts["/usr/local/Ascend/driver/version.info"] is False
    assert "/usr/local/bin/npu-smi" not in mounts  # the host has none: Docker would make a folder there
    assert (host["Privileged"], host["CapAdd"]) == (False, None)
    assert host["RestartPolicy"]["Name"] == "unless-stopped"
    assert host["LogConfig"]["Config"] == {"max-file": "5", "max-size": "100m"}
    assert {"Name": "stack", "Soft": 33554432, "Hard": 33554432} in host["Ulimits"]


def test_other_settings_make_another_container_and_the_old_one_is_kept(serve):
    serve()
    old = inspected(serve.name)["Id"]
    answer = serve(environment={"OMP_NUM_THREADS": "1"})
    assert [each["what"] for each in answer["differences"]] == ["serving.environment"]
    assert inspected(serve.name)["Id"] != old
    kept = inspected(f"{serve.name}-previous")
    assert (kept["Id"], kept["State"]["Running"]) == (old, False)


def test_one_that_does_not_become_ready_gives_way_to_the_old_one(serve):
    serve()
    old = inspected(serve.name)["Id"]
    answer = serve(environment={"READY_AFTER": "60"}, ready_seconds=3)
    assert answer["failed"]
    assert answer["blockers"][0]["key"] == "not-ready"
    assert "serves again" in answer["msg"]
    assert inspected(serve.name)["Id"] == old
    assert not serve()["changed"]


def test_one_that_ends_is_not_waited_for_and_its_last_words_are_told(serve):
    serve()
    answer = serve(environment={"EXIT": "NPU out of memory"}, restart_policy="no", ready_seconds=600)
    assert "RuntimeError: NPU out of memory" in answer["msg"]
    assert "NPU out of memory" in Path(answer["log"]).read_text()
    assert not serve()["changed"]


def test_one_that_is_healthy_but_answers_no_request_gives_way_too(serve):
    serve()
    answer = serve(environment={"FAIL_EVERY": "1"})
    assert "/v1/completions answers 500" in answer["msg"]
    assert not serve()["changed"]


def test_a_first_service_that_fails_leaves_nothing_behind(serve):
    assert serve(environment={"EXIT": "no"}, restart_policy="no")["failed"]
    assert not inspected(serve.name)


def test_undo_brings_the_one_before_back_and_then_removes_what_came(serve):
    serve()
    old = inspected(serve.name)["Id"]
    serve(shm_size="32m")
    assert serve(verb="undo", check=True)["changed"]
    assert inspected(serve.name)["Id"] != old
    assert serve(verb="undo")["changed"]
    assert (inspected(serve.name)["Id"], inspected(serve.name)["State"]["Running"]) == (old, True)
    assert not serve(verb="undo")["changed"]


def test_undo_of_a_first_service_removes_it(serve):
    serve()
    assert serve(verb="undo")["changed"]
    assert not inspected(serve.name)


def test_a_run_that_was_cut_off_is_taken_up_again(serve):
    serve()
    subprocess.run(["docker", "stop", "-t", "1", serve.name], capture_output=True, check=True)
    subprocess.run(["docker", "rename", serve.name, f"{serve.name}-previous"], check=True)
    assert serve(shm_size="32m")["after"]["ready"]
    assert inspected(f"{serve.name}-previous")


def test_a_subset_of_the_npus_can_be_chosen_and_dies_of_an_a3_only_in_pairs(serve):
    answer = serve(devices=[1], chip="A3")
    assert answer["blockers"][0]["key"] == "die-without-twin"
    serve(devices=[1])
    paths = [device["PathInContainer"] for device in inspected(serve.name)["HostConfig"]["Devices"]]
    assert paths == ["/dev/davinci1", "/dev/davinci_manager", "/dev/devmm_svm", "/dev/hisi_hdc"]
    assert "twin" in serve(devices=[1], chip="A3", verb="verify")["msg"]
    assert not serve(devices=[0, 1], chip="A3")["failed"]


@pytest.mark.parametrize(
    ("break_", "key"),
    [
        (lambda root: (root / "models/tiny/tokenizer.json").unlink(), "model-incomplete"),
        (
            lambda root: (root / "models/tiny/a-00001-of-00002.safetensors").write_text("x"),
            "model-incomplete",
        ),
        (
            lambda root: (root / "models/tiny/model.safetensors").write_text(
                "version https://git-lfs.github.com/spec/v1\n"
            ),
            "model-incomplete",
        ),
        (lambda root: (root / "dev/hisi_hdc").unlink(), "no-driver"),
        (lambda root: [(root / "dev" / f"davinci{n}").unlink() for n in (0, 1)], "no-npu"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_stopped(serve, root, break_, key):
    serve()
    before = inspected(serve.name)
    break_(root)
    answer = serve(shm_size="32m")
    assert answer["blockers"][0]["key"] == key
    assert inspected(serve.name)["Id"] == before["Id"]
    assert inspected(serve.name)["State"]["Running"]


def test_an_image_that_is_nowhere_is_a_blocker(serve):
    assert serve(image="npudoctor-lab/no-such:1")["blockers"][0]["key"] == "image-missing"


def test_weights_that_the_user_of_the_container_may_not_read_are_told(serve, root):
    (root / "models/tiny/model.safetensors").chmod(0o600)
    answer = serve(user="1000:1000")
    assert "may not be read by user 1000" in answer["msg"]

"""The module `serving` on a real Docker engine, with a real HTTP service in the container."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from npudoctor.matrix import load_matrix
from npudoctor.matrix.stacks import load_stack
from npudoctor.provision.plan.serving import SETTINGS, wanted_spec
from tests.accept.load import served
from tests.lab.image import image, why_not
from tests.provision.collection.calling import UTILS, call_with_own_programs, with_collections
from tests.weights import safetensors

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
    for name in ("config.json", "tokenizer.json"):
        (model / name).write_text("{}")
    (model / "model.safetensors").write_bytes(safetensors(7))
    return tmp_path


@pytest.fixture
def serve(root: Path, monkeypatch):
    """`serve(environment=…)`: the module's answer; its containers go with the test."""
    with_collections()
    monkeypatch.setattr(f"{UTILS}.serving_component._POLL", 0.1)
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
    assert_it_has_what_it_needs_and_is_not_privileged(serve)


def assert_it_has_what_it_needs_and_is_not_privileged(serve):
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


def test_other_settings_make_another_container_and_undo_brings_the_old_one_back(serve):
    serve()
    old = inspected(serve.name)["Id"]
    answer = serve(environment={"OMP_NUM_THREADS": "1"})
    assert [each["what"] for each in answer["differences"]] == ["serving.environment"]
    assert inspected(serve.name)["Id"] != old
    kept = inspected(f"{serve.name}-previous")
    assert (kept["Id"], kept["State"]["Running"]) == (old, False)
    assert serve(verb="undo", check=True)["changed"]
    assert inspected(serve.name)["Id"] != old
    assert serve(verb="undo")["changed"]
    assert (inspected(serve.name)["Id"], inspected(serve.name)["State"]["Running"]) == (old, True)
    assert not serve(verb="undo")["changed"]


def test_one_that_is_not_ready_or_ends_or_answers_no_request_gives_way_to_the_old_one(serve):
    serve()
    old = inspected(serve.name)["Id"]
    late = serve(environment={"READY_AFTER": "60"}, ready_seconds=3)
    assert late["blockers"][0]["key"] == "not-ready"
    assert "/health did not answer within 3 s" in late["msg"]
    assert "serves again" in late["msg"]
    ended = serve(environment={"EXIT": "NPU out of memory"}, restart_policy="no", ready_seconds=600)
    assert "RuntimeError: NPU out of memory" in ended["msg"]
    assert "NPU out of memory" in Path(ended["log"]).read_text()
    assert "/v1/completions answers 500" in serve(environment={"FAIL_EVERY": "1"})["msg"]
    assert inspected(serve.name)["Id"] == old
    assert not serve()["changed"]


def test_verify_waits_for_a_service_that_is_still_within_its_time(serve):
    serve()
    subprocess.run(["docker", "restart", "-t", "0", serve.name], capture_output=True, check=True)
    assert not serve(verb="verify")["failed"]
    subprocess.run(["docker", "stop", "-t", "0", serve.name], capture_output=True, check=True)
    assert "serving.state is exited, wanted running" in serve(verb="verify")["msg"]


def test_a_memory_plan_adds_what_is_not_given_by_hand_and_refuses_what_does_not_fit(serve):
    plan = {"fits": True, "environment": {"ASCEND_MEMORY_POOL_SIZE": "53", "OMP_NUM_THREADS": "8"}}
    first = serve(memory_plan=plan, environment={"OMP_NUM_THREADS": "1"})
    assert not first["failed"], first
    variables = inspected(serve.name)["Config"]["Env"]
    assert {"ASCEND_MEMORY_POOL_SIZE=53", "OMP_NUM_THREADS=1"} <= {*variables}
    refused = serve(memory_plan={"fits": False}, shm_size="32m")
    assert refused["blockers"][0]["key"] == "model-too-large"


def test_the_controller_knows_what_the_container_was_made_from(serve):
    stack = load_stack(load_matrix(), "a2-cann8.5.0-vllm0.13.0")
    serve()
    spec = json.loads(inspected(serve.name)["Config"]["Labels"]["npudoctor.serving"])
    given = {f"serving_{name}": spec[name] for name in SETTINGS}
    assert {*spec} == {*SETTINGS, "devices", "mounts"}
    assert wanted_spec(json.dumps(given), stack) == {name: plain(spec[name]) for name in SETTINGS}


def plain(value: Any) -> Any:
    """As the controller compares it: by words, but for yes and no."""
    if isinstance(value, bool | list | dict):
        return value
    return str(value)


def test_a_first_service_that_fails_leaves_nothing_behind(serve):
    assert serve(environment={"EXIT": "no"}, restart_policy="no")["failed"]
    assert not inspected(serve.name)


def test_one_that_docker_cannot_start_leaves_nothing_behind_and_gives_way_to_the_old_one(serve):
    wrong = {"command": ["/no/such/program"]}
    assert "docker run" in serve(**wrong)["msg"]
    assert not inspected(serve.name)
    serve()
    old = inspected(serve.name)["Id"]
    assert "docker run" in serve(**wrong)["msg"]
    assert (inspected(serve.name)["Id"], inspected(serve.name)["State"]["Running"]) == (old, True)


def test_one_that_was_never_started_is_no_place_to_go_back_to(serve):
    subprocess.run(
        ["docker", "create", "--name", serve.name, image(), "true"], capture_output=True, check=True
    )
    assert serve()["after"]["ready"]
    assert serve(verb="undo")["changed"]
    assert not inspected(serve.name)


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


def test_what_is_wrong_is_said_before_anything_is_stopped(serve, root):
    serve()
    before = inspected(serve.name)
    model = root / "models/tiny"
    pointer = "version https://git-lfs.github.com/spec/v1\n"
    for key, broken in {
        "model-incomplete": [
            (model / "tokenizer.json", None),
            (model / "a-00001-of-00002.safetensors", "x"),
            (model / "model.safetensors", pointer),
        ],
        "no-driver": [(root / "dev/hisi_hdc", None)],
        "no-npu": [(root / "dev/davinci0", None)],
    }.items():
        for path, text in broken:
            with changed(path, text):
                answer = serve(shm_size="32m", devices=[0])
            assert answer["blockers"][0]["key"] == key, path
    after = inspected(serve.name)
    assert (after["Id"], after["State"]["Running"]) == (before["Id"], True)


@contextlib.contextmanager
def changed(path: Path, text: str | None):
    """A file with another text, or gone; as it was afterwards."""
    kept = path.with_name("kept")
    if path.exists():
        path.rename(kept)
    if text is not None:
        path.write_text(text)
    yield
    path.unlink(missing_ok=True)
    if kept.exists():
        kept.rename(path)


def test_an_image_that_is_nowhere_is_a_blocker(serve):
    assert serve(image="npudoctor-lab/no-such:1")["blockers"][0]["key"] == "image-missing"


def test_weights_that_the_user_of_the_container_may_not_read_are_told(serve, root):
    (root / "models/tiny/model.safetensors").chmod(0o600)
    answer = serve(user="1000:1000")
    assert "may not be read by user 1000" in answer["msg"]

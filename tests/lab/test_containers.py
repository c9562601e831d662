"""Real containers on a simulated Ascend host: each fault is found by its check, and nothing on a good one."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("docker", reason="not on this machine: the docker package")

from docker.types import Ulimit

from npudoctor.collect.bundle import read_bundle
from npudoctor.collect.container import Engine
from npudoctor.collect.write import write_bundle
from npudoctor.errors import IncompleteError, UsageError
from tests.lab.containers import (
    MOUNTS,
    PROGRAM,
    RUNTIMES,
    DockerHost,
    docker_host,
    findings_of,
    missing,
    nodes,
)

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"not on this machine: {missing()}")

OF_THE_MACHINE = ("pcie.", "kernel.", "limits.open_files", "network.ports", "memory.", "storage.")
"""What is true of the machine that the tests run on, whatever a container is like."""
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def host() -> Iterator[DockerHost]:
    scratch = tempfile.TemporaryDirectory(prefix="npu", dir="/tmp", ignore_cleanup_errors=True)
    with scratch as folder, docker_host(Path(folder)) as started:
        yield started


@pytest.fixture(autouse=True)
def clean(host) -> Iterator[None]:
    yield
    host.clear()


AS_IT_IS = {"entrypoint": [], "environment": ["LD_LIBRARY_PATH=/cann"]}
"""No script first, which the container could not run; the image's environment is said to be right."""


def volumes(*others: str, without: tuple[str, ...] = ()) -> list[str]:
    return [f"{path}:{path}:ro" for path in MOUNTS if path not in without] + list(others)


def commands_of(container: Any) -> list[str]:
    """The command lines that run inside."""
    return [row[-1] for row in container.top()["Processes"]]


def test_a_good_container_is_well_as_its_host_sees_it(host):
    host.start()

    assert host.judge() == {}


def test_and_as_it_is_from_within(host):
    host.start()

    found = {id: one for id, one in host.judge("serve").items() if not id.startswith(OF_THE_MACHINE)}

    assert {id: one.actual for id, one in found.items()} == {}


def test_two_good_containers_are_well_beside_each_other(host):
    host.start("first", (0, 1))
    host.start("second", (2, 3))

    assert host.judge() == {}


RUNTIME = {"runtime": "ascend", "devices": [], "volumes": []}
SMALL = {"ulimits": [Ulimit(name="stack", soft=8 << 20, hard=64 << 20)]}
WHOLE = {**AS_IT_IS, "volumes": ["/usr/local/Ascend:/usr/local/Ascend"]}
FAULTS = [
    ("devices", "fail", "davinci_manager", {"devices": nodes(0, without=("davinci_manager",))}),
    ("devices", "fail", "devmm_svm", {"devices": nodes(0, without=("devmm_svm",))}),
    ("devices", "fail", "hisi_hdc", {"devices": nodes(0, without=("hisi_hdc",))}),
    ("devices", "warn", "only rw", {"devices": nodes(0, permissions="rw")}),
    (
        "devices",
        "fail",
        "mounted as a volume",
        {"devices": nodes(), "volumes": volumes("/dev/davinci0:/dev/davinci0")},
    ),
    ("driver_mounts", "fail", "the driver is not mounted", {"volumes": volumes(without=MOUNTS[:1])}),
    ("driver_mounts", "warn", "dcmi not mounted", {"volumes": volumes(without=("/usr/local/dcmi",))}),
    ("driver_mounts", "warn", "mounts the whole /usr/local/Ascend", WHOLE),
    (
        "visible_devices",
        "fail",
        "without the Ascend runtime maps nothing",
        {"devices": [], "volumes": [], "environment": ["ASCEND_VISIBLE_DEVICES=0"]},
    ),
    (
        "visible_devices",
        "fail",
        "the host has no NPU 9",
        {**RUNTIME, "environment": ["ASCEND_VISIBLE_DEVICES=0,9"]},
    ),
    ("visible_devices", "warn", "is not given 1", {"environment": ["ASCEND_VISIBLE_DEVICES=0-1"]}),
    (
        "visible_devices",
        "fail",
        "index 3 of 1 mapped NPUs",
        {"devices": nodes(3), "environment": ["ASCEND_RT_VISIBLE_DEVICES=3"]},
    ),
    ("shm", "fail", "64 MB for several NPUs", {"devices": nodes(0, 1), "shm_size": "64m"}),
    ("stack", "fail", "8192 KB", SMALL),
    ("access", "warn", "not in the group", {**AS_IT_IS, "user": "1001:1001"}),
    ("access", "fail", "without CAP_DAC_OVERRIDE", {"cap_drop": ["ALL"]}),
    ("entrypoint", "warn", "runs without set_env.sh", {"entrypoint": ["sleep"], "command": ["1000"]}),
    ("restart", "warn", "no restart policy", {"restart_policy": None}),
]


@pytest.mark.parametrize(("name", "status", "words", "settings"), FAULTS, ids=[row[2] for row in FAULTS])
def test_each_fault_is_found_and_no_other_one(host, name, status, words, settings):
    host.start(**settings)

    found = host.judge()

    assert {one.id: one.status for one in found.values()} == {f"container.{name}": status}
    assert words in found[f"container.{name}"].actual


def test_one_npu_in_two_containers_is_found(host):
    host.start("first", (0, 1))
    host.start("second", (1, 2))

    found = host.judge()

    assert list(found) == ["container.devices"]
    assert "first: davinci1 also given to second" in found["container.devices"].actual


def test_a_privileged_container_beside_another_is_found(host):
    host.start()
    host.start("wide", (1,), privileged=True, runtime="modest")

    assert {id: one.actual for id, one in host.judge().items()} == {
        "container.privileged": "wide: privileged: opens every NPU"
    }


def test_half_a_module_of_an_a3_is_found(host):
    host.write("/usr/local/host.yaml", "npus: 4\nchip: Ascend910_9392\npci: d803\n")
    try:
        host.start()
        found = host.judge()
    finally:
        host.write("/usr/local/host.yaml", "npus: 4\n")

    assert "davinci0 without the other die" in found["container.devices"].actual


def test_the_folder_that_docker_makes_of_a_missing_file_is_found(host):
    host.start(volumes=volumes("/etc/hccn.conf:/etc/hccn.conf:ro"))
    try:
        found = host.judge()
    finally:
        host.clear()
        host.run("rmdir", "/etc/hccn.conf")

    assert {one.id: one.status for one in found.values()} == {"container.mount_sources": "fail"}
    assert "/etc/hccn.conf is a folder" in found["container.mount_sources"].actual


PAIRING, GLIBC = "container.host_driver_pairing", "container.glibc"


@pytest.mark.parametrize(
    ("tag", "id", "status", "words"),
    [
        ("quay.io/ascend/cann:9.1.0-910b-openeuler24.03-py3.11", PAIRING, "fail", "CANN 9.1.0"),
        ("quay.io/ascend/vllm-ascend:v0.23.0-openeuler", PAIRING, "fail", "CANN 9.1.0"),
        ("quay.io/ascend/cann:8.2.rc1-910b-ubuntu22.04-py3.11", GLIBC, "warn", "glibc 2.35"),
    ],
)
def test_an_image_that_does_not_go_with_its_host_is_found(host, tag, id, status, words):
    host.build(tag)
    host.start(image=tag)

    found = host.judge()

    assert found[id].status == status
    assert words in found[id].actual


class TestRuntime:
    @pytest.fixture(autouse=True)
    def restored(self, host):
        yield
        host.reload(*RUNTIMES["runtimes"])

    def test_a_program_that_is_gone(self, host):
        host.run("mv", PROGRAM, f"{PROGRAM}.gone")
        try:
            assert host.judge()["container.runtime"].status == "fail"
        finally:
            host.run("mv", f"{PROGRAM}.gone", PROGRAM)

    def test_installed_and_not_registered(self, host):
        host.reload("modest")

        found = host.judge()["container.runtime"]

        assert (found.status, found.expected) == ("warn", "registered as a runtime")

    def test_registered_and_not_loaded(self, host):
        host.reload("modest")
        host.write("/etc/docker/daemon.json", json.dumps(RUNTIMES))

        assert "not in docker info" in host.judge()["container.runtime"].actual

    def test_a_configuration_that_is_no_json(self, host):
        host.write("/etc/docker/daemon.json", '{"runtimes": {,}}')

        assert host.judge()["container.engine_config"].status == "fail"


class TestOneContainer:
    def test_what_is_inside_counts_before_what_the_image_is_called(self, host):
        host.build("app:1")
        host.start(image="app:1")

        assert "container.host_driver_pairing" in host.judge()
        assert "container.host_driver_pairing" not in host.judge("serve")

    def test_the_environment_of_its_first_process_is_judged(self, host):
        host.start(environment=["ASCEND_LAUNCH_BLOCKING=1"])

        assert "env.launch_blocking" in host.judge("serve")

    def test_its_own_limits_are_judged(self, host):
        host.start(**SMALL)

        assert host.judge("serve")["limits.stack"].actual == "8192 KB"

    def test_another_container_with_its_npu_is_seen(self, host):
        host.start("serve", (0,))
        host.start("other", (0,))

        assert host.judge("serve")["container.devices"].actual == "serve: davinci0 also given to other"

    @pytest.mark.parametrize("state", ["exited", "paused"])
    def test_of_one_that_does_not_run_the_settings_are_judged(self, host, state):
        started = host.start(devices=nodes(0, without=("hisi_hdc",)))
        started.stop(timeout=0) if state == "exited" else started.pause()

        snapshot = host.inside("serve")
        found = findings_of(snapshot)

        assert snapshot.problems == (f"container serve is {state}: nothing inside can be read",)
        assert found["container.devices"].status == "fail"
        assert found["cann.installed"].status == "unknown"

    def test_of_one_without_a_shell_too(self, host):
        host.build("bare:1", without=("sh", "ash", "entrypoint.sh"))
        host.start(image="bare:1")

        assert host.inside("serve").problems == (
            "container serve has no /bin/sh: nothing inside can be read",
        )

    def test_a_tool_that_hangs_costs_its_own_answer_only(self, host):
        slow = "#!/bin/sh\nsleep 100\n"
        host.build("slow:1", **{"usr/local/bin/npu-smi": slow})
        host.start(image="slow:1", volumes=volumes(without=("/usr/local/bin/npu-smi",)))

        snapshot = host.inside("serve", timeout=1)

        assert snapshot.problems == ()
        assert snapshot.entries["commands/npu-smi_info"].state == "timeout"

    def test_nothing_of_it_is_left_inside(self, host):
        started = host.start()

        host.inside("serve")

        until = time.monotonic() + 3
        while (left := commands_of(started)) != ["sleep 1000"] and time.monotonic() < until:
            time.sleep(0.1)
        assert left == ["sleep 1000"]
        assert not [row["Path"] for row in started.diff() or () if "npudoctor" in row["Path"]]

    def test_the_start_of_an_id_will_do(self, host):
        started = host.start()

        assert host.inside(started.id[:12]).name == "serve"

    def test_its_bundle_gives_the_same_verdicts(self, host, tmp_path):
        host.start(environment=["ASCEND_LAUNCH_BLOCKING=1"], cap_drop=["ALL"])
        snapshot = host.inside("serve")

        write_bundle(snapshot, tmp_path / "b.tar.gz")

        again = findings_of(read_bundle(tmp_path / "b.tar.gz"))
        assert {id: one.status for id, one in again.items()} == {
            id: one.status for id, one in findings_of(snapshot).items()
        }


class TestEngine:
    def test_a_name_that_is_not_there_names_those_that_are(self, host):
        host.start()
        engine = Engine(host.socket)

        with pytest.raises(UsageError, match="there is no container sevre; there are: serve"):
            engine.find("sevre")
        engine.close()

    def test_an_engine_that_is_not_there_is_one_line(self, tmp_path):
        with pytest.raises(IncompleteError, match="no container engine answers"):
            Engine(f"unix://{tmp_path}/none.sock")

    def test_nor_may_everybody_ask_it(self, host):
        os.seteuid(65534)
        try:
            with pytest.raises(IncompleteError, match="may not be asked by this user"):
                Engine(host.socket)
        finally:
            os.seteuid(0)


def test_the_command_judges_a_container(host):
    host.start(cap_drop=["ALL"])

    environment = {**os.environ, "DOCKER_HOST": "unix:///run/docker.sock", "PYTHONPATH": str(ROOT)}
    arguments = ("check", "--container", "serve", "--only", "container", "--format", "json")

    done = host.run(sys.executable, "-m", "npudoctor", *arguments, env=environment, check=False)

    (told,) = json.loads(done.stdout)["hosts"]
    assert (done.returncode, told["name"], told["source"], told["error"]) == (1, "serve", "container", None)
    assert [one["id"] for one in told["findings"] if one["status"] == "fail"] == ["container.access"]

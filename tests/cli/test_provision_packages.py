"""`npudoctor provision packages` and `npudoctor provision store`, as a user runs them."""

import json
import os
import signal
import subprocess
import sys
import tarfile
import time

import pytest

from tests.provision.packages.factory import STACK, fill, run_package
from tests.provision.packages.server import Served

RUNTIME = "Ascend-docker-runtime_26.1.0_linux-aarch64.run"
WHOLE = "a2-cann9.1.0-torch2.12.0"
"""A stack whose container runtime has no published digest either: a folder can be whole for it."""
WHOLE_RUNS = (
    "Ascend-hdk-910b-npu-driver_26.0.rc1_linux-aarch64.run",
    "Ascend-hdk-910b-npu-firmware_9.0.0.0.205.run",
    "Ascend-cann-toolkit_9.1.0_linux-aarch64.run",
    "Ascend-cann-910b-ops_9.1.0_linux-aarch64.run",
    "Ascend-cann-nnal_9.1.0_linux-aarch64.run",
    RUNTIME,
)


@pytest.fixture
def run(npudoctor, tmp_path):
    """`run("packages", …)`: with a home of its own, and no way out to the network."""

    def provision(*arguments, **options):
        environment = {
            "HOME": str(tmp_path / "home"),
            "https_proxy": "http://127.0.0.1:9",
            "no_proxy": "127.0.0.1",
            **options.pop("env", {}),
        }
        return npudoctor("provision", *arguments, env=environment, **options)

    return provision


@pytest.fixture
def folder(tmp_path):
    return fill(tmp_path / "packages", WHOLE_RUNS)


@pytest.fixture
def served(folder):
    server = Served(folder)
    yield server
    server.close()


def test_a_whole_folder_exits_with_0_and_says_who_vouches(run, folder):
    ended = run("packages", "--stack", WHOLE, "--packages", folder)

    assert ended.returncode == 0
    assert f"{WHOLE} on aarch64" in ended.stdout
    assert "its own checksum" in ended.stdout
    assert ended.stdout.splitlines()[-1] == "all that is needed is there"


def test_what_is_missing_is_named_with_where_it_is_published(run, folder):
    (folder / WHOLE_RUNS[2]).unlink()
    ended = run("packages", "--stack", WHOLE, "--packages", folder, "--arch", "aarch64")

    assert ended.returncode == 1
    assert f"missing             {WHOLE_RUNS[2]}" in ended.stdout
    assert (
        f"published at https://ascend-repo.obs.cn-east-2.myhuaweicloud.com/CANN/CANN%209.1.0/{WHOLE_RUNS[2]}"
        in ended.stdout
    )


def test_all_but_urls_fits_100_columns(run, folder, tmp_path):
    (folder / WHOLE_RUNS[2]).unlink()
    wheel = "torch_npu-2.12.0-cp312-cp312-manylinux_2_28_aarch64.whl"
    (folder / wheel).write_bytes(b"")
    listed = run("packages", "--stack", WHOLE, "--packages", folder, "--arch", "aarch64").stdout
    built = run("store", "build", "--stack", WHOLE, "--packages", folder, "--output", tmp_path / "store",
                "--allow-missing", "--arch", "aarch64").stdout  # fmt: skip

    assert "vouched for by: its own checksum" in listed
    lines = [
        line for line in (listed + built).splitlines() if "://" not in line and str(tmp_path) not in line
    ]
    assert len(lines) > 2 * len(WHOLE_RUNS)
    assert max(map(len, lines)) <= 100


def test_a_damaged_one_is_named(run, folder):
    (folder / WHOLE_RUNS[0]).write_bytes((folder / WHOLE_RUNS[0]).read_bytes()[:-9])
    ended = run("packages", "--stack", WHOLE, "--packages", folder)

    assert ended.returncode == 1
    assert "it is cut off: 9 bytes are missing" in ended.stdout


def test_as_json_it_is_what_the_playbooks_take(run, folder):
    content = json.loads(run("packages", "--stack", WHOLE, "--packages", folder, "--format", "json").stdout)

    assert content["schema"] == "npudoctor.packages/1"
    assert content["npudoctor_stack"]["versions"]["driver"] == "26.0.rc1"
    assert content["npudoctor_sources"] == [f"file://{folder}"]
    assert [one["name"] for one in content["npudoctor_packages"]["driver"]] == [WHOLE_RUNS[0]]
    driver = next(one for one in content["needed"] if one["component"] == "driver")
    assert (driver["state"], driver["proof"], driver["arch"], driver["chip"]) == (
        "found",
        "itself",
        "aarch64",
        "910B",
    )
    assert driver["size_bytes"] == (folder / WHOLE_RUNS[0]).stat().st_size


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("packages",), "--stack"),
        (("packages", "--stack", "nothing", "--packages", "."), "there is no stack nothing"),
        (("packages", "--stack", STACK), "not there"),
        (("packages", "--stack", STACK, "--packages", "nowhere"), "nowhere: not there"),
        (("packages", "--stack", STACK, "--packages", ".", "--arch", "riscv"), "no such architecture"),
        (("packages", "--stack", STACK, "--packages", ".", "--format", "html"), "no format html"),
        (("packages", "--stack", STACK, "--packages", "http://127.0.0.1:9/", "--fetch"), "needs a folder"),
        (
            ("packages", "--stack", "a2-cann8.5.1-vllm0.18.0", "--packages", ".", "--arch", "x86_64"),
            "aarch64 alone",
        ),
        (("store", "build", "--packages", ".", "--output", "s"), "needs a stack or a plan"),
        (
            ("store", "build", "--plan", "nowhere", "--packages", ".", "--output", "s"),
            "nowhere: No such file",
        ),
        (("store", "verify", "nowhere"), "No such file"),
        (
            ("store", "build", "--stack", STACK, "--packages", ".", "--output", "s", "--ca", "n"),
            "no certificate",
        ),
        (("store", "import", "nowhere", "--output", "s"), "nowhere: not there"),
        (("stor",), "did you mean store"),
    ],
)
def test_wrong_usage_is_one_line_and_2(run, arguments, said):
    ended = run(*arguments)

    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_mirror_that_is_down_is_incomplete(run):
    ended = run("packages", "--stack", WHOLE, "--packages", "http://127.0.0.1:9/")

    assert ended.returncode == 3
    assert "check the network, or carry the file over by hand" in ended.stderr


def test_fetch_without_a_network_names_each_file_and_exits_as_missing(run, tmp_path):
    ended = run("packages", "--stack", WHOLE, "--packages", tmp_path / "new", "--fetch", "--arch", "aarch64")

    assert ended.returncode == 1
    assert ended.stderr.count("carry the file over by hand") >= 4
    assert [*(tmp_path / "new").iterdir()] == []


def test_from_a_folder_to_the_site_and_back(run, folder, tmp_path):
    built = run("store", "build", "--stack", WHOLE, "--packages", folder, "--output", tmp_path / "store")
    digest = built.stdout.split()[-1]
    with tarfile.open(tmp_path / "store.tar", "w") as tar:
        tar.add(tmp_path / "store", arcname=".")
    taken = run("store", "import", tmp_path / "store.tar", "--output", tmp_path / "site", "--sha256", digest)
    verified = run("store", "verify", tmp_path / "site")

    assert [one.returncode for one in (built, taken, verified)] == [0, 0, 0]
    assert verified.stdout.startswith("6 packages, ")
    assert verified.stdout.split()[-1] == digest
    assert run("packages", "--stack", WHOLE, "--packages", tmp_path / "site").returncode == 0


def test_the_store_of_this_user_is_looked_at_where_none_is_named(run, folder, tmp_path):
    home = tmp_path / "home" / ".local" / "share" / "npudoctor" / "store"
    assert run("store", "build", "--stack", WHOLE, "--packages", folder, "--output", home).returncode == 0

    assert run("packages", "--stack", WHOLE).returncode == 0


def test_nothing_is_stored_where_something_is_missing_unless_that_is_allowed(run, folder, tmp_path):
    (folder / RUNTIME).unlink()
    build = ("store", "build", "--stack", WHOLE, "--packages", folder, "--output", tmp_path / "store")

    refused = run(*build)
    assert refused.returncode == 1
    assert "nothing was stored" in refused.stdout
    assert not (tmp_path / "store").exists()
    assert run(*build, "--allow-missing").returncode == 0


def test_a_damaged_package_is_never_stored(run, folder, tmp_path):
    (folder / RUNTIME).write_bytes((folder / RUNTIME).read_bytes()[:-1])

    ended = run(
        "store",
        "build",
        "--stack",
        WHOLE,
        "--packages",
        folder,
        "--output",
        tmp_path / "s",
        "--allow-missing",
    )
    assert ended.returncode == 1
    assert not (tmp_path / "s").exists()


def test_a_plan_brings_the_way_back_into_the_store(run, folder, tmp_path):
    former = "Ascend-hdk-910b-npu-driver_25.5.0_linux-aarch64.run"
    (folder / former).write_bytes(run_package("former"))
    host = {"name": "n1", "arch": "aarch64", "before": {"driver": "25.5.0", "firmware": "7.8.0.5.216"}}
    (tmp_path / "plan.json").write_text(json.dumps({"stack": WHOLE, "hosts": [host]}))

    ended = run(
        "store", "build", "--plan", "plan.json", "--packages", folder, "--output", "store", "--format", "json"
    )

    names = {one["name"] for one in json.loads(ended.stdout)["packages"]}
    assert names == {*WHOLE_RUNS, former}


def test_a_damaged_store_is_told_with_1(run, folder, tmp_path):
    run("store", "build", "--stack", WHOLE, "--packages", folder, "--output", tmp_path / "store")
    one = next((tmp_path / "store").glob("sha256/*/*"))
    one.write_bytes(b"x" * one.stat().st_size)

    ended = run("store", "verify", tmp_path / "store", "--format", "json")
    assert ended.returncode == 1
    assert [problem["sha256"] for problem in json.loads(ended.stdout)["problems"]] == [one.name]


def _may_mount():
    mount = ("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt")
    return subprocess.run(mount, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not _may_mount(), reason="nobody here may mount")
def test_a_full_disk_is_told_in_one_line_and_leaves_nothing(folder, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    build = f"provision store build --stack {WHOLE} --packages {folder} --output {disk}/store"
    command = f"{sys.executable} -m npudoctor {build}"
    script = f"mount -t tmpfs -o size=40k none {disk} && {command}; echo $?; ls {disk}/store"
    ended = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, check=False, timeout=60
    )

    assert "1 MB are needed, 0 MB are free" in ended.stderr
    assert ended.stdout.split() == ["4"]


def test_ctrl_c_and_a_kill_leave_a_store_that_the_next_run_completes(served, folder, tmp_path):
    (folder / WHOLE_RUNS[2]).write_bytes(run_package("large") + bytes(3_000_000))
    served.stall = 1_500_000
    command = [
        sys.executable, "-m", "npudoctor", "provision", "store", "build", "--stack", WHOLE,
        "--packages", served.url, "--output", str(tmp_path / "store"),
    ]  # fmt: skip
    environment = {**os.environ, "HOME": str(tmp_path), "no_proxy": "127.0.0.1"}
    for ended_by, code in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
        work = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_for_bytes(tmp_path / "store" / ".incoming")
        work.send_signal(ended_by)
        assert work.wait(30) == code
        assert not (tmp_path / "store" / "manifest.json").exists()
    served.over.set()
    served.stall = None

    assert subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0
    assert any(ranged for _path, ranged in served.gets())


def wait_for_bytes(folder):
    until = time.monotonic() + 30
    while not any(file.stat().st_size > 100_000 for file in folder.glob("*.part")):
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.parametrize("digest", ["", "0123", "x" * 64])
def test_a_digest_that_is_none_is_not_taken_for_any(run, folder, tmp_path, digest):
    run("store", "build", "--stack", WHOLE, "--packages", folder, "--output", tmp_path / "store")

    ended = run("store", "import", tmp_path / "store", "--output", tmp_path / "site", "--sha256", digest)

    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "--sha256: this is no digest" in ended.stderr
    assert not (tmp_path / "site").exists()

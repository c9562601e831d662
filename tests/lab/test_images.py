"""Serving images: built by a real engine from the lab's root, started with good and with bad mounts."""

import os
import subprocess

import pytest

from npudoctor.matrix import load_matrix
from npudoctor.matrix.stacks import load_stack
from npudoctor.provision.image import image_of
from tests.lab.image import image, why_not

pytestmark = pytest.mark.skipif(why_not() is not None, reason=why_not() or "")
NODES = ("davinci0", "davinci_manager", "devmm_svm", "hisi_hdc")
DRIVER = "/usr/local/Ascend/driver"


@pytest.fixture(scope="module", params=["a2-cann8.5.0-vllm0.13.0", "a2-cann8.5.0-mindie2.3.0"])
def served(request):
    matrix = load_matrix()
    found = image_of(
        matrix, load_stack(matrix, request.param), base=image(), tag=f"npudoctor-lab-{request.param}"
    )
    docker, build, *words = found.command()
    line = [docker, build, "--network", "none", *words]  # all that it needs is in the lab's root
    done = subprocess.run(line, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    yield found.tag
    subprocess.run(["docker", "image", "rm", "-f", found.tag], check=False, capture_output=True)


@pytest.fixture
def driver(tmp_path):
    (tmp_path / "lib64/driver").mkdir(parents=True)
    (tmp_path / "lib64/driver/libascend_hal.so").touch()
    (tmp_path / "version.info").write_text("Version=25.5.0\nascendhal_version=7.35.23\n")
    return tmp_path


def _run(tag, driver, *command, nodes=NODES, options=()):
    devices = [word for node in nodes for word in ("--device", f"/dev/null:/dev/{node}")]
    mounts = [
        word for name in ("version.info", "lib64") for word in ("-v", f"{driver}/{name}:{DRIVER}/{name}")
    ]
    line = [
        "docker",
        "run",
        "--rm",
        "--network",
        "none",
        *devices,
        *(mounts if driver else ()),
        *options,
        tag,
        *command,
    ]
    return subprocess.run(line, check=False, capture_output=True, text=True, timeout=60)


def test_with_all_that_it_needs_it_becomes_the_command(served, driver):
    ended = _run(
        served, driver, "sh", "-c", "echo $LD_LIBRARY_PATH; ulimit -s", options=["--ulimit", "stack=33554432"]
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith(f"{DRIVER}/lib64/driver:")
    assert int(ended.stdout.split()[-1]) >= 16384


def test_all_that_is_wrong_is_said_at_once_and_nothing_starts(served):
    ended = _run(served, None, "echo", "started", nodes=())
    assert ended.returncode == 78
    assert ended.stdout == ""
    said = ended.stderr
    for what in (
        "no NPU is in the container",
        "/dev/hisi_hdc is not",
        "the driver of the host is not",
        "libascend_hal.so",
    ):
        assert what in said
    assert "--device /dev/davinci_manager" in said


def test_a_missing_manager_node_is_named_alone(served, driver):
    ended = _run(served, driver, "true", nodes=NODES[:-1])
    assert (ended.returncode, ended.stderr.count("\n")) == (78, 1)
    assert "--device /dev/hisi_hdc" in ended.stderr


def test_a_driver_that_does_not_go_with_the_cann_is_refused(served, driver):
    (driver / "version.info").write_text("Version=23.0.3\r\n")
    ended = _run(served, driver, "true")
    assert ended.returncode == 78
    assert "driver 23.0.3 does not go with CANN 8.5.0" in ended.stderr


def test_a_driver_that_nobody_speaks_of_is_told_and_starts(served, driver):
    (driver / "version.info").write_text("Version=29.9.9\n")
    ended = _run(served, driver, "true")
    assert ended.returncode == 0
    assert "no source speaks of driver 29.9.9" in ended.stderr


def test_a_driver_without_a_version_is_refused(served, driver):
    (driver / "version.info").write_text("")
    ended = _run(served, driver, "true")
    assert (ended.returncode, ended.stderr.count("\n")) == (78, 1)
    assert "version.info names no version" in ended.stderr


def test_a_driver_for_a_group_alone_is_told_with_the_group(served, driver):
    """As the driver lies there without `--install-for-all`."""
    (driver / "version.info").chmod(0o440)
    os.chown(driver / "version.info", 0, 1234)
    ended = _run(served, driver, "true", options=["--user", "1000:1000"])
    assert ended.returncode == 78
    assert "version.info may not be read by user 1000; add --group-add 1234" in ended.stderr


def test_a_folder_in_place_of_a_file_is_seen_for_what_it_is(served, driver):
    (driver / "version.info").unlink()
    (driver / "version.info").mkdir()
    ended = _run(served, driver, "true")
    assert ended.returncode == 78
    assert "is a folder" in ended.stderr


def test_every_set_env_is_loaded_and_may_read_what_is_not_set(served, driver, tmp_path):
    script = tmp_path / "set_env.sh"
    script.write_text('export SEEN="$NOT_SET:$1"\n')
    for place in ("cann", "nnal/atb"):
        ended = _run(
            served,
            driver,
            "sh",
            "-c",
            "echo $SEEN",
            options=["-v", f"{script}:/usr/local/Ascend/{place}/set_env.sh"],
        )
        assert ended.stdout.strip() == (":--cxx_abi=1" if place == "nnal/atb" else ":"), ended.stderr


@pytest.mark.parametrize("text", ["exit 3\n", "set -e\n(exit 3)\n"])
def test_a_set_env_that_ends_the_start_is_named(served, driver, tmp_path, text):
    (tmp_path / "set_env.sh").write_text(text)
    mount = f"{tmp_path}/set_env.sh:/usr/local/Ascend/cann/set_env.sh"
    ended = _run(served, driver, "echo", "started", options=["-v", mount])
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "cann/set_env.sh ended with 3 before the command could start" in ended.stderr


def test_the_preflight_can_be_switched_off(served):
    assert _run(served, None, "true", nodes=(), options=["-e", "NPUDOCTOR_PREFLIGHT=off"]).returncode == 0


def test_the_image_names_its_stack(served):
    line = ["docker", "image", "inspect", "-f", '{{index .Config.Labels "npudoctor.stack"}}', served]
    assert subprocess.run(line, check=False, capture_output=True, text=True).stdout.strip() in served

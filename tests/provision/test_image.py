"""The serving image of a stack."""

import shutil
import subprocess
from pathlib import Path

import pytest

from npudoctor.errors import UsageError
from npudoctor.matrix import load_matrix
from npudoctor.matrix.stacks import load_stack, stacks
from npudoctor.provision.image import KINDS, dockerfiles, image_of


def _image(name, **options):
    matrix = load_matrix()
    return image_of(matrix, load_stack(matrix, name), **options)


def test_the_engine_of_the_stack_says_which_image():
    assert _image("a2-cann8.5.0-vllm0.13.0").kind == "vllm-ascend"
    assert _image("a2-cann8.5.0-mindie2.3.0").kind == "mindie"


def test_a_server_of_ones_own_begins_with_the_cann_image_of_chip_and_python():
    arguments = _image("a3-cann8.5.0-vllm0.13.0", kind="torch-npu").arguments
    assert arguments["BASE_IMAGE"] == "quay.io/ascend/cann:8.5.0-a3-ubuntu22.04-py3.11"
    assert (arguments["TORCH"], arguments["TORCH_NPU"]) == ("2.8.0", "2.8.0.post2")


def test_drivers_that_do_not_go_with_its_cann_are_refused_and_its_own_is_not():
    for stack in stacks(load_matrix()):
        if "torch_npu" not in stack.versions:
            continue
        arguments = image_of(load_matrix(), stack, base="mirror/base:1").arguments
        assert stack.versions["driver"].lower() in arguments["DRIVERS"].split(), stack.name
        assert not set(arguments["DRIVERS"].split()) & set(arguments["DRIVERS_REFUSED"].split())
    assert "23.0.3" in _image("a2-cann8.5.0-vllm0.13.0").arguments["DRIVERS_REFUSED"].split()


def test_a_stack_without_a_named_image_says_what_to_give():
    with pytest.raises(UsageError, match="--base"):
        _image("a2-cann9.0.0-vllm0.18.0")
    with pytest.raises(UsageError, match="vllm-ascend, mindie"):
        _image("a2-cann8.5.0-vllm0.13.0", kind="other")


@pytest.mark.parametrize(
    ("stack", "kind"), [("a2-cann8.5.0-vllm0.13.0", "mindie"), ("a2-cann8.5.0-mindie2.3.0", "vllm-ascend")]
)
def test_the_base_image_of_one_engine_is_none_of_another(stack, kind):
    with pytest.raises(UsageError, match=f"no source names a base image of {kind} for {stack}"):
        _image(stack, kind=kind)
    assert _image(stack, kind=kind, base="mirror/own:1").arguments["BASE_IMAGE"] == "mirror/own:1"


def test_several_platforms_are_built_by_buildx():
    command = _image("a2-cann8.5.0-vllm0.13.0").command("docker", ["linux/arm64", "linux/amd64"])
    assert command[:5] == ["docker", "buildx", "build", "--platform", "linux/arm64,linux/amd64"]


@pytest.mark.parametrize("kind", KINDS)
def test_each_image_names_every_argument_that_it_is_given(kind):
    text = (dockerfiles() / kind / "Dockerfile").read_text()
    stack = "a2-cann8.5.0-mindie2.3.0" if kind == "mindie" else "a2-cann8.5.0-vllm0.13.0"
    arguments = _image(stack, kind=kind).arguments
    assert {f"ARG {name}=" in text for name in arguments} == {True}
    # What is built by hand without arguments is one stack of the matrix, too.
    for name in ("BASE_IMAGE", "STACK", "CANN", "NNAL_ABI"):
        assert f"ARG {name}={arguments[name]}\n" in text


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="shellcheck is not on this machine")
def test_the_entrypoint_is_clean():
    done = subprocess.run(
        ["shellcheck", dockerfiles() / "serving/entrypoint.sh"], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("kind", KINDS)
def test_hadolint_finds_nothing(kind):
    hadolint = shutil.which("hadolint") or str(Path(__import__("sys").executable).with_name("hadolint"))
    if not Path(hadolint).exists():
        pytest.skip("hadolint is not installed")
    done = subprocess.run(
        [hadolint, dockerfiles() / kind / "Dockerfile"], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "")

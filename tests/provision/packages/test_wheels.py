"""Which wheels of a place fit a stack."""

import pytest

from npudoctor.provision.packages.place import Folder
from npudoctor.provision.packages.wheels import find_wheels, fitting

from .factory import wheel


@pytest.mark.parametrize(
    "name",
    [
        "numpy-1.26.4-cp311-cp311-manylinux_2_17_aarch64.manylinux2014_aarch64.whl",
        "attrs-23.2.0-py3-none-any.whl",
        "six-1.16.0-py2.py3-none-any.whl",
        "cryptography-42.0.5-cp39-abi3-manylinux_2_28_aarch64.whl",
        "torch-2.7.1+cpu-cp311-cp311-manylinux_2_28_aarch64.whl",
        "torch_npu-2.7.1.post2-cp311-cp311-manylinux_2_28_aarch64.whl",
        "vllm_ascend_extra-1.0-1build-py3-none-any.whl",
    ],
)
def test_a_wheel_for_this_python_and_architecture_fits(stack, name):
    assert [one.name for one in fitting([name], stack, "aarch64")] == [name]


@pytest.mark.parametrize(
    "name",
    [
        "numpy-1.26.4-cp310-cp310-manylinux_2_17_aarch64.whl",
        "numpy-1.26.4-cp311-cp311-manylinux_2_17_x86_64.whl",
        "numpy-1.26.4-cp311-cp311-macosx_11_0_arm64.whl",
        "numpy-1.26.4-cp311-cp311-win_amd64.whl",
        "cryptography-42.0.5-cp312-abi3-manylinux_2_28_aarch64.whl",
        "torch-2.8.0+cpu-cp311-cp311-manylinux_2_28_aarch64.whl",
        "torch_npu-2.7.1-cp311-cp311-manylinux_2_28_aarch64.whl",
        "torch-2.7.1.tar.gz",
        "README.whl",
    ],
)
def test_a_wheel_for_another_python_architecture_or_version_does_not(stack, name):
    assert [*fitting([name], stack, "aarch64")] == []


def test_a_wheel_for_both_architectures_is_marked_so(stack):
    (one,) = fitting(["attrs-23.2.0-py3-none-any.whl"], stack, "aarch64")

    assert one.arch == ""


def test_the_wheels_of_a_folder_are_hashed_as_packages_of_the_python_environment(stack, folder):
    wheel(folder / "attrs-23.2.0-py3-none-any.whl")

    (found,) = find_wheels(Folder(folder), stack, "aarch64", ())
    assert (found.need.component, found.name) == ("python_env", "attrs-23.2.0-py3-none-any.whl")
    assert found.is_there


def test_a_cut_off_wheel_is_damaged(stack, folder):
    file = wheel(folder / "attrs-23.2.0-py3-none-any.whl")
    file.write_bytes(file.read_bytes()[:-30])

    (found,) = find_wheels(Folder(folder), stack, "aarch64", ())
    assert found.blocks

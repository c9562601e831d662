"""What the name of a package file says."""

import pytest

from npudoctor.provision.packages.naming import read_name


@pytest.mark.parametrize(
    ("name", "component", "chip", "arch", "version"),
    [
        ("Ascend-hdk-310p-npu-driver_25.5.0_linux-x86-64.run", "driver", "310P", "x86_64", "25.5.0"),
        ("Ascend-hdk-910-npu-firmware_7.1.0.3.220.run", "firmware", "910", "", "7.1.0.3.220"),
        ("Atlas-A3-hdk-npu-driver_26.0.RC1_linux-aarch64.run", "driver", "A3", "aarch64", "26.0.RC1"),
        ("Ascend-cann-toolkit_9.0.0_linux-aarch64.run", "toolkit", "", "aarch64", "9.0.0"),
        ("Ascend-cann-kernels-910b_8.2.RC1_linux-x86_64.run", "ops", "910B", "x86_64", "8.2.RC1"),
        ("Ascend-cann-A3-ops_9.0.0_linux-aarch64.run", "ops", "A3", "aarch64", "9.0.0"),
        ("Ascend-docker-runtime_7.1.RC1_linux-aarch64.run", "ascend_runtime", "", "aarch64", "7.1.RC1"),
        ("torch-2.8.0+cpu-cp311-cp311-manylinux_2_28_aarch64.whl", "python_env", "", "aarch64", "2.8.0+cpu"),
    ],
)
def test_a_name_tells_component_chip_architecture_and_version(name, component, chip, arch, version):
    named = read_name(name)

    assert (named.component, named.chip, named.arch, named.version) == (component, chip, arch, version)


@pytest.mark.parametrize("name", ["README.md", "numpy-1.0-py3-none-any.whl", "Ascend-cann-toolkit_.run", ""])
def test_another_file_is_none(name):
    assert read_name(name) is None

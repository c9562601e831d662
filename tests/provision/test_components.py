"""The components of provisioning, as data."""

import pytest

from npudoctor.errors import UsageError
from npudoctor.matrix import load_matrix
from npudoctor.matrix.stacks import load_stack, stacks
from npudoctor.provision.components import component, components
from npudoctor.provision.planned import Reboot, Undo

A2, A2_NEW = "a2-cann8.5.0-vllm0.13.0", "a2-cann9.0.0-vllm0.21.0rc1"
A3_OLD, I310P = "a3-cann8.3.rc1-vllm0.11.0rc1", "310p-cann9.0.0-vllm0.18.0"


def files(stack, name, arch="aarch64"):
    return [file.name for file in component(name).files(load_stack(load_matrix(), stack), arch)]


def test_they_come_in_the_order_of_a_first_install_driver_before_firmware():
    assert [one.name for one in components()] == [
        "host_tuning", "driver", "firmware", "toolkit", "ops", "nnal", "python_env", "environment",
        "docker", "ascend_runtime", "hccn", "serving",
    ]  # fmt: skip


def test_an_upgrade_flashes_the_firmware_before_the_driver():
    ordered = [one.name for one in sorted(components(), key=lambda one: one.upgrade)]

    assert ordered.index("firmware") < ordered.index("driver") < ordered.index("toolkit")


@pytest.mark.parametrize(
    ("stack", "name", "arch", "expected"),
    [
        (A2, "driver", "aarch64", "Ascend-hdk-910b-npu-driver_25.5.0_linux-aarch64.run"),
        (A2, "driver", "x86_64", "Ascend-hdk-910b-npu-driver_25.5.0_linux-x86-64.run"),
        (A3_OLD, "driver", "aarch64", "Atlas-A3-hdk-npu-driver_25.3.rc1_linux-aarch64.run"),
        (I310P, "firmware", "x86_64", "Ascend-hdk-310p-npu-firmware_7.8.0.7.220.run"),
        ("a2-cann8.2.rc1-vllm0.9.1", "toolkit", "x86_64", "Ascend-cann-toolkit_8.2.RC1_linux-x86_64.run"),
        ("a2-cann8.2.rc1-vllm0.9.1", "ops", "aarch64", "Ascend-cann-kernels-910b_8.2.RC1_linux-aarch64.run"),
        ("a3-cann8.3.rc2-vllm0.11.0", "ops", "aarch64", "Atlas-A3-cann-kernels_8.3.RC2_linux-aarch64.run"),
        ("a3-cann9.1.0-vllm0.23.0", "ops", "aarch64", "Ascend-cann-A3-ops_9.1.0_linux-aarch64.run"),
        (I310P, "nnal", "aarch64", "Ascend-cann-nnal_9.0.0_linux-aarch64.run"),
        (A2_NEW, "ascend_runtime", "x86_64", "Ascend-docker-runtime_26.0.0_linux-x86_64.run"),
    ],
)  # fmt: skip
def test_a_package_is_called_as_the_vendor_calls_it(stack, name, arch, expected):
    assert files(stack, name, arch) == [expected]


def test_wheels_are_for_the_python_of_the_stack():
    assert files("a2-cann9.1.0-vllm0.23.0", "python_env") == [
        "torch-2.10.0*-cp312-cp312-*aarch64.whl",
        "torch_npu-2.10.0.post4-cp312-cp312-*aarch64.whl",
    ]


def test_every_component_with_a_package_has_one_for_every_whole_stack():
    named = [one for one in components() if one.packages]
    for stack in stacks(load_matrix())[:-1]:
        for one in named:
            assert one.files(stack, "x86_64") or one.name == "serving"


def test_what_cannot_be_taken_back_without_its_former_package_says_so():
    assert (component("driver").undo, component("driver").undo_alone) == (Undo.FULL, Undo.FORWARD)
    assert (component("toolkit").undo, component("toolkit").undo_alone) == (Undo.FULL, Undo.FILES)
    assert component("host_tuning").undo_alone is Undo.FULL


def test_only_what_goes_into_the_chip_or_the_kernel_can_need_a_reboot():
    assert {one.name for one in components() if one.reboot is not Reboot.NO} == {
        "host_tuning", "driver", "firmware"
    }  # fmt: skip


def test_the_room_is_that_of_the_release():
    old, new = (
        load_stack(load_matrix(), name) for name in ("a2-cann8.2.rc1-vllm0.9.1", "a2-cann8.5.0-vllm0.13.0")
    )
    total = [
        sum(space.mb for one in components() for space in one.space_for(stack) if "Ascend" in space.at)
        for stack in (old, new)
    ]

    assert 7000 < total[0] < 10000 < total[1]


def test_another_name_is_wrong_usage():
    with pytest.raises(UsageError, match="one of host_tuning, driver"):
        component("drivers")

import json

import pytest

from npudoctor.host.containers import NpuContainer, cann_of, device_numbers, node_number
from npudoctor.parse.docker import container_of


def test_containers_that_map_an_npu_are_told_from_others(host, described):
    containers = host(
        commands={
            "docker inspect serve": json.dumps(
                [described(devices=["/dev/davinci3", "/dev/davinci_manager"])]
            ),
            "docker inspect web": json.dumps([described("web")]),
        }
    ).containers

    assert containers.names.value == ("serve",)
    assert containers.npu.value[0].numbers == (3,)


def test_the_ascend_runtime_gives_what_the_variable_asks_for(host, described):
    one = described(env=["ASCEND_VISIBLE_DEVICES=0-2"], host={"Runtime": "ascend"})

    npu = host(commands={"docker inspect serve": json.dumps([one])}).containers.npu.value[0]

    assert npu.by_runtime
    assert npu.numbers == (0, 1, 2)


def test_the_default_runtime_counts_where_a_container_names_none(host, described):
    one = described(env=["ASCEND_VISIBLE_DEVICES=1"], host={"Runtime": ""})
    info = " Server Version: 24.0.7\n Runtimes: ascend runc\n Default Runtime: ascend\n"

    containers = host(commands={"docker info": info, "docker inspect serve": json.dumps([one])}).containers

    assert containers.npu.value[0].by_runtime


def test_a_privileged_container_with_a_driver_has_to_do_with_npus(host, described):
    mount = ("/usr/local/Ascend/driver", "/usr/local/Ascend/driver")
    one = described(host={"Privileged": True}, mounts=[mount])

    assert host(commands={"docker inspect serve": json.dumps([one])}).containers.names.value == ("serve",)


def test_no_engine_is_known_to_be_absent(host):
    assert host(absent=["docker info"]).containers.npu.absent


def test_an_engine_whose_containers_nobody_looked_at_is_unknown(host):
    npu = host(commands={"docker info": " Server Version: 24.0.7\n Runtimes: runc\n"}).containers.npu

    assert not npu.known
    assert not npu.absent


def test_names_without_an_npu_container_are_a_known_nothing(host):
    info = " Server Version: 24.0.7\n Runtimes: runc\n"

    npu = host(commands={"docker info": info, "docker inspect": "web\ndatabase\n"}).containers.npu

    assert npu.value == ()


def test_the_list_of_all_containers_in_one_file_is_read_too(host, described):
    one = described(devices=["/dev/davinci0"])

    assert host(commands={"docker inspect": json.dumps([one])}).containers.names.value == ("serve",)


def test_a_cut_off_description_is_unknown(host, described):
    half = json.dumps([described(devices=["/dev/davinci0"])])[:100]

    assert not host(commands={"docker inspect serve": half}).containers.npu.known


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0,1,3", (0, 1, 3)),
        ("0-3", (0, 1, 2, 3)),
        ("Ascend910-0,Ascend910-2", (0, 2)),
        ("npu-1", (1,)),
        ("1,0", (1, 0)),
        ("void", None),
        ("", None),
        ("all", None),
    ],
)
def test_visible_devices_are_numbers_ranges_or_names(text, numbers):
    assert device_numbers(text) == numbers


@pytest.mark.parametrize(
    ("path", "number"),
    [("/dev/davinci7", 7), ("/dev/vdavinci100", 100), ("/dev/davinci_manager", None), ("/dev/davinci", None)],
)
def test_the_number_of_a_node(path, number):
    assert node_number(path) == number


def test_a_versioned_folder_counts_before_the_tag(described):
    one = described(image="quay.io/ascend/cann:8.1.rc1-910b-ubuntu22.04-py3.10",
                    env=["ASCEND_TOOLKIT_HOME=/usr/local/Ascend/cann-8.5.0"])  # fmt: skip

    assert cann_of(container_of(one)) == ("8.5.0", "ASCEND_TOOLKIT_HOME=/cann-8.5.0")


def test_the_tag_names_cann_where_the_folder_is_latest(described):
    one = described(
        image="quay.io/ascend/cann:8.1.rc1-910b-ubuntu22.04-py3.10",
        env=["ASCEND_TOOLKIT_HOME=/usr/local/Ascend/ascend-toolkit/latest"],
    )

    assert cann_of(container_of(one))[0] == "8.1.rc1"


def test_an_image_of_another_product_names_no_cann(described):
    assert cann_of(container_of(described(image="quay.io/ascend/vllm-ascend:v0.11.0"))) is None


def test_nodes_given_as_volumes_are_not_mapped_devices(described):
    one = container_of(described(mounts=[("/dev/davinci0", "/dev/davinci0")]))

    npu = NpuContainer(one, by_runtime=False)

    assert npu.bound_nodes == ("/dev/davinci0",)
    assert npu.numbers == ()

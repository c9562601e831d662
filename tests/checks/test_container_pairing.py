import json
from dataclasses import replace

import pytest

from npudoctor.checks import container_pairing
from npudoctor.collect.snapshot import snapshot_of
from npudoctor.finding import Status
from npudoctor.host import Host
from npudoctor.matrix import load_matrix

VERSION = "/usr/local/Ascend/driver/version.info"
A2 = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802] (rev 20)\n"}
INSIDE = {**A2, "systemd-detect-virt": "docker\n"}


@pytest.fixture(scope="module")
def matrix():
    return load_matrix()


def serving(described, name="serve", **more):
    return {f"docker inspect {name}": json.dumps([described(name, ["/dev/davinci0"], **more)])}


def cann(version):
    return [f"ASCEND_TOOLKIT_HOME=/usr/local/Ascend/cann-{version}"]


def test_a_cann_that_the_driver_is_too_old_for_fails_with_what_to_take(host, judge, matrix, described):
    files = {VERSION: "Version=25.0.rc1.1\n"}

    found = judge(
        container_pairing.host_driver_pairing,
        host(files=files, commands={**A2, **serving(described, env=cann("9.1.0"))}),
        matrix,
    )

    assert found.status == "fail"
    assert found.actual.startswith("serve: CANN 9.1.0 on driver 25.0.rc1.1")
    assert found.evidence[1].text == "ASCEND_TOOLKIT_HOME=/cann-9.1.0"
    assert found.fix.commands == ("npudoctor matrix query driver=25.0.rc1.1 cann=9.1.0",)
    assert "25.2" in found.expected


def test_a_pair_that_the_vendor_names_passes(host, judge, matrix, described):
    files = {VERSION: "Version=25.2.0\n"}

    found = judge(
        container_pairing.host_driver_pairing,
        host(files=files, commands={**A2, **serving(described, env=cann("9.1.0"))}),
        matrix,
    )

    assert (found.status, found.actual) == ("pass", "serve: CANN 9.1.0 on driver 25.2.0")


def test_the_tag_of_a_cann_image_names_it_too(host, judge, matrix, described):
    image = "quay.io/ascend/cann:9.1.0-910b-ubuntu22.04-py3.11"

    found = judge(
        container_pairing.host_driver_pairing,
        host(files={VERSION: "Version=25.0.rc1.1\n"}, commands=serving(described, image=image)),
        matrix,
    )

    assert found.status == "fail"
    assert found.evidence[1].text == image


def test_an_image_that_does_not_name_its_cann_is_unknown(host, judge, matrix, described):
    found = judge(
        container_pairing.host_driver_pairing,
        host(files={VERSION: "Version=25.2.0\n"}, commands=serving(described, image="app:1")),
        matrix,
    )

    assert found.status == "unknown"
    assert found.evidence[1].text == "app:1"


def test_one_bad_container_decides_and_the_good_one_is_not_named(host, judge, matrix, described):
    commands = {
        **serving(described, "good", env=cann("8.2.RC1")),
        **serving(described, "bad", env=cann("9.1.0")),
    }

    found = judge(
        container_pairing.host_driver_pairing,
        host(files={VERSION: "Version=25.0.rc1.1\n"}, commands=commands),
        matrix,
    )

    assert found.status == "fail"
    assert "bad" in found.actual
    assert "good" not in found.actual


def test_a_driver_that_nobody_read_is_unknown(host, judge, matrix, described):
    found = judge(
        container_pairing.host_driver_pairing, host(commands=serving(described, env=cann("9.1.0"))), matrix
    )

    assert found.status == "unknown"


def test_from_within_the_cann_of_the_container_is_judged(host, judge, matrix):
    files = {
        VERSION: "Version=25.0.rc1.1\n",
        "/usr/local/Ascend/cann-9.1.0/aarch64-linux/ascend_toolkit_install.info": (
            "package_name=Ascend-cann-toolkit\nversion=9.1.0\narch=aarch64\nos=linux\n"
            "path=/usr/local/Ascend/cann-9.1.0/aarch64-linux\n"
        ),
    }
    environment = "ASCEND_HOME_PATH=/usr/local/Ascend/cann-9.1.0\n"

    found = judge(
        container_pairing.host_driver_pairing,
        host(files=files, commands=INSIDE, environment=environment),
        matrix,
    )

    assert found.status == "fail"
    assert found.actual.startswith("CANN 9.1.0 on driver 25.0.rc1.1")


def test_a_version_that_nobody_can_read_is_unknown(host, judge, matrix, described):
    found = judge(
        container_pairing.host_driver_pairing,
        host(files={VERSION: "Version=unreleased\n"}, commands=serving(described, env=cann("9.1.0"))),
        matrix,
    )

    assert found.status == "unknown"


@pytest.mark.parametrize(
    ("image", "cann", "status"),
    [
        ("quay.io/ascend/vllm-ascend:v0.11.0", "8.3.RC2", "warn"),
        ("ascendhub/mindie:2.3.0-800I-A2-py311-openeuler24.03-lts", "8.5.0", "fail"),
    ],
)
def test_an_engine_in_the_tag_names_the_cann_that_its_release_is_built_on(
    host, judge, matrix, described, image, cann, status
):
    found = judge(
        container_pairing.host_driver_pairing,
        host(files={VERSION: "Version=23.0.0\n"}, commands={**A2, **serving(described, image=image)}),
        matrix,
    )

    assert found.status == status
    assert found.actual.startswith(f"serve: CANN {cann} on driver 23.0.0")
    assert "in the matrix" in found.evidence[1].text


def test_the_driver_of_the_host_and_the_cann_inside_count_for_one_container(judge, matrix, described):
    told = snapshot_of(commands=serving(described, env=cann("8.2.RC1")))
    inside = snapshot_of(
        {
            VERSION: "Version=25.2.0\n",
            "/usr/local/Ascend/cann-9.1.0/aarch64-linux/ascend_toolkit_install.info": (
                "package_name=Ascend-cann-toolkit\nversion=9.1.0\narch=aarch64\nos=linux\n"
                "path=/usr/local/Ascend/cann-9.1.0/aarch64-linux\n"
            ),
        },
        environment="ASCEND_HOME_PATH=/usr/local/Ascend/cann-9.1.0\n",
    )
    outside = snapshot_of({VERSION: "Version=25.0.rc1.1\n"}, A2)
    one = replace(inside, entries={**inside.entries, **told.entries}, outside=outside)

    found = judge(container_pairing.host_driver_pairing, Host(one), matrix)

    assert found.status == "fail"
    assert found.actual.startswith("serve: CANN 9.1.0 on driver 25.0.rc1.1")


def test_beside_a_failure_nothing_is_told_of_images_that_name_no_cann(host, judge, matrix, described):
    commands = {
        **serving(described, "app1", image="app:1"),
        **serving(described, "bad1", env=cann("9.1.0")),
        **serving(described, "bad2", env=cann("9.1.0")),
    }

    found = judge(
        container_pairing.host_driver_pairing,
        host(files={VERSION: "Version=25.0.rc1.1\n"}, commands=commands),
        matrix,
    )

    assert found.status == "fail"
    assert found.actual.startswith("bad[1-2]: CANN 9.1.0 on driver 25.0.rc1.1")
    assert "does not name" not in found.actual


def test_images_that_name_no_cann_are_told_once(host, judge, matrix, described):
    commands = {**A2, **serving(described, "app1", image="a:1"), **serving(described, "app2", image="b:1")}

    found = judge(
        container_pairing.host_driver_pairing,
        host(files={VERSION: "Version=25.2.0\n"}, commands=commands),
        matrix,
    )

    assert (found.status, found.actual) == ("unknown", "app[1-2]: the image does not name its CANN")
    assert found.fix is None


def test_a_caution_beside_what_is_not_known_keeps_its_fix():
    answers = [
        container_pairing.Answer(Status.UNKNOWN, "the image does not name its CANN", (), container="app"),
        container_pairing.Answer(Status.WARN, "CANN 1 on driver 2", (), ("3",), "ask", "serve"),
    ]

    found = container_pairing._verdict(answers, [])

    assert found.status is Status.UNKNOWN
    assert found.actual == "serve: CANN 1 on driver 2; app: the image does not name its CANN"
    assert found.fix.commands == ("ask",)

import json
from dataclasses import replace

import pytest

from npudoctor.checks import container_devices
from npudoctor.collect.snapshot import snapshot_of
from npudoctor.host import Host

MANAGERS = ["/dev/davinci_manager", "/dev/devmm_svm", "/dev/hisi_hdc"]
A2 = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802] (rev 20)\n"}
A3 = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d803] (rev 20)\n"}
IN_310B = {"lspci -nn": "01:00.0 Processing accelerators [1200]: Huawei Device [19e5:d107] (rev 20)\n"}
IN_950 = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d806] (rev 20)\n"}
INSIDE = {"systemd-detect-virt": "docker\n"}


def inspected(*containers):
    return {f"docker inspect {one['Name'][1:]}": json.dumps([one]) for one in containers}


def listing(*names):
    return {"ls -l /dev": "".join(f"crw-rw---- 1 1000 1000 236, 0 Jan  1 00:00 {name}\n" for name in names)}


class TestDevices:
    def test_nodes_with_their_managers_pass(self, host, judge, described):
        good = described(devices=["/dev/davinci0", "/dev/davinci1", *MANAGERS])

        found = judge(container_devices.devices, host(commands={**A2, **inspected(good)}))

        assert (found.status, found.actual) == ("pass", "serve")

    @pytest.mark.parametrize("missing", MANAGERS)
    def test_a_manager_node_that_is_missing_fails(self, host, judge, described, missing):
        nodes = [node for node in MANAGERS if node != missing]

        found = judge(
            container_devices.devices,
            host(commands={**A2, **inspected(described(devices=["/dev/davinci0", *nodes]))}),
        )

        assert found.status == "fail"
        assert missing in found.actual
        assert found.evidence[0].source == "docker inspect serve"

    def test_a_chip_that_needs_fewer_nodes_is_not_asked_for_more(self, host, judge, described):
        on_950 = described(devices=["/dev/davinci0", "/dev/davinci_manager", "/dev/hisi_hdc"])
        on_310b = described(devices=["/dev/davinci0", "/dev/davinci_manager"])

        assert (
            judge(container_devices.devices, host(commands={**IN_950, **inspected(on_950)})).status == "pass"
        )
        assert (
            judge(container_devices.devices, host(commands={**IN_310B, **inspected(on_310b)})).status
            == "pass"
        )

    def test_a_chip_that_is_not_known_only_warns_of_the_node_that_950_has_not(self, host, judge, described):
        bare = described(devices=["/dev/davinci0", "/dev/davinci_manager", "/dev/hisi_hdc"])

        assert judge(container_devices.devices, host(commands=inspected(bare))).status == "warn"

    def test_a_node_given_as_a_volume_fails_unless_privileged(self, host, judge, described):
        volume = described(mounts=[("/dev/davinci0", "/dev/davinci0")])
        privileged = described(mounts=[("/dev/davinci0", "/dev/davinci0")], host={"Privileged": True})

        assert judge(container_devices.devices, host(commands={**A2, **inspected(volume)})).status == "fail"
        assert (
            judge(container_devices.devices, host(commands={**A2, **inspected(privileged)})).status == "pass"
        )

    def test_nodes_without_the_right_to_make_them_warn(self, host, judge, described):
        weak = described(devices=["/dev/davinci0", *MANAGERS])
        weak["HostConfig"]["Devices"][0]["CgroupPermissions"] = "rw"

        found = judge(container_devices.devices, host(commands={**A2, **inspected(weak)}))

        assert (found.status, found.actual) == ("warn", "serve: /dev/davinci0 only rw")

    def test_one_npu_in_two_running_containers_fails_in_both(self, host, judge, described):
        first = described("first", ["/dev/davinci3", *MANAGERS])
        second = described("second", ["/dev/davinci3", "/dev/davinci4", *MANAGERS])

        found = judge(container_devices.devices, host(commands={**A2, **inspected(first, second)}))

        assert found.status == "fail"
        assert "first: davinci3 also given to second" in found.actual
        assert "second: davinci3 also given to first" in found.actual

    def test_a_stopped_container_holds_nothing(self, host, judge, described):
        first = described("first", ["/dev/davinci3", *MANAGERS])
        second = described("second", ["/dev/davinci3", *MANAGERS], running=False)

        assert (
            judge(container_devices.devices, host(commands={**A2, **inspected(first, second)})).status
            == "pass"
        )

    def test_the_dies_of_an_a3_module_go_together(self, host, judge, described):
        half = described(devices=["/dev/davinci2", *MANAGERS])
        whole = described(devices=["/dev/davinci2", "/dev/davinci3", *MANAGERS])

        assert judge(container_devices.devices, host(commands={**A3, **inspected(half)})).status == "warn"
        assert judge(container_devices.devices, host(commands={**A3, **inspected(whole)})).status == "pass"
        assert judge(container_devices.devices, host(commands={**A2, **inspected(half)})).status == "pass"

    def test_the_ascend_runtime_brings_the_nodes_itself(self, host, judge, described):
        runtime = described(host={"Runtime": "ascend"}, env=["ASCEND_VISIBLE_DEVICES=0"])

        assert judge(container_devices.devices, host(commands={**A2, **inspected(runtime)})).status == "pass"

    def test_two_containers_of_the_runtime_that_ask_for_one_npu_fail(self, host, judge, described):
        ask = {"host": {"Runtime": "ascend"}, "env": ["ASCEND_VISIBLE_DEVICES=0-3"]}

        found = judge(
            container_devices.devices,
            host(commands={**A2, **inspected(described("first", **ask), described("second", **ask))}),
        )

        assert found.status == "fail"


class TestDevicesFromWithin:
    def test_all_nodes_pass(self, host, judge):
        there = listing("davinci0", "davinci_manager", "devmm_svm", "hisi_hdc")

        found = judge(container_devices.devices, host(commands={**A2, **INSIDE, **there}))

        assert (found.status, found.actual) == ("pass", "davinci0")

    def test_a_manager_node_that_is_missing_fails(self, host, judge):
        found = judge(
            container_devices.devices,
            host(commands={**A2, **INSIDE, **listing("davinci0", "davinci_manager")}),
        )

        assert found.status == "fail"
        assert "/dev/devmm_svm" in found.actual

    def test_a_chip_that_is_not_known_needs_the_channel_node(self, host, judge):
        def status(*names):
            return judge(container_devices.devices, host(commands={**INSIDE, **listing(*names)})).status

        assert status("davinci0", "davinci_manager", "devmm_svm") == "fail"
        assert status("davinci0", "davinci_manager", "hisi_hdc") == "warn"
        assert status("davinci0", "davinci_manager", "devmm_svm", "hisi_hdc") == "pass"

    def test_a_board_whose_npu_is_its_processor_has_other_nodes(self, host, judge):
        board = listing("davinci0", "davinci_manager", "dvpp_cmdlist")

        assert judge(container_devices.devices, host(commands={**INSIDE, **board})).status == "pass"

    def test_no_npu_node_at_all_fails(self, host, judge):
        found = judge(container_devices.devices, host(commands={**A2, **INSIDE, **listing("null", "zero")}))

        assert (found.status, found.actual) == ("fail", "no davinci node")

    def test_a_container_that_has_nothing_to_do_with_npus_is_not_judged(self, host, judge):
        plain = {
            "lspci -nn": "00:00.0 Host bridge [0600]: Intel Device [8086:09a2]\n",
            **INSIDE,
            **listing("null"),
        }

        def status(environment):
            return judge(container_devices.devices, host(commands=plain, environment=environment)).status

        assert status("PATH=/usr/bin\n") == "skip"
        assert status("ASCEND_VISIBLE_DEVICES=0\n") == "fail"

    def test_a_listing_that_nobody_made_is_unknown(self, host, judge):
        assert judge(container_devices.devices, host(commands={**A2, **INSIDE})).status == "unknown"


class TestVisibleDevices:
    def test_indices_below_the_number_of_npus_pass(self, host, judge, described):
        good = described(
            devices=["/dev/davinci6", "/dev/davinci7", *MANAGERS], env=["ASCEND_RT_VISIBLE_DEVICES=0,1"]
        )

        assert judge(container_devices.visible_devices, host(commands=inspected(good))).status == "pass"

    def test_the_hosts_number_inside_the_container_fails(self, host, judge, described):
        wrong = described(devices=["/dev/davinci3", *MANAGERS], env=["ASCEND_RT_VISIBLE_DEVICES=3"])

        found = judge(container_devices.visible_devices, host(commands=inspected(wrong)))

        assert found.status == "fail"
        assert found.evidence[0].text == "ASCEND_RT_VISIBLE_DEVICES=3"

    def test_the_runtimes_variable_without_the_runtime_fails(self, host, judge, described):
        mount = ("/usr/local/Ascend/driver", "/usr/local/Ascend/driver")
        alone = described(
            env=["ASCEND_VISIBLE_DEVICES=0"], mounts=[mount, ("/dev/davinci0", "/dev/davinci0")]
        )

        assert judge(container_devices.visible_devices, host(commands=inspected(alone))).status == "fail"

    def test_a_number_that_the_host_does_not_have_fails_with_the_runtime(self, host, judge, described):
        asks = described(host={"Runtime": "ascend"}, env=["ASCEND_VISIBLE_DEVICES=0,9"])

        found = judge(
            container_devices.visible_devices,
            host(commands={**inspected(asks), **listing("davinci0", "davinci1")}),
        )

        assert (found.status, found.actual) == ("fail", "serve: the host has no NPU 9")

    def test_more_asked_for_than_given_by_hand_warns(self, host, judge, described):
        by_hand = described(devices=["/dev/davinci0", *MANAGERS], env=["ASCEND_VISIBLE_DEVICES=0-3"])

        found = judge(container_devices.visible_devices, host(commands=inspected(by_hand)))

        assert (found.status, found.actual) == ("warn", "serve: asks for 0-3, and is not given 1, 2, 3")

    def test_a_container_that_only_asks_is_judged_for_that_alone(self, host, judge, described):
        asks = described(env=["ASCEND_VISIBLE_DEVICES=0"])

        assert judge(container_devices.visible_devices, host(commands=inspected(asks))).status == "fail"
        assert judge(container_devices.devices, host(commands={**A2, **inspected(asks)})).status == "pass"

    def test_from_within_every_number_needs_its_node(self, host, judge):
        two = {**A2, **INSIDE, **listing("davinci0", "davinci1")}

        def status(text):
            return judge(container_devices.visible_devices, host(commands=two, environment=text)).status

        assert status("ASCEND_VISIBLE_DEVICES=1,0\n") == "pass"
        assert status("ASCEND_VISIBLE_DEVICES=0-3\n") == "fail"
        assert status("ASCEND_RT_VISIBLE_DEVICES=1\n") == "pass"
        assert status("ASCEND_RT_VISIBLE_DEVICES=2\n") == "fail"
        assert status("PATH=/usr/bin\n") == "skip"


class TestOneContainerOfAHost:
    """A container that was read from within, together with its host."""

    @pytest.fixture
    def found(self, described, judge):
        def of(inside: dict[str, str], *others, **settings):
            told = inspected(described("serve", ["/dev/davinci0", *MANAGERS], **settings))
            outside = snapshot_of(commands={**A2, **inspected(*others)})
            own = snapshot_of(commands={**inside, **told})
            return judge(container_devices.devices, Host(replace(own, outside=outside)))

        return of

    def test_right_settings_and_all_nodes_inside_pass(self, found):
        there = listing("davinci0", "davinci_manager", "devmm_svm", "hisi_hdc")

        assert found(there).status == "pass"

    def test_a_node_that_is_given_and_not_there_fails(self, found):
        assert found(listing("davinci0", "davinci_manager", "hisi_hdc")).actual == "/dev/devmm_svm missing"

    def test_another_container_with_the_same_npu_fails(self, found, described):
        other = described("other", ["/dev/davinci0", *MANAGERS])

        assert found({}, other).actual == "serve: davinci0 also given to other"

    def test_its_settings_are_judged_where_nothing_was_read_inside(self, found):
        assert found({}).status == "pass"
        assert found({}, host={"Devices": [{"PathOnHost": "/dev/davinci0"}]}).status == "fail"


def test_what_many_containers_share_is_said_once(host, judge, described):
    running = [described(f"m{number}", ["/dev/davinci0"]) for number in range(1, 41)]
    commands = {f"docker inspect m{at}": json.dumps([one]) for at, one in enumerate(running, 1)}

    found = judge(container_devices.devices, host(commands=commands))

    assert "m[1-40]: /dev/davinci_manager, /dev/hisi_hdc not given" in found.actual
    assert "m1: davinci0 also given to m[2-40]" in found.actual

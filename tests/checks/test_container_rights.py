import json

import pytest

from npudoctor.checks import container_rights


def inspected(*containers):
    return {f"docker inspect {one['Name'][1:]}": json.dumps([one]) for one in containers}


class TestPrivileged:
    def test_a_privileged_container_beside_another_warns(self, host, judge, described):
        wide = described("wide", ["/dev/davinci0"], host={"Privileged": True})
        narrow = described("narrow", ["/dev/davinci1"])

        found = judge(container_rights.privileged, host(commands=inspected(wide, narrow)))

        assert (found.status, found.actual) == ("warn", "wide: privileged: opens every NPU")

    def test_two_containers_with_their_own_nodes_pass(self, host, judge, described):
        two = inspected(described("first", ["/dev/davinci0"]), described("second", ["/dev/davinci1"]))

        assert judge(container_rights.privileged, host(commands=two)).status == "pass"

    def test_alone_on_the_host_it_takes_from_nobody(self, host, judge, described):
        alone = described(devices=["/dev/davinci0"], host={"Privileged": True})

        assert judge(container_rights.privileged, host(commands=inspected(alone))).status == "skip"


class TestAccess:
    @pytest.mark.parametrize(
        ("settings", "user", "status"),
        [
            ({}, "", "pass"),
            ({"CapDrop": ["NET_RAW"]}, "root", "pass"),
            ({"CapDrop": ["ALL"]}, "", "fail"),
            ({"CapDrop": ["CAP_DAC_OVERRIDE"]}, "0", "fail"),
            ({"CapDrop": ["ALL"], "CapAdd": ["DAC_OVERRIDE"]}, "", "pass"),
            ({"CapDrop": ["ALL"], "GroupAdd": ["1000"]}, "", "pass"),
            ({"CapDrop": ["ALL"], "Privileged": True}, "", "pass"),
            ({}, "1001:1001", "warn"),
            ({}, "1001:1000", "pass"),
            ({}, "HwHiAiUser", "pass"),
        ],
    )
    def test_who_may_open_nodes_of_mode_0660(self, host, judge, described, settings, user, status):
        one = described(devices=["/dev/davinci0"], host=settings, config={"User": user})

        assert judge(container_rights.access, host(commands=inspected(one))).status == status

    def test_the_group_has_the_number_that_it_has_on_the_host(self, host, judge, described):
        files = {"/etc/group": "HwHiAiUser:x:1002:\n"}
        one = described(devices=["/dev/davinci0"], config={"User": "1001:1002"})

        assert judge(container_rights.access, host(files=files, commands=inspected(one))).status == "pass"

    def test_the_listing_of_the_nodes_says_whose_they_are_and_what_others_may(self, host, judge, described):
        one = described(devices=["/dev/davinci0"], config={"User": "1001:1002"})

        def status(mode, group):
            nodes = f"total 0\n{mode} 1 root {group} 236, 0 Nov 12 08:30 davinci0\n"
            return judge(
                container_rights.access, host(commands={**inspected(one), "ls -l /dev": nodes})
            ).status

        assert status("crw-rw----", "1002") == "pass"
        assert status("crw-rw----", "HwHiAiUser") == "warn"
        assert status("crw-rw-rw-", "HwHiAiUser") == "pass"

    def test_a_driver_for_all_users_opens_to_everybody(self, host, judge, described):
        record = "UserName=HwHiAiUser\nUserGroup=HwHiAiUser\nDriver_Install_For_All=yes\n"
        one = described(devices=["/dev/davinci0"], config={"User": "1001"})

        found = judge(
            container_rights.access, host(files={"/etc/ascend_install.info": record}, commands=inspected(one))
        )

        assert found.status == "pass"

    @pytest.mark.parametrize(
        ("settings", "nodes", "status"),
        [
            ({}, "crw-rw----", "fail"),
            ({"GroupAdd": ["1000"]}, "crw-rw----", "fail"),
            ({"UsernsMode": "host"}, "crw-rw----", "pass"),
            ({}, "crw-rw-rw-", "pass"),
        ],
    )
    def test_a_user_namespace_keeps_everybody_inside_from_the_nodes(
        self, host, judge, described, settings, nodes, status
    ):
        commands = {
            "docker info": "Server:\n Server Version: 26.1.4\n Security Options:\n  seccomp\n  userns\n",
            "ls -l /dev": f"{nodes} 1 HwHiAiUser HwHiAiUser 236, 0 Nov 29 10:00 davinci0\n",
            **inspected(described("serve", ["/dev/davinci0"], host=settings)),
        }

        found = judge(container_rights.access, host(commands=commands))

        assert found.status == status
        if status == "fail":
            assert found.actual == "serve: user namespace: the nodes belong to nobody inside"
            assert found.fix.commands == ("docker run --userns=host …",)

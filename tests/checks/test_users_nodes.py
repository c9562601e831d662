import pytest

from npudoctor.checks import users_nodes

NO_NPU = {"lspci -nn": "00:00.0 Host bridge [0600]: Intel Device [8086:09a2]\n", "ls -l /dev": "total 0\n"}


def nodes(mode="crw-rw----", owner="HwHiAiUser", group="HwHiAiUser"):
    names = ("davinci0", "davinci_manager", "devmm_svm", "hisi_hdc")
    rows = (f"{mode} 1 {owner} {group} 236, {n} Mar  3 09:12 {name}\n" for n, name in enumerate(names))
    return {"ls -l /dev": "total 0\n" + "".join(rows)}


def test_nodes_of_the_drivers_group_pass(host, judge):
    found = judge(users_nodes.device_nodes, host(commands=nodes()))

    assert (found.status, found.actual) == ("pass", "4 nodes")


@pytest.mark.parametrize(
    "commands", [nodes(mode="crw-------"), nodes(mode="crw-r-----"), nodes(owner="root", group="root")]
)
def test_nodes_that_the_group_cannot_open_warn(host, judge, commands):
    found = judge(users_nodes.device_nodes, host(commands=commands))

    assert found.status == "warn"
    assert found.evidence[0].text.endswith("davinci0")


def test_nodes_that_everybody_may_open_pass_whatever_their_group(host, judge):
    assert (
        judge(users_nodes.device_nodes, host(commands=nodes("crw-rw-rw-", "root", "root"))).status == "pass"
    )


def test_a_number_counts_as_its_group(host, judge):
    group = {"/etc/group": "HwHiAiUser:x:1000:\n"}

    found = judge(users_nodes.device_nodes, host(files=group, commands=nodes(owner="1000", group="1000")))

    assert found.status == "pass"


def test_the_group_that_the_installer_was_told_counts(host, judge):
    record = {"/etc/ascend_install.info": "UserName=npu\nUserGroup=npu\n"}

    assert judge(users_nodes.device_nodes, host(files=record, commands=nodes(group="npu"))).status == "pass"
    assert judge(users_nodes.device_nodes, host(files=record, commands=nodes())).status == "warn"


def test_a_listing_without_modes_and_no_npu_are_not_judged(host, judge):
    plain = {"ls -l /dev": "davinci0\ndavinci_manager\n"}

    assert judge(users_nodes.device_nodes, host(commands=plain)).status == "skip"
    assert judge(users_nodes.device_nodes, host(commands=NO_NPU)).status == "skip"


def test_a_listing_that_nobody_made_is_unknown(host, judge):
    assert judge(users_nodes.device_nodes, host()).status == "unknown"

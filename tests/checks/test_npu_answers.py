import json

import pytest

from npudoctor.checks import npu_answers

BUSY = (
    "DrvMngGetConsoleLogLevel failed. (g_conLogLevel=3)\n"
    "dcmi model initialized failed, because the device is used. ret is -8020\n"
)
INNER = "dcmi module initialize failed. ret is -8005\n"
NODE = "total 0\ncrw-rw---- 1 HwHiAiUser HwHiAiUser 235, 0 Mar  3 09:12 davinci0\n"
LSPCI = "c1:00.0 Processing accelerators [1200]: Huawei Technologies Co., Ltd. Device [19e5:d802] (rev 20)\n"
TABLE = """\
+------------------------------------------------------------------------------------------------+
| npu-smi 24.1.rc3                 Version: 24.1.rc3                                             |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 93.7        41                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3102 / 65536         |
+===========================+===============+====================================================+
"""


def asked(host, judge, printed, **more):
    return judge(npu_answers.answers, host(commands={"npu-smi info": printed, **more}))


def test_a_table_without_an_error_line_passes(host, judge):
    assert asked(host, judge, TABLE).status == "pass"


def test_nothing_collected_is_unknown(host, judge):
    assert judge(npu_answers.answers, host()).status == "unknown"


def test_a_machine_without_npus_is_skipped(host, judge):
    bare = host(
        commands={"lspci -nn": "00:00.0 Host bridge [0600]: Intel [8086:09a2]\n"}, absent=["npu-smi info"]
    )

    assert judge(npu_answers.answers, bare).status == "skip"


def test_npus_without_npu_smi_fail(host, judge):
    finding = judge(npu_answers.answers, host(commands={"lspci -nn": LSPCI}, absent=["npu-smi info"]))

    assert (finding.status, finding.action) == ("fail", "reinstall")


def test_8005_of_a_user_outside_the_group_names_user_and_group(host, judge):
    finding = asked(
        host, judge, INNER, **{"ls -l /dev": NODE, "id": "uid=1001(ops) gid=1001(ops) groups=1001(ops)\n"}
    )

    assert finding.status == "fail"
    assert "ops is not in the group HwHiAiUser" in finding.actual
    assert finding.fix.commands == ("sudo usermod -a -G HwHiAiUser ops",)


def test_8005_of_root_does_not_blame_the_group(host, judge):
    finding = asked(
        host, judge, INNER, **{"ls -l /dev": NODE, "id": "uid=0(root) gid=0(root) groups=0(root)\n"}
    )

    assert "group" not in finding.actual
    assert finding.action == "reboot"


def test_8005_without_nodes_on_a_host_is_a_driver_that_is_not_loaded(host, judge):
    finding = asked(host, judge, INNER, **{"ls -l /dev": "total 0\n"})

    assert "no /dev/davinciN" in finding.actual
    assert finding.action == "reboot"


def test_8005_without_nodes_in_a_container_is_a_container_without_devices(host, judge):
    finding = asked(host, judge, INNER, **{"ls -l /dev": "total 0\n", "systemd-detect-virt": "docker\n"})

    assert "the container has no /dev/davinciN" in finding.actual
    assert "--device /dev/davinci0" in finding.fix.commands[0]


def test_8020_in_a_container_that_lacks_a_manager_node_names_the_node_and_how_to_give_it(host, judge):
    finding = asked(host, judge, BUSY, **{"ls -l /dev": NODE, "systemd-detect-virt": "docker\n"})

    assert "the container has no /dev/davinci_manager, /dev/hisi_hdc" in finding.actual
    assert finding.action == "configure"
    assert finding.fix.commands == (
        "docker run --device /dev/davinci_manager --device /dev/hisi_hdc …",
        "docker run --runtime=ascend -e ASCEND_VISIBLE_DEVICES=0 …",
    )


def test_a_container_without_npu_smi_is_told_to_mount_it(host, judge):
    inside = host(commands={"ls -l /dev": NODE, "systemd-detect-virt": "docker\n"}, absent=["npu-smi info"])

    finding = judge(npu_answers.answers, inside)

    assert (finding.status, finding.action) == ("warn", "configure")
    assert "-v /usr/local/bin/npu-smi:/usr/local/bin/npu-smi" in finding.fix.commands[1]


def test_8020_names_the_containers_that_map_npus(host, judge, described):
    inspected = json.dumps([described("serve", ["/dev/davinci0"])])

    finding = asked(host, judge, BUSY, **{"ls -l /dev": NODE, "docker inspect serve": inspected})

    assert finding.status == "fail"
    assert "-8020" in finding.actual
    assert "serve" in finding.actual


def test_8020_with_nothing_beside_it_says_what_the_number_means(host, judge):
    finding = asked(host, judge, BUSY)

    assert finding.actual == "-8020: the device is in use elsewhere, or not mapped into this container"


def test_no_loaded_module_explains_an_error(host, judge):
    finding = asked(host, judge, INNER, lsmod="Module                  Size  Used by\nnvme 61440 4\n")

    assert "no module of the driver is loaded" in finding.actual


@pytest.mark.parametrize(
    ("printed", "action"),
    [
        ("npu-smi: error while loading shared libraries: libdrvdsmi_host.so: cannot open\n", "configure"),
        ("bash: npu-smi: command not found\n", "reinstall"),
    ],
)
def test_a_missing_library_and_a_missing_tool_are_told_apart(host, judge, printed, action):
    finding = asked(host, judge, printed)

    assert (finding.status, finding.action) == ("fail", action)


def test_a_half_installed_driver_that_answers_warns(host, judge):
    warning = (
        "[WARNING]The driver package may not be completely installed, which may cause function abnormal.\n"
    )

    finding = asked(host, judge, warning + TABLE)

    assert (finding.status, finding.action) == ("warn", "reinstall")


def test_a_server_without_cards_is_skipped(host, judge):
    assert asked(host, judge, "There is no NPU card on this server.\n").status == "skip"

PASSWD = "root:x:0:0:root:/root:/bin/bash\nHwHiAiUser:x:1000:1000::/home/HwHiAiUser:/bin/bash\n"
GROUP = "root:x:0:\nHwHiAiUser:x:1000:trainer\n"


def test_the_user_who_runs_this_has_a_number_and_groups(host):
    users = host(
        commands={"id": "uid=1001(trainer) gid=1001(trainer) groups=1001(trainer),1000(HwHiAiUser)"}
    ).users

    assert users.uid.value == 1001
    assert users.me.value.in_group("HwHiAiUser")
    assert not users.me.value.in_group("root")


def test_a_user_and_a_group_are_proven_by_their_rows(host):
    users = host(files={"/etc/passwd": PASSWD, "/etc/group": GROUP}).users

    assert users.user("HwHiAiUser").value.home == "/home/HwHiAiUser"
    assert users.group("HwHiAiUser").evidence[0].text == "HwHiAiUser:x:1000:trainer"


def test_a_user_who_is_not_in_the_file_is_known_not_to_exist(host):
    nobody = host(files={"/etc/passwd": PASSWD}).users.user("npu")

    assert nobody.value is None
    assert nobody.evidence[0].text == "no row npu:"


def test_without_the_file_nobody_is_known(host):
    assert not host().users.user("HwHiAiUser").known

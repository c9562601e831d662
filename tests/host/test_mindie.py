"""MindIE: there, of which version, with its model library or without."""

from __future__ import annotations

VERSION = "Ascend-mindie : MindIE 2.1.RC1.B152\nmindie-llm: 2.1.RC1.B152\nPlatform : aarch64\n"
ROW = "drwxr-xr-x 9 root root 90 Sep 21 17:04"


def test_the_version_file_is_found_in_a_users_home_too(host):
    found = host({"/home/mindieuser/Ascend/mindie/latest/version.info": VERSION}).mindie

    assert found.version.value == "2.1.RC1.B152"
    assert found.version.evidence[0].text == "Ascend-mindie : MindIE 2.1.RC1.B152"


def test_a_folder_without_it_says_that_it_is_not_there(host):
    none = host(commands={"ls -l /usr/local/Ascend": f"total 0\n{ROW} driver\n"}).mindie

    assert none.version.absent
    assert none.models.value is False


def test_where_nobody_looked_nothing_is_known(host):
    assert not host().mindie.version.absent
    assert not host().mindie.models.known


def test_a_machine_without_ascend_has_none(host):
    missing = "ls: cannot access '/usr/local/Ascend': No such file or directory\n"

    assert host(commands={"ls -ld /usr/local/Ascend": missing}).mindie.version.absent

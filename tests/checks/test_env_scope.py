"""What the checks of the environment share."""

from __future__ import annotations

from npudoctor.checks.env_scope import applies, line, shortened


def test_the_line_of_a_list_shows_the_part_that_matters():
    assert line("PATH", "/a:/b:/c", "/b").text == "PATH=…:/b:…"
    assert line("PATH", "/a:/b", "/a").text == "PATH=/a:…"
    assert line("PATH", "/a:/b", "/b").text == "PATH=…:/b"
    assert line("PATH", "/a").text == "PATH=/a"


def test_a_long_list_of_troubles_is_cut_and_doubles_count_once():
    assert shortened(["a", "a", "b"]) == "a; b"
    assert shortened(list("abcdef")) == "a; b; c; d; and 2 more"


def test_an_environment_is_of_ascend_by_its_variables_its_cann_or_its_npus(host):
    install = "/usr/local/Ascend/cann-8.5.0/aarch64-linux/ascend_toolkit_install.info"
    nodes = "crw-rw---- 1 HwHiAiUser HwHiAiUser 236, 0 Jan  1 00:00 davinci0\n"

    assert applies(host(environment="HCCL_IF_IP=10.0.0.1\n"))
    assert applies(host(environment="A=1\n", files={install: "version=8.5.0\narch=aarch64\n"}))
    assert applies(host(environment="A=1\n", commands={"ls -l /dev": nodes}))
    assert not applies(host(environment="A=1\n"))

"""Serving engines."""

from __future__ import annotations

from npudoctor.checks.serving import vllm_without_plugin
from npudoctor.finding import Status

HEAD = "# /opt/venv/bin/python3 3.11.9\n"
A2 = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802]\n"}


def test_vllm_without_its_plugin_fails_on_an_npu_machine(host):
    assert vllm_without_plugin(host(commands=A2, packages=HEAD + "vllm==0.11.0\n")).status is Status.FAIL


def test_vllm_with_its_plugin_passes(host):
    both = HEAD + "vllm==0.11.0+empty\nvllm-ascend==0.11.0\n"

    assert vllm_without_plugin(host(commands=A2, packages=both)).status is Status.PASS


def test_a_lonely_vllm_beside_a_whole_pair_is_a_warning(host):
    two = HEAD + "vllm==0.11.0\nvllm-ascend==0.11.0\n# /usr/bin/python3 3.10.12\nvllm==0.6.0\n"

    assert vllm_without_plugin(host(commands=A2, packages=two)).status is Status.WARN


def test_no_vllm_is_nothing_to_judge(host):
    assert vllm_without_plugin(host(packages=HEAD)).status is Status.SKIP

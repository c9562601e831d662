"""Serving engines."""

from __future__ import annotations

import pytest

from npudoctor.checks.serving import mindie_parts, vllm_without_plugin
from npudoctor.fact import Unavailable
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


MINDIE = "/usr/local/Ascend/mindie/latest/version.info"
WHOLE = "Ascend-mindie : MindIE 2.1.RC1\nmindie-rt: 2.1.RC1\nmindie-llm: 2.1.RC1\nPlatform : aarch64\n"
ROW = "drwxr-xr-x 9 root root 90 Sep 21 17:04"


def ascend(*names: str) -> dict[str, str]:
    return {"ls -l /usr/local/Ascend": "total 0\n" + "".join(f"{ROW} {name}\n" for name in names)}


def test_a_whole_mindie_passes(host):
    assert mindie_parts(host({MINDIE: WHOLE}, ascend("mindie", "atb-models"))).status is Status.PASS


def test_parts_of_another_version_fail(host):
    mixed = WHOLE.replace("mindie-llm: 2.1.RC1", "mindie-llm: 2.0.RC2")

    assert mindie_parts(host({MINDIE: mixed}, ascend("mindie", "atb-models"))).status is Status.FAIL


def test_mindie_without_its_model_library_is_a_warning(host):
    assert mindie_parts(host({MINDIE: WHOLE}, ascend("mindie"))).status is Status.WARN


def test_no_mindie_is_nothing_to_judge_and_nobody_looked_is_unknown(host):
    assert mindie_parts(host(commands=ascend("cann-8.5.0"))).status is Status.SKIP
    with pytest.raises(Unavailable):
        mindie_parts(host())

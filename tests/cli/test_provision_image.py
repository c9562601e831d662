"""`npudoctor provision image`."""

import json
import shlex

from npudoctor.provision.image import dockerfiles


def test_it_prints_a_command_to_paste(npudoctor):
    ended = npudoctor("provision", "image", "--stack", "a2-cann8.5.0-vllm0.13.0")
    words = shlex.split(ended.stdout.replace("\\\n", ""))
    assert ended.returncode == 0
    assert words[:2] == ["docker", "build"]
    assert "BASE_IMAGE=quay.io/ascend/vllm-ascend:v0.13.0" in words


def test_the_json_holds_the_same(npudoctor):
    arguments = (
        "provision",
        "image",
        "--stack",
        "a2-cann8.5.0-vllm0.13.0",
        "--tag",
        "mine:1",
        "--format",
        "json",
    )
    document = json.loads(npudoctor(*arguments).stdout)
    assert (document["schema"], document["tag"]) == ("npudoctor.image/1", "mine:1")
    assert "mine:1" in document["command"]


def test_what_is_missing_or_unknown_is_said_in_one_line(npudoctor):
    for arguments in ((), ("--stack", "a2-cann8.5.0-vllm0.13.1"), ("--stack", "a2-cann9.0.0-vllm0.18.0")):
        ended = npudoctor("provision", "image", *arguments)
        assert (ended.returncode, ended.stderr.count("\n"), ended.stdout) == (2, 1, "")


def test_a_build_that_fails_is_exit_code_1_and_no_engine_2(npudoctor):
    arguments = ("provision", "image", "--stack", "a2-cann8.5.0-vllm0.13.0", "--build", "--engine")
    assert npudoctor(*arguments, "false").returncode == 1
    ended = npudoctor(*arguments, "no-such-engine")
    assert ended.returncode == 2
    assert "no-such-engine" in ended.stderr


def test_the_gate_accepts_every_image(npudoctor):
    ended = npudoctor("gate", str(dockerfiles()), "--format", "json")
    assert ended.returncode == 0, ended.stdout
    summary = json.loads(ended.stdout)["summary"]
    assert (summary["fail"], summary["warn"]) == (0, 0)
    assert summary["hosts"] == 3  # that of npudoctor itself has nothing of Ascend in it

"""`--stack NAME`: what a host, or what is deployed, should be."""

import json

STACK = "a2-cann8.5.0-vllm0.13.0"
DOCKERFILE = "FROM quay.io/ascend/vllm-ascend:v0.13.0\nRUN pip install torch==2.8.0 torch-npu==2.8.0.post2\n"


def statuses(ended):
    (host,) = json.loads(ended.stdout)["hosts"]
    return {one["id"]: one["status"] for one in host["findings"] if one["id"].endswith(".of_stack")}


def test_a_host_that_is_the_stack_passes(npudoctor):
    ended = npudoctor("check", "--sample", "a2-healthy", "--stack", STACK, "--format", "json")

    assert ended.returncode == 0
    assert set(statuses(ended).values()) == {"pass"}
    assert len(statuses(ended)) == 7


def test_versions_that_differ_are_findings(npudoctor):
    ended = npudoctor(
        "check", "--sample", "a2-healthy", "--stack", "a2-cann9.1.0-vllm0.23.0", "--format", "json"
    )

    assert ended.returncode == 1
    found = statuses(ended)
    assert found.pop("npu.of_stack") == "pass"
    assert len(found) == 6
    assert set(found.values()) == {"fail"}


def test_without_a_stack_no_check_speaks_of_one(npudoctor):
    assert statuses(npudoctor("check", "--sample", "a2-healthy", "--format", "json")) == {}


def test_to_ask_for_these_checks_alone_needs_a_stack(npudoctor):
    ended = npudoctor("check", "--sample", "a2-healthy", "--only", "*.of_stack")

    assert ended.returncode == 2
    assert "--stack NAME" in ended.stderr


def test_an_unknown_stack_is_wrong_usage_and_the_nearest_is_told(npudoctor):
    ended = npudoctor("check", "--sample", "a2-healthy", "--stack", "a2-cann8.5.0-vllm0.13")

    assert ended.returncode == 2
    assert f"did you mean {STACK}" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_the_gate_takes_it_too(npudoctor, tmp_path):
    (tmp_path / "Dockerfile").write_text(DOCKERFILE)

    assert npudoctor("gate", ".", "--stack", STACK, "--only", "*.of_stack").returncode == 0
    assert (
        npudoctor("gate", ".", "--stack", "a2-cann8.5.0-torch2.7.1", "--only", "*.of_stack").returncode == 1
    )
    assert npudoctor("gate", ".", "--stack", "nothing").returncode == 2


def test_the_shell_completes_its_name(npudoctor):
    words = "npudoctor check --stack a2-cann8.5.0-vllm0.13"
    ended = npudoctor(env={"_NPUDOCTOR_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": "3"})

    assert ended.stdout.split() == [STACK]


def test_stacks_are_shown_and_explained(npudoctor):
    assert STACK in npudoctor("matrix", "show", "stacks").stdout
    explained = npudoctor("explain", STACK).stdout
    assert "driver 25.5.0" in explained
    assert "read 2026-08" in explained

import json

import pytest

from npudoctor.checks import container_start

CANN = "LD_LIBRARY_PATH=/usr/local/Ascend/ascend-toolkit/latest/lib64:/usr/local/Ascend/driver/lib64"
DRIVER_ONLY = "LD_LIBRARY_PATH=/usr/local/Ascend/driver/lib64"


def starting(described, entrypoint, command=(), env=()):
    config = {"Entrypoint": list(entrypoint), "Cmd": list(command)}
    return {
        "docker inspect serve": json.dumps([described(devices=["/dev/davinci0"], config=config, env=env)])
    }


@pytest.mark.parametrize(
    ("entrypoint", "command", "env", "status"),
    [
        (["vllm"], ["serve"], [CANN], "pass"),
        (["vllm"], ["serve"], [DRIVER_ONLY], "warn"),
        ([], ["python3", "server.py"], [], "warn"),
        (["/bin/bash", "-c"], ["source /usr/local/Ascend/cann/set_env.sh && vllm serve"], [], "pass"),
        (["/bin/bash", "-c"], ["vllm serve"], [], "warn"),
        (["bash", "-c"], ["exec HF_HOME=/m vllm serve"], [], "warn"),
        (["bash", "-c"], ["vllm serve"], ["BASH_ENV=/etc/ascend"], "skip"),
        (["bash", "-lc"], ["vllm serve"], [], "skip"),
        (["bash", "-c"], ["cd /w && vllm serve"], [], "skip"),
        (["bash", "-c"], ["/opt/run.sh"], [], "skip"),
        (["bash", "-c"], [". /opt/env"], [], "skip"),
        (["bash"], [], [], "skip"),
        (["/usr/bin/tini", "--", "vllm"], ["serve"], [], "warn"),
        (["/usr/bin/tini", "--", "/start.sh"], [], [], "skip"),
        (["/opt/run.sh"], [], [], "skip"),
        (["/usr/local/bin/docker-entrypoint"], ["vllm"], [], "skip"),
    ],
)
def test_a_program_needs_the_environment_that_a_shell_may_bring(
    host, judge, described, entrypoint, command, env, status
):
    found = judge(container_start.entrypoint, host(commands=starting(described, entrypoint, command, env)))

    assert found.status == status


def test_the_finding_names_the_program(host, judge, described):
    found = judge(container_start.entrypoint, host(commands=starting(described, ["vllm"], ["serve"])))

    assert found.actual == "serve: vllm runs without set_env.sh"
    assert found.evidence[0].text == "Entrypoint: vllm Cmd: serve"

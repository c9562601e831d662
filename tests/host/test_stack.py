"""What is known of the stack that reads an environment."""

from __future__ import annotations

from npudoctor.host.stack import judge_environment, versions_of

TOOLKIT = "/usr/local/Ascend/ascend-toolkit/8.1.RC1/aarch64-linux/ascend_toolkit_install.info"
INFO = "package_name=Ascend-cann-toolkit\nversion=8.1.RC1\narch=aarch64\nos=linux\n"


def test_versions_come_from_the_areas_of_the_host(host):
    machine = host(
        files={TOOLKIT: INFO},
        packages="# /usr/bin/python3 3.11.9\ntorch==2.5.1\ntorch-npu==2.5.1.post1\nvllm_ascend==0.9.1\n",
        environment="A=1\n",
    )

    versions = versions_of(machine)

    assert (versions.cann, versions.torch_npu, versions.vllm_ascend) == ("8.1.RC1", "2.5.1.post1", "0.9.1")
    assert versions.mindie is None
    assert versions.chip is None


def test_a_version_that_differs_between_pythons_is_not_known(host):
    blocks = "# /opt/a/bin/python 3.10.1\ntorch-npu==2.5.1\n\n# /opt/b/bin/python 3.11.1\ntorch-npu==2.6.0\n"
    machine = host(packages="# /usr/bin/python3 3.9.2\nnumpy==1.26.4\n\n" + blocks, environment="A=1\n")

    assert versions_of(machine).torch_npu is None


def test_the_engine_judges_with_them(host):
    packages = "# /usr/bin/python3 3.11.9\nvllm_ascend==0.13.0\n"
    machine = host(environment="VLLM_ASCEND_ENABLE_DBO=1\n", packages=packages)

    assert [one.name for one in judge_environment(machine)] == ["VLLM_ASCEND_ENABLE_DBO"]
    assert machine.environment_judgements == judge_environment(machine)

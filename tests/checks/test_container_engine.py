import json

import pytest

from npudoctor.checks import container_engine

CONFIG = "/etc/docker/daemon.json"
ASCEND = {"runtimes": {"ascend": {"path": "/usr/local/Ascend/Ascend-Docker-Runtime/ascend-docker-runtime"}}}
NPU = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802] (rev 20)\n"}


def info(runtimes="runc", version="24.0.7"):
    return {
        **NPU,
        "docker info": f" Server Version: {version}\n Runtimes: {runtimes}\n Default Runtime: runc\n",
    }


class TestEngineConfig:
    def test_a_json_object_passes(self, host, judge):
        found = judge(
            container_engine.engine_config, host(files={CONFIG: json.dumps(ASCEND)}, commands=info())
        )

        assert (found.status, found.actual) == ("pass", "default runtime runc")

    def test_broken_json_fails_before_the_next_restart_does(self, host, judge):
        found = judge(
            container_engine.engine_config, host(files={CONFIG: '{"runtimes": {,}}'}, commands=info())
        )

        assert found.status == "fail"
        assert "not valid JSON" in found.actual

    def test_no_file_and_no_engine_are_not_judged(self, host, judge):
        assert judge(container_engine.engine_config, host(commands=info(), absent=[CONFIG])).status == "skip"
        assert (
            judge(container_engine.engine_config, host(commands=NPU, absent=["docker info"])).status == "skip"
        )

    def test_a_file_that_nobody_read_is_unknown(self, host, judge):
        assert judge(container_engine.engine_config, host(commands=info())).status == "unknown"


class TestRuntime:
    def test_a_runtime_that_is_configured_and_loaded_passes(self, host, judge):
        both = host(files={CONFIG: json.dumps(ASCEND)}, commands=info("ascend runc"))

        assert judge(container_engine.runtime, both).status == "pass"

    def test_a_runtime_that_waits_for_a_restart_warns(self, host, judge):
        found = judge(
            container_engine.runtime, host(files={CONFIG: json.dumps(ASCEND)}, commands=info("runc"))
        )

        assert found.status == "warn"
        assert found.fix.commands[0] == "systemctl restart docker"

    def test_a_runtime_whose_program_is_not_there_fails(self, host, judge):
        path = ASCEND["runtimes"]["ascend"]["path"]
        looked = {f"ls -ld {path}": f"ls: cannot access '{path}': No such file or directory\n"}

        found = judge(
            container_engine.runtime,
            host(files={CONFIG: json.dumps(ASCEND)}, commands={**info("ascend runc"), **looked}),
        )

        assert (found.status, found.expected) == ("fail", path)

    def test_one_that_is_installed_and_not_registered_warns(self, host, judge):
        path = container_engine.PROGRAM
        looked = {f"ls -ld {path}": f"-r-x------ 1 root root 5501288 Nov  3 09:12 {path}\n"}

        found = judge(container_engine.runtime, host(commands={**info("runc"), **looked}, absent=[CONFIG]))

        assert found.status == "warn"
        assert found.fix.commands[0].endswith("--install")

    def test_a_host_without_it_is_right_too(self, host, judge):
        assert judge(container_engine.runtime, host(commands=info("runc"), absent=[CONFIG])).status == "skip"

    def test_an_engine_that_does_not_answer_is_unknown(self, host, judge):
        assert judge(container_engine.runtime, host(commands=NPU)).status == "unknown"


class TestEngineVersion:
    @pytest.mark.parametrize(
        ("version", "status"),
        [
            ("18.09.9", "pass"),
            ("24.0.7", "pass"),
            ("28.5.1", "pass"),
            ("18.06.3-ce", "warn"),
            ("29.0.0", "warn"),
        ],
    )
    def test_versions_that_the_ascend_runtime_is_made_for(self, host, judge, version, status):
        found = judge(container_engine.engine_version, host(commands=info("ascend runc", version)))

        assert found.status == status

    def test_a_mindie_container_asks_for_24(self, host, judge, described):
        mindie = json.dumps([described("mindie", ["/dev/davinci0"], image="mindie:2.3.0-800I-A2")])

        def status(version):
            commands = {**info("runc", version), "docker inspect mindie": mindie}
            return judge(container_engine.engine_version, host(commands=commands)).status

        assert status("20.10.24") == "warn"
        assert status("24.0.7") == "skip"

    def test_any_docker_gives_device_nodes(self, host, judge):
        assert judge(container_engine.engine_version, host(commands=info("runc", "17.03.0"))).status == "skip"

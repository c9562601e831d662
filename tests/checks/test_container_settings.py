import json

import pytest

from npudoctor.checks import container_settings

TWO = ["/dev/davinci0", "/dev/davinci1"]
MB = 1024**2


def inspected(*containers):
    return {f"docker inspect {one['Name'][1:]}": json.dumps([one]) for one in containers}


class TestShm:
    @pytest.mark.parametrize(
        ("settings", "status"),
        [
            ({"ShmSize": 1024 * MB}, "pass"),
            ({"ShmSize": 512 * MB}, "warn"),
            ({"ShmSize": 64 * MB}, "fail"),
            ({"ShmSize": 64 * MB, "IpcMode": "host"}, "pass"),
            ({"ShmSize": 64 * MB, "IpcMode": "container:5f0c"}, "pass"),
        ],
    )
    def test_several_npus_need_1_gb(self, host, judge, described, settings, status):
        found = judge(container_settings.shm, host(commands=inspected(described(devices=TWO, host=settings))))

        assert found.status == status

    def test_one_npu_needs_none(self, host, judge, described):
        one = described(devices=TWO[:1], host={"ShmSize": 64 * MB})

        assert judge(container_settings.shm, host(commands=inspected(one))).status == "pass"

    def test_a_privileged_container_has_all_npus(self, host, judge, described):
        driver = ("/usr/local/Ascend/driver", "/usr/local/Ascend/driver")
        wide = described(host={"ShmSize": 64 * MB, "Privileged": True}, mounts=[driver])

        assert judge(container_settings.shm, host(commands=inspected(wide))).status == "fail"

    def test_a_mount_in_its_place_is_enough(self, host, judge, described):
        mounted = described(devices=TWO, host={"ShmSize": 64 * MB}, mounts=[("/dev/shm", "/dev/shm")])

        assert judge(container_settings.shm, host(commands=inspected(mounted))).status == "pass"

    def test_a_size_that_the_engine_does_not_tell_is_unknown(self, host, judge, described):
        assert (
            judge(container_settings.shm, host(commands=inspected(described(devices=TWO)))).status
            == "unknown"
        )


class TestStack:
    def stack(self, soft):
        return {"Ulimits": [{"Name": "stack", "Soft": soft, "Hard": -1}]}

    @pytest.mark.parametrize(("soft", "status"), [(16 * MB, "pass"), (-1, "pass"), (8 * MB, "fail")])
    def test_16_mb_or_more(self, host, judge, described, soft, status):
        one = described(devices=TWO, host=self.stack(soft))

        assert judge(container_settings.stack, host(commands=inspected(one))).status == status

    def test_the_engines_default_counts_for_containers_that_set_none(self, host, judge, described):
        default = {"default-ulimits": {"stack": {"Name": "stack", "Soft": 8 * MB, "Hard": 8 * MB}}}
        files = {"/etc/docker/daemon.json": json.dumps(default)}

        own = described("own", TWO, host=self.stack(16 * MB))
        bare = described("bare", ["/dev/davinci2"])

        found = judge(container_settings.stack, host(files=files, commands=inspected(own, bare)))

        assert (found.status, found.actual) == ("fail", "bare: stack of 8192 KB")

    def test_where_nothing_sets_one_the_service_is_judged(self, host, judge, described):
        found = judge(container_settings.stack, host(commands=inspected(described(devices=TWO))))

        assert found.status == "skip"


class TestRestart:
    @pytest.mark.parametrize(
        ("policy", "terminal", "running", "status"),
        [
            ("unless-stopped", False, True, "pass"),
            ("no", False, True, "warn"),
            ("no", True, True, "pass"),
            ("no", False, False, "pass"),
        ],
    )
    def test_what_serves_without_a_terminal_comes_back(
        self, host, judge, described, policy, terminal, running, status
    ):
        one = described(
            devices=TWO, host={"RestartPolicy": {"Name": policy}}, config={"Tty": terminal}, running=running
        )

        assert judge(container_settings.restart, host(commands=inspected(one))).status == status

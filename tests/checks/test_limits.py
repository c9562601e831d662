import json

import pytest

from npudoctor.checks import limits

SHOW = "systemctl show -p Id,LoadState,LimitSTACK,LimitSTACKSoft docker containerd kubelet isulad"


def shown(unit, soft, hard="infinity", state="loaded"):
    return f"Id={unit}.service\nLoadState={state}\nLimitSTACK={hard}\nLimitSTACKSoft={soft}\n\n"


class TestStack:
    @pytest.mark.parametrize("printed", ["16384\n", "65536\n", "unlimited\n"])
    def test_16_mb_or_more_passes(self, host, judge, printed):
        assert judge(limits.stack, host(commands={"ulimit -s": printed})).status == "pass"

    @pytest.mark.parametrize("printed", ["8192\n", "16383\n", "0\n"])
    def test_less_fails_and_shows_the_value_and_how_to_raise_it(self, host, judge, printed):
        finding = judge(limits.stack, host(commands={"ulimit -s": printed}))

        assert finding.status == "fail"
        assert finding.evidence[0].source == "ulimit -s"
        assert finding.evidence[0].text == printed
        assert finding.fix.commands[0] == "ulimit -s 16384"
        assert finding.action == "configure"

    def test_a_limit_that_nobody_read_is_unknown(self, host, judge):
        assert judge(limits.stack, host()).status == "unknown"

    def test_words_in_place_of_a_number_are_unknown(self, host, judge):
        finding = judge(limits.stack, host(commands={"ulimit -s": "stack size (kbytes, -s) ?\n"}))

        assert finding.status == "unknown"


class TestStackServices:
    def test_an_engine_with_the_usual_8_mb_warns(self, host, judge):
        small = host(commands={SHOW: shown("docker", 8388608) + shown("containerd", "infinity")})

        finding = judge(limits.stack_services, small)

        assert finding.status == "warn"
        assert finding.actual == "docker: 8192 KB"
        assert "/etc/systemd/system/docker.service.d/90-ascend-stack.conf" in finding.fix.commands[1]
        assert finding.evidence[0].text == "Id=docker.service LimitSTACKSoft=8388608"

    def test_kubelet_is_no_worse_than_an_engine(self, host, judge):
        finding = judge(limits.stack_services, host(commands={SHOW: shown("kubelet", 8388608)}))

        assert finding.status == "warn"

    def test_another_service_with_a_small_stack_fails(self, host, judge):
        unit = "[Service]\nExecStart=/opt/serve/run.sh\nLimitSTACK=8M\n"

        finding = judge(limits.stack_services, host(files={"/etc/systemd/system/serve.service": unit}))

        assert finding.status == "fail"
        assert finding.evidence[0].text == "LimitSTACK=8M"

    def test_a_drop_in_counts_before_the_unit_file(self, host, judge):
        files = {
            "/usr/lib/systemd/system/docker.service": "[Service]\nLimitSTACK=8M\n",
            "/etc/systemd/system/docker.service.d/stack.conf": "[Service]\nLimitSTACK=16M:infinity\n",
        }

        assert judge(limits.stack_services, host(files=files)).status == "pass"

    def test_what_systemd_says_counts_before_the_files(self, host, judge):
        files = {"/etc/systemd/system/docker.service.d/stack.conf": "[Service]\nLimitSTACK=16M\n"}

        finding = judge(limits.stack_services, host(files=files, commands={SHOW: shown("docker", 8388608)}))

        assert finding.status == "warn"

    def test_default_ulimits_of_docker_give_containers_their_own_stack(self, host, judge):
        limit = {"Name": "stack", "Soft": 67108864, "Hard": 67108864}
        config = json.dumps({"default-ulimits": {"stack": limit}})

        finding = judge(
            limits.stack_services,
            host(files={"/etc/docker/daemon.json": config}, commands={SHOW: shown("docker", 8388608)}),
        )

        assert finding.status == "pass"

    def test_units_that_do_not_exist_do_not_count(self, host, judge):
        missing = shown("kubelet", 8388608, state="not-found")

        finding = judge(limits.stack_services, host(commands={SHOW: shown("docker", "infinity") + missing}))

        assert finding.status == "pass"
        assert "kubelet" not in finding.actual

    def test_only_the_hard_limit_leaves_the_question_open(self, host, judge):
        hard_only = host(commands={"systemctl show -p LimitSTACK docker": "LimitSTACK=infinity\n"})

        assert judge(limits.stack_services, hard_only).status == "unknown"

    def test_a_limit_below_16_mb_without_its_unit_takes_the_name_from_the_command(self, host, judge):
        small = host(commands={"systemctl show -p LimitSTACK docker": "LimitSTACK=8388608\n"})

        assert judge(limits.stack_services, small).actual == "docker: 8192 KB"

    def test_nothing_collected_is_unknown(self, host, judge):
        assert judge(limits.stack_services, host()).status == "unknown"

    def test_it_does_not_apply_inside_a_container(self, host, judge):
        inside = host(commands={"systemd-detect-virt": "docker\n", SHOW: shown("docker", 8388608)})

        assert judge(limits.stack_services, inside).status == "skip"


class TestOpenFiles:
    @pytest.mark.parametrize(
        ("soft", "hard", "status"),
        [
            ("1024", "1048576", "pass"),
            ("1048576", "1048576", "pass"),
            ("1024", "4096", "warn"),
            ("unlimited", "unlimited", "pass"),
        ],
    )
    def test_the_hard_limit_decides(self, host, judge, soft, hard, status):
        commands = {"ulimit -n": f"{soft}\n", "ulimit -Hn": f"{hard}\n"}

        assert judge(limits.open_files, host(commands=commands)).status == status

    def test_without_a_hard_limit_the_soft_one_decides(self, host, judge):
        assert judge(limits.open_files, host(commands={"ulimit -n": "1024\n"})).status == "warn"

    def test_nothing_read_is_unknown(self, host, judge):
        assert judge(limits.open_files, host()).status == "unknown"


class TestProcesses:
    def test_fewer_than_64_fail(self, host, judge):
        assert judge(limits.processes, host(commands={"ulimit -u": "50\n"})).status == "fail"

    def test_a_tight_control_group_fails_whatever_the_shell_allows(self, host, judge):
        tight = host(commands={"ulimit -u": "unlimited\n"}, files={"/sys/fs/cgroup/pids.max": "32\n"})

        finding = judge(limits.processes, tight)

        assert finding.status == "fail"
        assert [line.source for line in finding.evidence] == ["/sys/fs/cgroup/pids.max"]

    def test_a_usual_limit_passes(self, host, judge):
        usual = host(commands={"ulimit -u": "2060000\n"}, files={"/sys/fs/cgroup/pids.max": "max\n"})

        assert judge(limits.processes, usual).status == "pass"

    def test_nothing_read_is_unknown(self, host, judge):
        assert judge(limits.processes, host()).status == "unknown"


class TestLockedMemory:
    LMCACHE = "# /usr/bin/python3 3.11.9\nlmcache==0.3.3\n"

    def test_without_lmcache_it_does_not_apply(self, host, judge):
        finding = judge(limits.locked_memory, host(commands={"ulimit -l": "64\n"}))

        assert finding.status == "skip"

    @pytest.mark.parametrize(("printed", "status"), [("8192\n", "warn"), ("unlimited\n", "pass")])
    def test_with_lmcache_only_unlimited_passes(self, host, judge, printed, status):
        caching = host(commands={"ulimit -l": printed}, packages=self.LMCACHE)

        assert judge(limits.locked_memory, caching).status == status

    def test_with_lmcache_and_no_limit_read_it_is_unknown(self, host, judge):
        assert judge(limits.locked_memory, host(packages=self.LMCACHE)).status == "unknown"


@pytest.mark.parametrize(("line", "name"), [("ulimit -s", "stack"), ("ulimit -n", "nofile")])
def test_the_limits_of_a_container_are_those_that_it_is_started_with(line, name, host, judge):
    check = limits.stack if name == "stack" else limits.open_files
    inside = host(commands={line: "1024\n", "systemd-detect-virt": "docker\n"})

    assert judge(check, inside).fix.commands[0].startswith(f"docker run --ulimit {name}=")

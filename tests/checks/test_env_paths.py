"""set_env.sh and the paths that it sets."""

from __future__ import annotations

import pytest

from npudoctor.checks import env_paths

A = "/usr/local/Ascend"
OLD, NEW = f"{A}/ascend-toolkit/8.1.RC1", f"{A}/cann-8.5.0"
INFO = "package_name=Ascend-cann-toolkit\nversion={version}\narch=aarch64\nos=linux\n"
DRIVER = f"{A}/driver/lib64:{A}/driver/lib64/common:{A}/driver/lib64/driver"


def _toolkit(root: str, version: str) -> dict[str, str]:
    return {f"{root}/aarch64-linux/ascend_toolkit_install.info": INFO.format(version=version)}


def _environment(root: str, times: int = 1, front: str = "", behind: str = "") -> str:
    libraries = f"{root}/lib64:{root}/lib64/plugin/opskernel:{root}/lib64/plugin/nnengine"
    return (
        f"ASCEND_HOME_PATH={root}\nASCEND_TOOLKIT_HOME={root}\nASCEND_OPP_PATH={root}/opp\n"
        f"PYTHONPATH={root}/python/site-packages:\n"
        f"LD_LIBRARY_PATH={front}{':'.join([libraries] * times)}:{DRIVER}{behind}\n"
    )


def test_a_cann_with_no_environment_is_a_warning_that_says_what_to_source(host, judge):
    old = judge(env_paths.set_env_sourced, host(files=_toolkit(OLD, "8.1.RC1"), environment="HOME=/root\n"))
    new = judge(env_paths.set_env_sourced, host(files=_toolkit(NEW, "8.5.0"), environment="HOME=/root\n"))

    assert (old.status, new.status) == ("warn", "warn")
    assert old.fix.commands == (f"source {A}/ascend-toolkit/set_env.sh",)
    assert new.fix.commands == (f"source {NEW}/set_env.sh",)


def test_an_environment_that_is_set_up_passes(host, judge):
    machine = host(files=_toolkit(OLD, "8.1.RC1"), environment=_environment(OLD))

    assert judge(env_paths.set_env_sourced, machine).status == "pass"


def test_a_home_without_libraries_is_half_set_up(host, judge):
    machine = host(files=_toolkit(OLD, "8.1.RC1"), environment=f"ASCEND_HOME_PATH={OLD}\n")

    finding = judge(env_paths.set_env_sourced, machine)

    assert finding.status == "warn"
    assert "LD_LIBRARY_PATH" in finding.actual


PROFILE = """\
# Written by npudoctor
if [ -n "${{BASH_VERSION:-}}${{ZSH_VERSION:-}}" ] && [ -z "${{ASCEND_HOME_PATH:-}}" ]; then
    [ -r {script} ] && . {script}
fi
"""
AFAR = {"npudoctor clock": "1795994000.100 1795994003.900 0123456789ab\n"}
LINKED = {f"ls -l {A}": "total 0\nlrwxrwxrwx 1 root root 10 Nov 30 09:00 cann -> cann-8.5.0\n"}


@pytest.mark.parametrize(
    ("root", "version", "script", "commands", "status"),
    [
        (NEW, "8.5.0", f"{A}/cann/set_env.sh", AFAR | LINKED, "pass"),
        (OLD, "8.1.RC1", f"{A}/ascend-toolkit/set_env.sh", AFAR, "pass"),
        (OLD, "8.1.RC1", f"{A}/cann/set_env.sh", AFAR, "warn"),  # logins source a CANN that is not there
        (NEW, "8.5.0", f"{A}/cann/set_env.sh", LINKED, "warn"),  # a person's own shell, or a process
    ],
)
def test_a_session_over_ssh_is_no_login_and_counts_as_what_logins_are_given(
    host, judge, root, version, script, commands, status
):
    files = {**_toolkit(root, version), env_paths.LOGINS: PROFILE.format(script=script)}
    machine = host(files=files, commands=commands, environment="HOME=/root\n")

    finding = judge(env_paths.set_env_sourced, machine)

    assert finding.status == status
    assert status == "warn" or finding.evidence[0].text == f"[ -r {script} ] && . {script}"


def test_where_no_cann_is_installed_nothing_has_to_be_sourced(host, judge):
    machine = host(environment="HOME=/root\n", commands={f"ls -l {A}": "total 0\n"})

    assert judge(env_paths.set_env_sourced, machine).status == "skip"


@pytest.mark.parametrize(
    ("times", "virtualization", "status"),
    [(1, "none", "pass"), (2, "none", "warn"), (3, "docker", "pass"), (6, "docker", "warn")],
)
def test_sourcing_it_twice_is_a_warning_and_usual_in_containers(host, judge, times, virtualization, status):
    machine = host(
        environment=_environment(OLD, times),
        commands={"systemd-detect-virt": virtualization + "\n"},
        files={"/proc/1/cgroup": "0::/\n"},
        absent=["/.dockerenv", "/run/.containerenv"],
    )

    finding = judge(env_paths.set_env_twice, machine)

    assert finding.status == status
    assert f"{times} times" in finding.actual


def test_where_nobody_looked_for_a_container_the_variables_of_an_image_tell(host, judge):
    twice = _environment(OLD, 2)

    assert judge(env_paths.set_env_twice, host(environment=twice)).status == "warn"
    image = host(environment=twice + "ASCEND_TOOLKIT_LATEST_HOME=/x\n")
    assert judge(env_paths.set_env_twice, image).status == "pass"


def test_two_canns_named_side_by_side_fail(host, judge):
    text = _environment(OLD).replace(f"ASCEND_OPP_PATH={OLD}", f"ASCEND_OPP_PATH={NEW}")

    finding = judge(env_paths.one_cann_tree, host(environment=text))

    assert finding.status == "fail"
    assert [line.text for line in finding.evidence] == [
        f"ASCEND_HOME_PATH={OLD}",
        f"ASCEND_OPP_PATH={NEW}/opp",
    ]


def test_a_second_cann_in_front_fails_and_one_behind_is_a_warning(host, judge):
    front = host(environment=_environment(OLD, front=f"{NEW}/lib64:"))
    behind = host(environment=_environment(OLD, behind=f":{NEW}/lib64"))

    assert judge(env_paths.one_cann_tree, front).status == "fail"
    assert judge(env_paths.one_cann_tree, behind).status == "warn"


def test_the_compatible_link_of_8_5_is_the_same_cann(host, judge):
    machine = host(environment=_environment(NEW, behind=f":{A}/ascend-toolkit/latest/lib64:{A}/cann/lib64"))

    assert judge(env_paths.one_cann_tree, machine).status == "pass"


def test_a_cann_at_another_place_is_another_cann(host, judge):
    machine = host(environment=_environment(f"{A}/cann", behind=":/home/ma/Ascend/cann/lib64"))

    assert judge(env_paths.one_cann_tree, machine).status == "warn"


def test_a_home_that_is_not_there_fails(host, judge):
    environment = f"ASCEND_HOME_PATH={NEW}\n"
    gone = host(environment=environment, absent=[f"{NEW}/aarch64-linux/ascend_toolkit_install.info"])
    there = host(environment=environment, files=_toolkit(NEW, "8.5.0"))

    assert judge(env_paths.paths_exist, gone).status == "fail"
    assert judge(env_paths.paths_exist, there).status == "pass"
    assert judge(env_paths.paths_exist, host(environment=environment)).status == "unknown"
    assert judge(env_paths.paths_exist, host(environment="A=1\n")).status == "skip"


@pytest.mark.parametrize(
    ("front", "status"),
    [
        ("", "pass"),
        (f"{OLD}/runtime/lib64/stub:", "fail"),
        (f"{OLD}/aarch64-linux/devlib:", "fail"),
        (f"{OLD}/tools/simulator/Ascend910B1/lib:", "fail"),
        ("/opt/miniconda3/envs/serve/lib:", "warn"),
        (f"{A}/nnal/atb/latest/atb/cxx_abi_1/lib:", "pass"),
    ],
)
def test_stubs_and_foreign_libraries_come_last(host, judge, front, status):
    finding = judge(env_paths.library_order, host(environment=_environment(OLD, front=front)))

    assert finding.status == status
    if status != "pass":
        assert finding.evidence[0].text == f"LD_LIBRARY_PATH={front}…"


def test_stubs_behind_the_driver_are_fine(host, judge):
    machine = host(environment=_environment(OLD, behind=f":{OLD}/runtime/lib64/stub:/opt/miniconda3/lib"))

    assert judge(env_paths.library_order, machine).status == "pass"


@pytest.mark.parametrize(
    "part", [f" {A}/lib", "~/lib", "$LD_LIBRARY_PATH", "${ASCEND_HOME_PATH}/lib64", f'"{A}/lib"']
)
def test_a_part_that_no_shell_expanded_is_a_warning(host, judge, part):
    finding = judge(env_paths.path_syntax, host(environment=_environment(OLD, front=part + ":")))

    assert finding.status == "warn"
    assert part in finding.actual


def test_an_empty_part_is_left_alone(host, judge):
    assert judge(env_paths.path_syntax, host(environment=_environment(OLD, behind=":"))).status == "pass"

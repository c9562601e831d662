"""Debug switches, logs and profilers in the environment."""

from __future__ import annotations

import pytest

from npudoctor.checks import env

DF = (
    "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda2 100000000 {used} {free} 99% /data\n"
)


def test_blocking_launches_are_a_warning_with_the_line_and_the_fix(host, judge):
    finding = judge(env.launch_blocking, host(environment="ASCEND_LAUNCH_BLOCKING=1\n"))

    assert finding.status == "warn"
    assert finding.evidence[0].text == "ASCEND_LAUNCH_BLOCKING=1"
    assert finding.fix.commands == ("unset ASCEND_LAUNCH_BLOCKING",)


@pytest.mark.parametrize(
    "line", ["ASCEND_LAUNCH_BLOCKING=0", "ASCEND_LAUNCH_BLOCKING=", "ASCEND_HOME_PATH=/x"]
)
def test_launches_are_asynchronous_by_default(host, judge, line):
    assert judge(env.launch_blocking, host(environment=line + "\n")).status == "pass"


@pytest.mark.parametrize("check", [env.launch_blocking, env.log_level, env.profiling, env.debug_switches])
def test_an_environment_that_nobody_collected_is_unknown(host, judge, check):
    assert judge(check, host()).status == "unknown"


@pytest.mark.parametrize("check", [env.launch_blocking, env.log_level, env.profiling, env.debug_switches])
def test_an_environment_without_ascend_is_skipped(host, judge, check):
    assert judge(check, host(environment="HOME=/root\n", commands={"lspci -nn": ""})).status == "skip"


@pytest.mark.parametrize(
    "line",
    [
        "ASCEND_GLOBAL_LOG_LEVEL=1",
        "ASCEND_MODULE_LOG_LEVEL=HCCL=0",
        "ACL_LOG_LEVEL=0",
        "GE_LOG_LEVEL=1",
        "GLOG_v=0\nASCEND_HOME_PATH=/x",
    ],
)
def test_verbose_logs_are_a_warning(host, judge, line):
    finding = judge(env.log_level, host(environment=line + "\n"))

    assert finding.status == "warn"
    assert finding.fix.commands == (f"unset {line.partition('=')[0]}",)


def test_the_levels_of_the_field_report_are_fine(host, judge):
    machine = host(environment="ACL_LOG_LEVEL=3\nGE_LOG_LEVEL=2\nASCEND_GLOBAL_LOG_LEVEL=3\n")

    assert judge(env.log_level, machine).status == "pass"


def test_a_profiler_left_on_is_a_warning_and_one_switched_off_is_none(host, judge):
    assert judge(env.profiling, host(environment="MSPROF_ENABLE=1\n")).status == "warn"
    assert judge(env.profiling, host(environment="MSPROF_ENABLE=0\n")).status == "pass"


def test_a_profiler_that_writes_to_a_full_disk_fails(host, judge):
    variables = "MSPROF_ENABLE=1\nMSPROF_OUTPUT_DIR=/data/prof\n"

    full = host(environment=variables, commands={"df -Pk": DF.format(used=99900000, free=100000)})
    roomy = host(environment=variables, commands={"df -Pk": DF.format(used=1000000, free=99000000)})

    assert judge(env.profiling, full).status == "fail"
    assert judge(env.profiling, full).action == "free"
    assert judge(env.profiling, roomy).status == "warn"


def test_debug_switches_are_warnings_and_those_that_falsify_results_fail(host, judge):
    assert judge(env.debug_switches, host(environment="DUMP_GE_GRAPH=2\n")).status == "warn"
    assert judge(env.debug_switches, host(environment="ATB_SAVE_TENSOR=1\n")).status == "warn"
    assert judge(env.debug_switches, host(environment="ASCEND_MC2_DEBUG_MODE=1\n")).status == "fail"
    assert judge(env.debug_switches, host(environment="ATB_SAVE_TENSOR=0\n")).status == "pass"


def test_what_has_a_check_of_its_own_is_not_said_twice(host, judge):
    machine = host(environment="ASCEND_LAUNCH_BLOCKING=1\nASCEND_GLOBAL_LOG_LEVEL=0\nMSPROF_ENABLE=1\n")

    assert judge(env.debug_switches, machine).status == "pass"

"""Names and values in the environment."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from npudoctor.checks import env, env_paths, env_values, memory_pool
from npudoctor.checks.registry import all_checks

ENVIRONMENTS = sorted((Path(__file__).parents[1] / "envvars" / "environments").glob("*.env"))
TABLE = """\
+--------------------------------------------------------------------------------------------+
| npu-smi 25.0.rc1                 Version: 25.0.rc1                                         |
+-----------------------+---------------+----------------------------------------------------+
| NPU   Name            | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                  | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+=======================+===============+====================================================+
| 0     910B3           | OK            | 92.8        38                0    / 0             |
| 0                     | 0000:C1:00.0  | 0           0    / 0          3161 / 65536         |
+=======================+===============+====================================================+
| 1     910B3           | OK            | 92.8        38                0    / 0             |
| 0                     | 0000:C2:00.0  | 0           0    / 0          3161 / 65536         |
+=======================+===============+====================================================+
"""


@pytest.mark.parametrize(
    ("check", "wrong", "status", "right"),
    [
        (env_values.misspelt_names, "ASCEND_RT_VISIBLE_DEVICE=0", "warn", "ASCEND_RT_VISIBLE_DEVICES=0"),
        (env_values.values, "VLLM_ASCEND_ENABLE_NZ=true", "fail", "VLLM_ASCEND_ENABLE_NZ=0"),
        (env_values.values, "NPU_MEMORY_FRACTION=2", "fail", "NPU_MEMORY_FRACTION=0.9"),
        (env_values.values, "ASCEND_GLOBAL_LOG_LEVEL=ERROR", "warn", "ASCEND_GLOBAL_LOG_LEVEL=3"),
        (env_values.values, "ASCEND_VISIBLE_DEVICES=all", "warn", "ASCEND_VISIBLE_DEVICES=0-7"),
        (env_values.hccl_values, "HCCL_CONNECT_TIMEOUT=60", "fail", "HCCL_CONNECT_TIMEOUT=600"),
        (
            env_values.hccl_values,
            "HCCL_INTRA_PCIE_ENABLE=1\nHCCL_INTRA_ROCE_ENABLE=1",
            "fail",
            "HCCL_INTRA_PCIE_ENABLE=1\nHCCL_INTRA_ROCE_ENABLE=0",
        ),
        (env_values.hccl_values, "HCCL_IF_IP=xx.xx.xx.xx", "fail", "HCCL_IF_IP=10.20.30.41"),
        (
            env_values.allocator,
            "PYTORCH_NPU_ALLOC_CONF=expandable_segments:true",
            "fail",
            "PYTORCH_NPU_ALLOC_CONF=expandable_segments:True",
        ),
        (
            env_values.allocator,
            "PYTORCH_NPU_ALLOC_CONF=expandable_segments:True,max_split_size_mb:256",
            "fail",
            "PYTORCH_NPU_ALLOC_CONF=max_split_size_mb:256",
        ),
        (
            env_values.combinations,
            "ASCEND_SLOG_PRINT_TO_STDOUT=1\nASCEND_PROCESS_LOG_PATH=/var/log/ascend",
            "warn",
            "ASCEND_SLOG_PRINT_TO_STDOUT=0\nASCEND_PROCESS_LOG_PATH=/var/log/ascend",
        ),
        (
            env_values.visible_devices,
            "ASCEND_RT_VISIBLE_DEVICES=1,0",
            "fail",
            "ASCEND_RT_VISIBLE_DEVICES=0,1",
        ),
        (
            env_values.visible_devices,
            "ASCEND_RT_VISIBLE_DEVICES=0, 1",
            "fail",
            "ASCEND_RT_VISIBLE_DEVICES=0,1",
        ),
        (env_values.visible_devices, "ASCEND_RT_VISIBLE_DEVICES=", "warn", "ASCEND_RT_VISIBLE_DEVICES=1"),
    ],
)
def test_what_is_wrong_is_found_with_its_line_and_what_is_right_passes(
    host, judge, check, wrong, status, right
):
    found = judge(check, host(environment=wrong + "\n"))

    assert found.status == status
    assert found.evidence[0].text == wrong.partition("\n")[0]
    assert found.fix is not None
    assert found.references
    assert judge(check, host(environment=right + "\n")).status == "pass"


def test_a_variable_that_the_serving_engine_dropped_is_a_warning(host, judge):
    packages = "# /usr/bin/python3 3.11.9\nvllm_ascend=={version}\n"
    variables = "VLLM_ASCEND_ENABLE_DBO=1\n"

    new = host(environment=variables, packages=packages.format(version="0.13.0"))
    no_cann = ["/etc/Ascend/ascend_cann_install.info"]
    old = host(environment=variables, packages=packages.format(version="0.11.0rc1"), absent=no_cann)

    assert judge(env_values.not_read, new).status == "warn"
    assert "0.13.0" in judge(env_values.not_read, new).actual
    assert judge(env_values.not_read, old).status == "pass"
    assert judge(env_values.not_read, host(environment=variables)).status == "unknown"


def test_a_device_that_is_not_there_fails(host, judge):
    machine = host(environment="ASCEND_RT_VISIBLE_DEVICES=0,1,2\n", commands={"npu-smi info": TABLE})

    finding = judge(env_values.visible_devices, machine)

    assert finding.status == "fail"
    assert finding.expected == "0 to 1"
    assert finding.fix.commands == ("export ASCEND_RT_VISIBLE_DEVICES=0,1",)


def test_without_the_list_there_is_nothing_to_judge(host, judge):
    assert judge(env_values.visible_devices, host(environment="ASCEND_HOME_PATH=/x\n")).status == "skip"
    assert judge(env_values.visible_devices, host()).status == "unknown"


def test_many_troubles_are_one_finding_with_a_short_text(host, judge):
    lines = [
        f"HCCL_{name}=x" for name in ("RDMA_TC", "RDMA_SL", "RDMA_TIMEOUT", "BUFFSIZE", "CONNECT_TIMEOUT")
    ]

    finding = judge(env_values.hccl_values, host(environment="\n".join(lines) + "\n"))

    assert len(finding.evidence) == 5
    assert finding.actual.endswith("and 1 more")


@pytest.mark.parametrize("file", ENVIRONMENTS, ids=lambda file: file.stem)
def test_official_environments_raise_no_warning_in_any_check(host, judge, file):
    modules = (env, env_paths, env_values, memory_pool)
    functions = [
        one.function for one in all_checks() if one.function.__module__ in {m.__name__ for m in modules}
    ]
    machine = host(environment=file.read_text(encoding="utf-8"))

    found = [judge(function, machine) for function in functions]

    assert [(one.id, one.actual) for one in found if one.status in ("warn", "fail")] == []


NAMES = st.sampled_from(
    ["ASCEND_HOME_PATH", "ASCEND_OPP_PATH", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH", "MASTER_PORT",
     "ASCEND_MEMORY_POOL_SIZE", "ASCEND_MEMORY_PRE_ALLOCATE", "ASCEND_LAUNCH_BLOCKING", "MSPROF_ENABLE",
     "MSPROF_OUTPUT_DIR", "HCCL_IF_IP", "PYTORCH_NPU_ALLOC_CONF", "ASCEND_RT_VISIBLE_DEVICES"]
)  # fmt: skip
VALUES = st.text(max_size=40) | st.lists(
    st.sampled_from(["/usr/local/Ascend/cann-8.5.0/lib64", "/a/Ascend/cann", "", " ", "~", "/", "//", "$X"])
).map(":".join)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(NAMES, VALUES, max_size=8))
def test_no_environment_crashes_a_check(host, judge, values):
    text = "".join(f"{name}={value}\n" for name, value in values.items())
    machine = host(environment=text, commands={"npu-smi info": TABLE})

    for module in (env, env_paths, env_values, memory_pool):
        for one in all_checks():
            if one.function.__module__ == module.__name__:
                assert "failed: " not in judge(one.function, machine).actual

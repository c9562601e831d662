"""Packages that CANN needs, and packages that are not what they say."""

from __future__ import annotations

import pytest

from npudoctor.checks import python
from npudoctor.fact import Unavailable
from npudoctor.finding import Status

HEAD = "# /opt/venv/bin/python3 3.10.12\n"
WHOLE = HEAD + "\n".join(
    [
        "attrs==24.2.0", "cffi==1.17.1", "decorator==5.1.1", "numpy==1.26.4", "protobuf==3.20.0",
        "psutil==6.0.0", "pyyaml==6.0.1", "scipy==1.13.1", "sympy==1.13.1",
        "torch==2.6.0", "torch_npu==2.6.0",
    ]
)  # fmt: skip
SEARCHED = ["/etc/Ascend/ascend_cann_install.info"]


def cann(version: str) -> dict[str, str]:
    root = f"/usr/local/Ascend/ascend-toolkit/{version}"
    return {f"{root}/aarch64-linux/ascend_toolkit_install.info": f"version={version}\n"}


def test_a_placeholder_is_told_with_the_command_to_remove_it(host):
    verdict = python.placeholder_packages(host(packages=HEAD + "ascend-cann-toolkit==0.0.1.dev1\n"))

    assert verdict.status is Status.WARN
    assert verdict.fix.commands == ("/opt/venv/bin/python3 -m pip uninstall -y ascend-cann-toolkit",)


def test_a_placeholder_in_the_place_of_a_cann_fails(host):
    only = host(packages=HEAD + "cann==0.0.1.dev1\n", absent=SEARCHED)

    assert python.placeholder_packages(only).status is Status.FAIL


@pytest.mark.parametrize("line", ["ascend-cann-toolkit==9.0.0", "ascendebug==0.0.1", "mindspore==2.6.0", ""])
def test_real_packages_are_no_placeholders(host, line):
    assert python.placeholder_packages(host(packages=HEAD + line)).status is Status.PASS


@pytest.mark.parametrize(
    ("numpy", "version", "status"),
    [
        ("1.26.4", "8.2.RC1", Status.PASS),
        ("2.0.2", "8.2.RC1", Status.FAIL),
        ("2.2.6", "8.5.0", Status.PASS),
        ("2.2.6", "8.3.RC2", Status.FAIL),
    ],
)
def test_numpy_2_needs_cann_8_5(host, numpy, version, status):
    packages = WHOLE.replace("numpy==1.26.4", f"numpy=={numpy}")

    assert python.numpy(host(cann(version), packages=packages)).status is status


def test_numpy_of_a_python_without_npu_frameworks_is_not_judged(host):
    assert python.numpy(host(cann("8.2.RC1"), packages=HEAD + "numpy==2.0.2\n")).status is Status.SKIP


def test_numpy_is_unknown_where_the_cann_is(host):
    with pytest.raises(Unavailable):
        python.numpy(host(packages=WHOLE))


def test_all_packages_that_cann_needs_are_there(host):
    assert python.cann_dependencies(host(packages=WHOLE)).status is Status.PASS


def test_a_missing_package_is_named(host):
    verdict = python.cann_dependencies(host(packages=WHOLE.replace("decorator==5.1.1", "")))

    assert verdict.status is Status.WARN
    assert verdict.actual == "decorator is missing"


def test_a_package_below_its_floor_is_named(host):
    verdict = python.cann_dependencies(host(packages=WHOLE.replace("protobuf==3.20.0", "protobuf==3.6.1")))

    assert verdict.actual == "protobuf==3.6.1 < 3.13.0"


def test_a_short_list_proves_nothing_missing(host):
    short = HEAD + "torch==2.6.0\ntorch_npu==2.6.0\n"

    assert python.cann_dependencies(host(packages=short)).status is Status.SKIP


def test_two_installations_of_one_project_are_a_warning(host):
    verdict = python.duplicates(host(packages=HEAD + "torch-npu==2.5.1\ntorch_npu==2.6.0\n"))

    assert verdict.status is Status.WARN
    assert verdict.evidence[0].text == "torch_npu==2.5.1 and 2.6.0"


def test_the_same_project_in_two_pythons_is_no_duplicate(host):
    both = HEAD + "torch-npu==2.5.1\n# /usr/bin/python3 3.9.2\ntorch-npu==2.6.0\n"

    assert python.duplicates(host(packages=both)).status is Status.PASS


def test_a_plugin_in_another_python_than_its_partner_fails_and_says_where_that_is(host):
    apart = HEAD + "torch_npu==2.6.0\n# /usr/bin/python3 3.9.2\ntorch==2.6.0\n"

    verdict = python.several_interpreters(host(packages=apart))

    assert verdict.status is Status.FAIL
    assert verdict.actual == "/opt/venv/bin/python3: torch_npu without torch (it is in /usr/bin/python3)"


def test_a_plugin_whose_partner_is_nowhere_is_a_warning(host):
    verdict = python.several_interpreters(host(packages=HEAD + "torch_npu==2.6.0\n"))

    assert verdict.status is Status.WARN


def test_partners_in_one_python_pass_and_none_of_them_skips(host):
    assert python.several_interpreters(host(packages=WHOLE)).status is Status.PASS
    assert python.several_interpreters(host(packages=HEAD)).status is Status.SKIP

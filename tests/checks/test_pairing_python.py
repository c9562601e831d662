"""torch, torch_npu, Python and CANN against the matrix."""

import pytest

from npudoctor.checks import pairing_python
from npudoctor.finding import Status
from npudoctor.matrix import load_matrix

INSTALL = "/usr/local/Ascend/cann/aarch64-linux/ascend_toolkit_install.info"


def machine(host, *packages, cann="8.5.0", python="3.11.9"):
    install = f"package_name=Ascend-cann-toolkit\nversion={cann}\narch=aarch64\n"
    blocks = f"# /opt/venv/bin/python3 {python}\n" + "".join(f"{line}\n" for line in packages)
    return host(files={INSTALL: install}, packages=blocks)


@pytest.mark.parametrize(
    ("packages", "status"),
    [
        (("torch==2.8.0+cpu", "torch_npu==2.8.0.post2"), Status.PASS),
        (("torch==2.6.0", "torch-npu==2.5.1.post1"), Status.FAIL),
        (("torch==2.7.1", "torch-npu==2.7.1.post99"), Status.WARN),
        (("torch==2.7.1",), Status.SKIP),
    ],
)
def test_torch_is_the_one_that_the_wheel_was_built_for(host, judge, packages, status):
    finding = judge(pairing_python.torch_npu_pairing, machine(host, *packages), load_matrix())

    assert finding.status is status


@pytest.mark.parametrize(
    ("cann", "package"), [("8.2.RC1", "torch==2.5.1"), ("8.5.0", "torch-npu==2.6.0.post5")]
)
def test_the_fix_of_a_wrong_torch_is_a_line_to_paste_and_goes_with_cann(host, judge, cann, package):
    wrong = machine(host, "torch==2.6.0", "torch-npu==2.5.1.post1", cann=cann)

    finding = judge(pairing_python.torch_npu_pairing, wrong, load_matrix())

    assert finding.fix is not None
    assert finding.fix.commands == (f"/opt/venv/bin/python3 -m pip install {package}",)


@pytest.mark.parametrize(
    ("wheel", "cann", "status"),
    [
        ("2.7.1.post2", "9.1.0", Status.PASS),
        ("2.7.1", "9.0.0-beta.2", Status.FAIL),
        ("2.7.1", "9.0.0", Status.UNKNOWN),
        ("2.4.0.post2", "8.0.RC3.alpha001", Status.WARN),
    ],
)
def test_the_wheel_goes_with_cann(host, judge, wheel, cann, status):
    finding = judge(
        pairing_python.cann_pairing, machine(host, f"torch_npu=={wheel}", cann=cann), load_matrix()
    )

    assert finding.status is status


def test_the_worst_of_several_pythons_decides_and_is_named(host, judge):
    install = "package_name=Ascend-cann-toolkit\nversion=8.5.0\narch=aarch64\n"
    blocks = (
        "# /opt/good/bin/python3 3.11.9\ntorch==2.8.0\ntorch_npu==2.8.0.post2\n"
        "# /opt/bad/bin/python3 3.11.9\ntorch==2.6.0\ntorch_npu==2.8.0.post2\n"
    )

    finding = judge(
        pairing_python.torch_npu_pairing, host(files={INSTALL: install}, packages=blocks), load_matrix()
    )

    assert finding.status is Status.FAIL
    assert {line.source for line in finding.evidence} == {"/opt/bad/bin/python3"}


def test_a_python_that_no_wheel_exists_for_fails(host, judge):
    wrong = machine(host, "torch==2.6.0", "torch_npu==2.6.0", python="3.12.4", cann="8.2.RC1")

    assert judge(pairing_python.python_pairing, wrong, load_matrix()).status is Status.FAIL
    assert judge(pairing_python.python_cann_pairing, wrong, load_matrix()).status is Status.FAIL


def test_a_python_that_does_not_use_cann_is_not_judged_by_it(host, judge):
    finding = judge(
        pairing_python.python_cann_pairing, machine(host, "numpy==1.26.4", python="3.6.8"), load_matrix()
    )

    assert finding.status is Status.SKIP


def test_a_cann_that_nobody_looked_for_is_unknown(host, judge):
    machine_ = host(packages="# /opt/venv/bin/python3 3.11.9\ntorch==2.8.0\ntorch_npu==2.8.0.post2\n")

    assert judge(pairing_python.cann_pairing, machine_, load_matrix()).status is Status.UNKNOWN

"""torchair and AMCT: there, of a release that goes with the rest, and importable as far as files tell."""

from __future__ import annotations

import pytest

from npudoctor.checks.torch_optimise import amct, torchair
from npudoctor.finding import Status
from npudoctor.matrix import load_matrix

CANN = "/usr/local/Ascend/cann-{0}/aarch64-linux/ascend_toolkit_install.info"
SITE = "/opt/venv/lib/python{}/site-packages/torch_npu/dynamo/torchair"
WHOLE = "protobuf==4.25.1\nnumpy==1.26.4\nsympy==1.13.1\n"
LISTED = "__init__.py\nconfigs\ncore\n"


@pytest.fixture
def machine(host):
    """A host with CANN, and one Python with these packages; `listed` is what torchair's folder holds."""

    def made(packages, python="3.11", cann="8.5.0", listed=LISTED, pci=""):
        files = {CANN.format(cann): f"package_name=Ascend-cann-toolkit\nversion={cann}\narch=aarch64\n"}
        commands = {f"ls {SITE.format(python)}": listed} if listed is not None else {}
        commands |= {"lspci -nn": pci} if pci else {}
        return host(
            files if cann else {}, commands, packages=f"# /opt/venv/bin/python3 {python}.9\n{packages}"
        )

    return made


def npu(torch="2.9.0+cpu", torch_npu="2.9.0", more=WHOLE):
    return f"torch=={torch}\ntorch_npu=={torch_npu}\n{more}"


def test_torchair_inside_a_torch_npu_of_its_table_passes(judge, machine):
    finding = judge(torchair, machine(npu()), load_matrix())

    assert finding.status is Status.PASS
    assert finding.actual.endswith("torch_npu/dynamo/torchair")


def test_a_torch_npu_without_torchair_runs_eagerly(judge, machine):
    finding = judge(torchair, machine(npu(), listed="\n"), load_matrix())

    assert finding.status is Status.WARN
    assert finding.fix.commands[0].endswith("torch-npu==2.9.0")


def test_the_package_torchair_beside_it_does_not_help(judge, machine):
    finding = judge(torchair, machine(npu(more=WHOLE + "torchair==0.1\n"), listed="\n"), load_matrix())

    assert finding.status is Status.WARN
    assert "torchair 0.1 beside it is not used" in finding.actual


def test_where_nobody_looked_it_is_unknown(judge, machine):
    assert judge(torchair, machine(npu(), listed=None), load_matrix()).status is Status.UNKNOWN


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (WHOLE.replace("4.25.1", "3.12.4"), "protobuf==3.12.4 < 3.13"),
        (WHOLE.replace("protobuf==4.25.1\n", ""), "protobuf is missing"),
    ],
)
def test_an_import_that_has_to_fail_fails(judge, machine, more, said):
    finding = judge(torchair, machine(npu(more=more)), load_matrix())

    assert (finding.status, finding.actual) == (Status.FAIL, said)


def test_a_short_list_of_packages_says_nothing_of_what_is_missing(judge, machine):
    assert judge(torchair, machine(npu(more="")), load_matrix()).status is Status.PASS


@pytest.mark.parametrize(
    ("torch", "python", "cann", "status"),
    [
        ("2.9.0", "3.12", "8.5.0", Status.PASS),
        ("2.8.0", "3.12", "8.5.0", Status.WARN),
        ("2.5.1", "3.11", "8.5.0", Status.WARN),
        ("2.5.1", "3.11", "8.1.RC1", Status.PASS),
        ("2.5.1", "3.11", "9.1.0", Status.PASS),
    ],
)
def test_torch_and_python_are_those_of_its_table_where_that_knows_the_cann(
    judge, machine, torch, python, cann, status
):
    finding = judge(torchair, machine(npu(torch, torch), python=python, cann=cann), load_matrix())

    assert finding.status is status


@pytest.mark.parametrize(
    "packages", ["", "torch==2.9.0\n", npu("2.0.1", "2.0.1"), npu("1.11.0", "1.11.0.post4")]
)
def test_without_a_torch_npu_that_can_compile_it_is_passed_over(judge, machine, packages):
    assert judge(torchair, machine(packages), load_matrix()).status is Status.SKIP


def test_it_is_not_for_310p(judge, machine):
    pci = (
        "c1:00.0 Processing accelerators [1200]: Huawei Technologies Co., Ltd. Device [19e5:d500] (rev 23)\n"
    )

    assert judge(torchair, machine(npu(), pci=pci), load_matrix()).status is Status.SKIP


def quantising(torch="2.7.1+cpu", version="1.1.0", more="onnx==1.16.1\nonnxruntime==1.20.0\n"):
    return f"amct_pytorch=={version}\ntorch=={torch}\n{more}"


def test_amct_beside_a_torch_of_its_guide_passes(judge, machine):
    assert judge(amct, machine(quantising()), load_matrix()).status is Status.PASS


@pytest.mark.parametrize(
    ("torch", "python", "said"),
    [
        ("2.9.0", "3.11", "AMCT is not for torch 2.9.0"),
        ("2.1.0", "3.12", "AMCT is not for Python 3.12.9"),
    ],
)
def test_amct_beside_another_torch_or_python_is_a_warning(judge, machine, torch, python, said):
    finding = judge(amct, machine(quantising(torch), python=python), load_matrix())

    assert (finding.status, finding.actual) == (Status.WARN, said)
    assert "2.7.1" in finding.expected or "3.10" in finding.expected


def test_amct_that_wants_a_newer_cann_is_a_warning(judge, machine):
    finding = judge(amct, machine(quantising(), cann="8.3.RC1"), load_matrix())

    assert (finding.status, finding.expected) == (Status.WARN, "CANN >=8.5.0")


def test_no_source_speaks_of_an_old_amct_with_an_old_cann(judge, machine):
    assert (
        judge(amct, machine(quantising(version="0.9.0"), cann="8.1.RC1"), load_matrix()).status
        is Status.UNKNOWN
    )


@pytest.mark.parametrize(
    ("missing", "status"), [("torch==2.7.1+cpu\n", Status.FAIL), ("onnx==1.16.1\n", Status.WARN)]
)
def test_amct_without_what_it_is_built_against(judge, machine, missing, status):
    finding = judge(amct, machine(quantising().replace(missing, "")), load_matrix())

    assert finding.status is status
    assert f"{missing.split('=')[0]} is missing" in finding.actual


def test_without_amct_there_is_nothing_to_judge(judge, machine):
    assert judge(amct, machine(npu()), load_matrix()).status is Status.SKIP

"""Offline models: whole, for this chip, and by no newer CANN."""

from __future__ import annotations

import pytest

from npudoctor.checks.serving_model import model_complete
from npudoctor.checks.serving_om import om_model
from npudoctor.collect.local import start_local
from npudoctor.finding import Status
from npudoctor.host import Host
from tests.checks.test_stack import SMI
from tests.offline_models import offline_model, probed

ROOT = "/usr/local/Ascend/cann-8.5.0"
CANN = {
    f"{ROOT}/aarch64-linux/ascend_toolkit_install.info": "version=8.5.0\narch=aarch64\n",
    f"{ROOT}/share/info/ge-compiler/version.info": "Version=8.5.0\nversion_dir=8.5.0\n",
}


@pytest.fixture
def machine(host):
    """A host with 910B3 and CANN 8.5.0, and offline models by name."""

    def made(*models, files=CANN, chip="910B3", **sizes):
        names = [f"/models/{number}.om" for number in range(len(models))]
        commands = {
            f"om {name}": probed(model, name, **sizes) for name, model in zip(names, models, strict=True)
        }
        return host(files, commands | {"npu-smi info": SMI.format(driver="25.5.0", chip=chip)})

    return made


def test_a_model_for_this_chip_by_this_cann_passes(judge, machine):
    finding = judge(om_model, machine(offline_model()))

    assert (finding.status, finding.actual) == (Status.PASS, "Ascend910B3, atc 8.5.0")


@pytest.mark.parametrize(
    ("soc", "status"),
    [
        ("Ascend910B1", Status.WARN),
        ("Ascend910_9392", Status.WARN),
        ("Ascend310P3", Status.FAIL),
        ("Ascend910A", Status.FAIL),
        ("ascend910b3", Status.PASS),
    ],
)
def test_a_model_for_another_chip(judge, machine, soc, status):
    finding = judge(om_model, machine(offline_model(soc)))

    assert finding.status is status
    assert status is Status.PASS or finding.expected == "Ascend910B3"
    assert status is Status.PASS or "--soc_version=Ascend910B3" in finding.fix.commands[0]


@pytest.mark.parametrize(
    ("atc", "status"),
    [
        ("7.7.0.1.238", Status.PASS),
        ("8.5.1", Status.WARN),
        ("9.0.0", Status.FAIL),
        ("1.84.T9.0.B080", Status.UNKNOWN),
    ],
)
def test_a_model_by_another_atc(judge, machine, atc, status):
    assert judge(om_model, machine(offline_model(atc=atc))).status is status


def test_a_cann_that_does_not_say_its_compiler_leaves_it_unknown(judge, machine):
    bare = {path: text for path, text in CANN.items() if "ge-compiler" not in path}

    assert judge(om_model, machine(offline_model(), files=bare)).status is Status.UNKNOWN


@pytest.mark.parametrize(
    ("model", "status"),
    [
        (b"version https://git-lfs.github.com/spec/v1\n", Status.FAIL),
        (b"", Status.FAIL),
        (b"PK\x03\x04" + bytes(300), Status.UNKNOWN),
        (offline_model(encrypted=True), Status.UNKNOWN),
        (offline_model().replace(b"soc_version\x12", b"soc_version\x13"), Status.UNKNOWN),
    ],
)
def test_what_cannot_be_read(judge, machine, model, status):
    assert judge(om_model, machine(model)).status is status


def test_a_model_that_is_cut_off_fails(judge, machine):
    finding = judge(om_model, machine(offline_model(), size=4096))

    assert finding.status is Status.FAIL
    assert "the file has 4096" in finding.actual


def test_of_several_the_worst_is_told(judge, machine):
    assert judge(om_model, machine(offline_model(), offline_model("Ascend310P3"))).status is Status.FAIL
    assert judge(om_model, machine(offline_model(), offline_model())).actual == "2 offline models"


def test_without_an_npu_only_damage_is_told(judge, host):
    def alone(model):
        text = probed(model, "/models/m.om")
        return host(
            commands={
                "om /models/m.om": text,
                "lspci -nn": "00:00.0 Host bridge [0600]: Intel [8086:1237]\n",
            },
            absent=["npu-smi info", "ls -l /dev"],
        )

    assert judge(om_model, alone(offline_model())).status is Status.SKIP
    assert judge(om_model, alone(b"no model")).status is Status.FAIL


def test_without_one_there_is_nothing_to_judge(judge, machine):
    assert judge(om_model, machine()).status is Status.SKIP


@pytest.fixture
def models(tmp_path):
    (tmp_path / "a b.om").write_bytes(offline_model("Ascend910A", weights=b"\n\0soc_version" * 9000))
    (tmp_path / "wide.om").write_bytes(offline_model(wide=True))
    (tmp_path / "short.om").write_bytes(offline_model()[:300])
    (tmp_path / "pointer.om").write_text("version https://git-lfs.github.com/spec/v1\n")
    return tmp_path


def test_the_script_reads_the_models_of_a_folder(models):
    host = Host(start_local(model=str(models)).snapshot())
    read = {path.rpartition("/")[2]: fact.or_none() for path, fact in host.model.offline.items()}

    assert (read["a b.om"].soc_version, read["wide.om"].soc_version) == ("Ascend910A", "Ascend910B3")
    assert read["a b.om"].bytes == read["a b.om"].stated_bytes
    assert read["short.om"].bytes < read["short.om"].stated_bytes
    assert read["pointer.om"] is None
    assert model_complete(host).status is Status.SKIP


def test_the_script_reads_one_model_that_is_named(models):
    host = Host(start_local(model=str(models / "wide.om")).snapshot())

    assert [fact.value.atc_version for fact in host.model.offline.values()] == ["8.5.0"]
    assert model_complete(host).status is Status.SKIP

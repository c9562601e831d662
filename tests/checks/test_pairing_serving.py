"""Serving engines and frameworks against the matrix."""

from npudoctor.checks import pairing_serving
from npudoctor.finding import Status
from npudoctor.matrix import load_matrix

INSTALL = "/usr/local/Ascend/cann/aarch64-linux/ascend_toolkit_install.info"
DRIVER = "/usr/local/Ascend/driver/version.info"


def machine(host, *packages, cann="8.5.0", python="3.11.9", driver="25.5.0", chip="d802"):
    install = f"package_name=Ascend-cann-toolkit\nversion={cann}\narch=aarch64\n"
    return host(
        files={INSTALL: install, DRIVER: f"Version={driver}\n"},
        commands={"lspci -nn": f"c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:{chip}]\n"},
        packages=f"# /opt/venv/bin/python3 {python}\n" + "".join(f"{line}\n" for line in packages),
    )


RELEASE = ("vllm==0.13.0+empty", "vllm_ascend==0.13.0", "torch==2.8.0", "torch_npu==2.8.0.post2")


def test_the_set_of_a_release_passes(host, judge):
    assert (
        judge(pairing_serving.vllm_ascend_pairing, machine(host, *RELEASE), load_matrix()).status
        is Status.PASS
    )


def test_another_cann_than_that_of_the_release_fails_and_says_which(host, judge):
    finding = judge(
        pairing_serving.vllm_ascend_pairing, machine(host, *RELEASE, cann="8.3.RC1"), load_matrix()
    )

    assert finding.status is Status.FAIL
    assert "CANN 8.5.0" in finding.actual


def test_another_vllm_than_that_of_the_release_fails(host, judge):
    wrong = ("vllm==0.12.0", *RELEASE[1:])

    finding = judge(pairing_serving.vllm_ascend_pairing, machine(host, *wrong), load_matrix())

    assert finding.status is Status.FAIL
    assert finding.fix is not None
    assert finding.fix.commands == ("/opt/venv/bin/python3 -m pip install vllm==0.13.0",)


def test_a_release_that_the_matrix_does_not_know_is_unknown(host, judge):
    strange = ("vllm==0.99.0", "vllm_ascend==0.99.0")

    assert (
        judge(pairing_serving.vllm_ascend_pairing, machine(host, *strange), load_matrix()).status
        is Status.UNKNOWN
    )


def test_mindspore_beside_its_cann_passes_and_beside_one_that_others_name_is_a_warning(host, judge):
    matched = machine(host, "mindspore==2.6.0", cann="8.1.RC1", python="3.10.14")
    other = machine(host, "mindspore==2.6.0", cann="8.2.RC1", python="3.10.14")

    assert judge(pairing_serving.mindspore_pairing, matched, load_matrix()).status is Status.PASS
    assert judge(pairing_serving.mindspore_pairing, other, load_matrix()).status is Status.WARN


def test_triton_ascend_goes_one_to_one_with_cann_and_not_on_310p(host, judge):
    right = machine(host, "triton_ascend==3.2.0")
    wrong = machine(host, "triton_ascend==3.2.0", cann="9.0.0")
    duo = machine(host, "triton_ascend==3.2.0", chip="d500")

    assert judge(pairing_serving.triton_ascend_pairing, right, load_matrix()).status is Status.PASS
    assert judge(pairing_serving.triton_ascend_pairing, wrong, load_matrix()).status is Status.FAIL
    assert judge(pairing_serving.triton_ascend_pairing, duo, load_matrix()).status is Status.FAIL


def test_a_driver_below_the_floor_of_an_engine_fails(host, judge):
    old = machine(host, *RELEASE, driver="24.1.0")

    assert judge(pairing_serving.hdk_floor, old, load_matrix()).status is Status.FAIL
    assert judge(pairing_serving.hdk_floor, machine(host, *RELEASE), load_matrix()).status is Status.PASS


def test_mindie_with_another_cann_fails_where_its_page_demands_the_match(host, judge):
    version = "/usr/local/Ascend/mindie/latest/version.info"
    install = "package_name=Ascend-cann-toolkit\nversion=8.5.0\narch=aarch64\n"
    wrong = host(files={version: "Ascend-mindie : MindIE 3.0.0\n", INSTALL: install})

    assert judge(pairing_serving.mindie_pairing, wrong, load_matrix()).status is Status.FAIL


def test_what_is_not_installed_is_skipped(host, judge):
    bare = machine(host, "numpy==1.26.4")

    for check in (
        pairing_serving.vllm_ascend_pairing,
        pairing_serving.mindspore_pairing,
        pairing_serving.triton_ascend_pairing,
        pairing_serving.hdk_floor,
    ):
        assert judge(check, bare, load_matrix()).status is Status.SKIP

"""`npudoctor explain`: what a check, a matrix row or a variable means, and where that is known from."""

import pytest


def test_a_check_is_explained_with_its_source_and_date(npudoctor):
    done = npudoctor("explain", "limits.stack")
    assert done.returncode == 0
    assert "source: " in done.stdout
    assert "as of: 20" in done.stdout


def test_a_variable_is_explained(npudoctor):
    assert "torch_npu" in npudoctor("explain", "ASCEND_LAUNCH_BLOCKING").stdout


def test_a_row_of_the_matrix_is_explained(npudoctor):
    assert "25.5.X" in npudoctor("explain", "driver-list-cann-8.5.0").stdout


def test_an_error_code_is_explained_with_its_source_and_date(npudoctor):
    told = npudoctor("explain", "507018").stdout
    assert "AI CPU exception" in told
    assert "source: " in told
    assert "as of: 20" in told


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("0x07020010", "0x7020010 "),
        ("117571606", "0x7020016 "),
        ("ei0006", "EI0006 "),
        ("EI0006:", "EI0006 "),
        ("80e01809", "0x80E01809 "),
        ("0X26", "0x26 "),
        ("sigsegv", "SIGSEGV "),
        ("signal 11", "SIGSEGV "),
        ("-9", "137 "),
        ("[Errno 28]", "28 ENOSPC"),
        ("drvRetCode=87", "87 "),
        ("ret is -8005", "-8005 "),
        ("error code is 507018", "507018 "),
        ("errNo[0x0000000005010007]", "7 HCCL"),
        ("0x000000000500000b", "11 HCCL"),
        ("errcode:(0x800000, 0, 0)", "0x800000,0,0 "),
        ("0x800000", "0x800000,0,0 "),
    ],
)
def test_a_code_is_known_in_every_spelling(npudoctor, word, code):
    told = npudoctor("explain", word)
    assert told.stdout.startswith(code), told


def test_a_signature_is_explained_with_what_it_looks_for_and_its_source(npudoctor):
    told = npudoctor("explain", "device-held").stdout
    assert told.startswith("device-held (device-busy): ")
    assert "one of: code: drv 87" in told
    assert "source: " in told


def test_a_kind_of_cause_lists_its_signatures(npudoctor):
    lines = npudoctor("explain", "device-busy").stdout.splitlines()
    assert [line for line in lines if line.startswith("device-held ")]
    pcie = npudoctor("explain", "pcie").stdout
    assert "pcie.aspm " in pcie
    assert "runtime-failed-aspm " in pcie


def test_a_negative_number_is_no_option(npudoctor):
    assert "DCMI" in npudoctor("explain", "-8005").stdout


def test_a_number_of_several_layers_is_told_for_each(npudoctor):
    told = npudoctor("explain", "28").stdout
    assert "number of the driver" in told
    assert "error number of Linux" in told


def test_list_names_every_check_with_its_title(npudoctor):
    lines = npudoctor("explain", "--list").stdout.splitlines()
    assert len(lines) >= 70
    assert [line for line in lines if line.startswith("limits.stack ")]


def test_an_area_lists_its_checks(npudoctor):
    lines = npudoctor("explain", "limits").stdout.splitlines()
    assert [line.partition(".")[0] for line in lines] == ["limits"] * len(lines) != []


def test_an_unknown_id_is_exit_2_with_a_suggestion(npudoctor):
    done = npudoctor("explain", "limits.stak")
    assert done.returncode == 2
    assert done.stderr.startswith("npudoctor: nothing is called limits.stak; did you mean limits.stack")


def test_a_stack_is_told_in_lines_that_fit_on_a_terminal(npudoctor):
    lines = npudoctor("explain", "a2-cann8.5.0-vllm0.13.0").stdout.splitlines()
    assert max(map(len, lines)) <= 100
    assert "torch_npu 2.8.0.post2" in " ".join(map(str.strip, lines))

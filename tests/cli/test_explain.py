"""`npudoctor explain`: what a check, a matrix row or a variable means, and where that is known from."""


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

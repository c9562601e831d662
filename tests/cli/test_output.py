"""Where reports go."""

import os
import stat

import pytest

from npudoctor.cli.output import Target, style_for, targets, wants_colour, write_file
from npudoctor.errors import NpudoctorError, UsageError

FORMATS = ("text", "json")


def test_without_options_the_report_goes_to_the_screen():
    assert targets("text", [], FORMATS) == [Target("text", None)]


def test_a_bare_file_takes_the_report_off_the_screen(tmp_path):
    assert targets("json", [f"{tmp_path}/r"], FORMATS) == [Target("json", tmp_path / "r")]


def test_a_format_and_a_file_come_besides_the_screen(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    got = [(target.format, str(target.file)) for target in targets("text", ["json=r.json"], FORMATS)]
    assert got == [("text", "None"), ("json", "r.json")]


def test_a_file_with_an_equals_sign_is_given_with_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (target,) = targets("text", ["./a=b"], FORMATS)
    assert str(target.file) == "a=b"


def test_a_dash_is_standard_output():
    assert targets("text", ["json=-"], FORMATS)[1] == Target("json", None)


def test_an_unknown_format_is_an_error_before_any_host_is_read():
    with pytest.raises(UsageError, match=r"there is no format jsno; did you mean json\?"):
        targets("text", ["jsno=r.json"], FORMATS)


@pytest.mark.parametrize(
    ("environment", "colour"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_obeys_the_environment_and_no_terminal_means_none(environment, colour, monkeypatch):
    monkeypatch.setattr(os, "environ", environment)
    assert wants_colour() is colour


def test_a_file_is_never_coloured(monkeypatch, tmp_path):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert not style_for(Target("text", tmp_path / "r"), verbose=False).colour


def test_a_file_is_written_whole_and_its_mode_kept(tmp_path):
    file = tmp_path / "r.json"
    file.write_text("old")
    file.chmod(0o640)
    write_file(file, ["新", "\n"])
    assert file.read_text(encoding="utf-8") == "新\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["r.json"]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    file = tmp_path / "r.json"
    file.write_text("old")

    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copymode", full)
    with pytest.raises(NpudoctorError, match=r"r\.json: No space left on device"):
        write_file(file, ["new"])
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["r.json"]


def test_a_report_that_breaks_off_half_way_leaves_the_old_file_and_nothing_else(tmp_path):
    file = tmp_path / "r.json"
    file.write_text("old")

    def chunks():
        yield "new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_file(file, chunks())
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["r.json"]


def test_a_device_is_written_and_never_replaced():
    from pathlib import Path

    write_file(Path(os.devnull), ["text"])
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_link_keeps_pointing_where_it_points(tmp_path):
    link, file = tmp_path / "link", tmp_path / "file"
    link.symlink_to(file)
    write_file(link, ["text"])
    assert link.is_symlink()
    assert file.read_text() == "text"


def test_a_place_that_may_not_be_written_is_wrong_usage_and_a_full_disk_is_not():
    from npudoctor.errors import write_error

    assert write_error("r.json", PermissionError(13, "Permission denied"), "").exit == 2
    assert write_error("r.json", OSError(28, "No space left on device"), "").exit == 4

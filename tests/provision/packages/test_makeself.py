"""A `.run` package proves itself by the header that makeself writes."""

import shutil
import subprocess

import pytest

from npudoctor.provision.packages.makeself import read_header, wrong_with

from .factory import run_package


@pytest.fixture
def package(tmp_path):
    file = tmp_path / "Ascend-cann-toolkit_8.5.0_linux-aarch64.run"
    file.write_bytes(run_package("toolkit", "ASCEND-HDK-910B-NPU DRIVER RUN PACKAGE"))
    return file


def test_a_whole_package_is_whole(package):
    assert wrong_with(package) is None


def test_a_package_that_lacks_its_last_byte_is_cut_off(package):
    package.write_bytes(package.read_bytes()[:-1])

    assert wrong_with(package) == "it is cut off: 1 byte is missing"


def test_a_package_with_one_changed_byte_is_damaged(package):
    content = package.read_bytes()
    package.write_bytes(content[:-5] + b"?" + content[-4:])

    assert "checksum" in wrong_with(package)


def test_what_it_calls_itself_is_read(package):
    with package.open("rb") as file:
        assert read_header(file).label == "ASCEND-HDK-910B-NPU DRIVER RUN PACKAGE"


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\necho 1\n", b"\x7fELF" + bytes(100)])
def test_another_file_proves_nothing(tmp_path, content):
    file = tmp_path / "other.run"
    file.write_bytes(content)

    with pytest.raises(ValueError, match="makeself"):
        wrong_with(file)


def test_a_header_without_a_checksum_proves_only_that_nothing_is_cut_off(tmp_path):
    file = tmp_path / "old.run"
    file.write_bytes(run_package("old", sha="0" * 64))

    with pytest.raises(ValueError, match="no checksum"):
        wrong_with(file)

    file.write_bytes(file.read_bytes()[:-7])
    assert "cut off" in wrong_with(file)


@pytest.mark.parametrize(
    "options", [["--sha256"], ["--nomd5", "--sha256"], ["--bzip2", "--sha256"], ["--nocomp"]]
)
def test_a_package_of_the_real_makeself_is_read(tmp_path, options):
    if not shutil.which("makeself"):
        pytest.skip("makeself is not on this machine")
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / "file").write_bytes(bytes(range(256)) * 500)
    made = tmp_path / "made.run"
    subprocess.run(
        ["makeself", *options, tmp_path / "content", made, "a label", "true"], check=True, capture_output=True
    )

    assert wrong_with(made) is None
    made.write_bytes(made.read_bytes()[:-1] + bytes([made.read_bytes()[-1] ^ 1]))
    assert wrong_with(made) is not None

"""Where needed files are published, and fetching them into a folder."""

import pytest

from npudoctor.errors import Exit
from npudoctor.provision.packages import known
from npudoctor.provision.packages.find import State, find
from npudoctor.provision.packages.known import Published
from npudoctor.provision.packages.place import Folder
from npudoctor.provision.packages.sources import fetch_missing, origin_of

from .factory import DRIVER, FIRMWARE, run_package, sha256, vendor_zip, wheel

ZIP = "Ascend-hdk-910b-npu_25.5.0_linux-aarch64.zip"


@pytest.fixture
def away(stack, tmp_path, memory):
    """What an empty folder lacks of the driver and the firmware."""
    (tmp_path / "empty").mkdir()
    return find(Folder(tmp_path / "empty"), stack, "aarch64", ("driver", "firmware"), memory)


@pytest.fixture
def publish(monkeypatch, served, folder):
    """`publish(name, content)`: a public list gives its digest, and the server as its place."""

    def one(name, content):
        row = Published(name, sha256(content), served.url + name, "a list")
        monkeypatch.setattr(known, "published", lambda: (row,))

    return one


def test_the_zip_with_a_published_digest_is_chosen_over_a_file_without_one(away):
    origin = origin_of(away[0])

    assert origin.name == ZIP
    assert origin.url.endswith(f"/Ascend%20HDK/Ascend%20HDK%2025.5.0/{ZIP}")
    assert origin.wanted == ("fccdeb94591fd0e241ccbc679a3b6a84b386228c6f31a87b264d63dba6becb9d",)


def test_without_a_published_digest_the_file_itself_is_fetched_from_its_folder(stack, tmp_path, memory):
    nnal = find(Folder(tmp_path), stack, "aarch64", ("nnal",), memory)[0]

    origin = origin_of(nnal)
    assert origin.url.endswith("/CANN/CANN%208.5.0/Ascend-cann-nnal_8.5.0_linux-aarch64.run")
    assert origin.wanted == ()


def test_an_image_is_published_nowhere_as_a_file(stack, tmp_path, memory):
    from npudoctor.matrix import load_matrix
    from npudoctor.matrix.stacks import load_stack

    served = load_stack(load_matrix(), "a2-cann8.5.0-vllm0.13.0")
    image = find(Folder(tmp_path), served, "aarch64", ("serving",), memory)[0]
    assert origin_of(image) is None


def test_one_zip_is_fetched_once_and_gives_driver_and_firmware(
    away, folder, tmp_path, stack, memory, publish, served
):
    runs = {name: (folder / name).read_bytes() for name in (DRIVER, FIRMWARE)}
    publish(ZIP, vendor_zip(folder / ZIP, runs).read_bytes())

    assert fetch_missing(away, tmp_path / "new", optional=False) == []

    found = find(Folder(tmp_path / "new"), stack, "aarch64", ("driver", "firmware"), memory)
    assert {(one.state, one.proof) for one in found} == {(State.FOUND, "archive")}
    assert len(served.gets()) == 1


def test_other_bytes_than_the_published_ones_are_not_kept_and_the_rest_is_fetched_all_the_same(
    away, folder, tmp_path, publish
):
    publish(DRIVER, b"what was published")

    (error,) = fetch_missing(away[:1], tmp_path / "new", optional=False)
    assert error.exit is Exit.FINDINGS
    assert [*(tmp_path / "new").iterdir()] == []


def test_a_package_without_a_published_digest_that_came_cut_off_is_not_kept(
    away, folder, tmp_path, monkeypatch, served
):
    (folder / DRIVER).write_bytes(run_package("driver")[:-10])
    monkeypatch.setattr(known, "published", lambda: ())
    from dataclasses import replace

    need = away[0].need
    here = replace(away[0], need=replace(need, file=replace(need.file, url=served.url)))

    (error,) = fetch_missing([here], tmp_path / "new", optional=False)
    assert "10 bytes are missing" in str(error)
    assert [*(tmp_path / "new").iterdir()] == []


def test_optional_files_are_fetched_only_where_that_is_asked_for(
    stack, folder, tmp_path, memory, publish, served
):
    name = "torch_npu-2.7.1.post2-cp311-cp311-manylinux_2_28_aarch64.whl"
    publish(name, wheel(folder / name).read_bytes())
    missing = find(Folder(tmp_path / "data"), stack, "aarch64", ("python_env",), memory)

    assert fetch_missing(missing, tmp_path / "new", optional=False) == []
    assert served.gets() == []
    assert fetch_missing(missing, tmp_path / "new", optional=True) == []
    assert (tmp_path / "new" / name).exists()

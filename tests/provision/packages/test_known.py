"""Digests that public lists give."""

from npudoctor.provision.packages.known import published, published_as


def test_no_two_rows_say_the_same():
    rows = [(one.name, one.sha256) for one in published()]

    assert len(rows) == len(set(rows)) > 250


def test_a_zip_of_the_vendor_has_its_digest_and_its_place():
    (one,) = published_as("ascend-hdk-910b-npu_25.5.0_linux-aarch64.zip")

    assert one.sha256 == "fccdeb94591fd0e241ccbc679a3b6a84b386228c6f31a87b264d63dba6becb9d"
    assert one.url.endswith(
        "/Ascend%20HDK/Ascend%20HDK%2025.5.0/Ascend-hdk-910b-npu_25.5.0_linux-aarch64.zip"
    )
    assert "ascend-deployer 26.0.0" in one.source


def test_a_glob_finds_the_wheels_of_one_python_and_architecture():
    found = {one.name for one in published_as("torch-2.8.0*-cp311-cp311-*x86_64.whl")}

    assert found == {"torch-2.8.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl"}


def test_a_plus_in_a_name_is_written_as_a_url_wants_it():
    (one,) = published_as("torch-2.8.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl")

    assert one.url.endswith("/torch-2.8.0%2Bcpu-cp311-cp311-manylinux_2_28_x86_64.whl")

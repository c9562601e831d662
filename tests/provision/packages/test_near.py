"""Packages as files of this machine."""

from npudoctor.provision.packages.find import find
from npudoctor.provision.packages.near import kept_here, near
from npudoctor.provision.packages.place import Folder, default_store, open_place

from .factory import DRIVER, FIRMWARE, sha256, vendor_zip

ZIP = "Ascend-hdk-910b-npu_25.5.0_linux-aarch64.zip"
HDK = ("driver", "firmware")


def test_a_file_of_a_folder_stays_where_it_is(folder, stack, memory):
    found = find(Folder(folder), stack, "aarch64", HDK, memory)

    assert near(found, stack.name) == {
        sha256((folder / name).read_bytes()): folder / name for name in (DRIVER, FIRMWARE)
    }
    assert not default_store().exists()


def test_what_is_in_a_zip_goes_into_the_store_of_this_user(folder, stack, memory, monkeypatch):
    runs = {name: (folder / name).read_bytes() for name in (DRIVER, FIRMWARE)}
    for name in runs:
        (folder / name).unlink()
    vendor_zip(folder / ZIP, runs)
    monkeypatch.setattr("npudoctor.provision.packages.find.published_as", lambda _name: [])

    paths = near(find(Folder(folder), stack, "aarch64", HDK, memory), stack.name)
    assert {digest: path.read_bytes() for digest, path in paths.items()} == {
        sha256(content): content for content in runs.values()
    }
    assert kept_here(sha256(runs[DRIVER])) == paths[sha256(runs[DRIVER])]


def test_what_is_behind_http_is_fetched_once(served, folder, stack, memory):
    digests = {name: sha256((folder / name).read_bytes()) for name in (DRIVER, FIRMWARE)}
    (folder / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in digests.items()))
    found = find(open_place(served.url), stack, "aarch64", HDK, memory)

    paths = near(found, stack.name)
    assert paths[digests[DRIVER]].read_bytes() == (folder / DRIVER).read_bytes()
    before = len(served.gets())
    assert near(found, stack.name) == paths
    assert len(served.gets()) == before


def test_what_was_never_kept_is_not_here():
    assert kept_here("a" * 64) is None

"""A folder or a store behind HTTP."""

import pytest

from npudoctor.errors import IncompleteError, UsageError
from npudoctor.provision.packages.build import Item, build
from npudoctor.provision.packages.find import State, find
from npudoctor.provision.packages.place import Folder, open_place

from .factory import DRIVER, RUNS, sha256


def test_the_files_of_a_listing_are_known_with_their_sizes(served, folder, stack, memory):
    place = open_place(served.url)

    found = find(place, stack, "aarch64", ("driver",), memory)[0]
    assert set(place.names()) == set(RUNS)
    assert (found.state, found.size) == (State.UNREAD, (folder / DRIVER).stat().st_size)
    assert found.where == served.url + DRIVER


def test_without_a_listing_files_are_asked_for_by_name(served, stack, memory):
    served.listing = False

    states = {
        one.need.component: one.state for one in find(open_place(served.url), stack, "aarch64", (), memory)
    }
    assert states["driver"] is State.UNREAD
    assert states["ascend_runtime"] is State.MISSING


@pytest.mark.parametrize("listing", [True, False])
def test_a_list_of_digests_is_read(served, folder, stack, memory, listing):
    served.listing = listing
    digest = sha256((folder / DRIVER).read_bytes())
    (folder / "SHA256SUMS").write_text(f"{digest}  {DRIVER}\n")

    found = find(open_place(served.url), stack, "aarch64", ("driver",), memory)[0]
    assert (found.sha256, found.proof) == (digest, "sums")


def test_no_package_is_fetched_while_it_is_only_looked_for(served, stack, memory):
    find(open_place(served.url), stack, "aarch64", (), memory)

    assert not [path for path, _ranged in served.gets() if path.endswith(".run")]


def test_a_store_behind_http_is_a_store(served, folder, stack, memory, tmp_path):
    items = [
        Item(one, stack.name) for one in find(Folder(folder), stack, "aarch64", (), memory) if one.is_there
    ]
    build(items, tmp_path / "store")
    served.folder = tmp_path / "store"

    found = find(open_place(served.url), stack, "aarch64", ("driver",), memory)[0]
    assert found.sha256 == sha256((folder / DRIVER).read_bytes())
    assert (found.state, found.proof) == (State.UNREAD, "itself")
    assert found.where == f"{served.url}sha256/{found.sha256[:2]}/{found.sha256}"


def test_a_store_with_a_damaged_manifest_is_refused(served, folder):
    (folder / "manifest.json").write_text('{"schema": "npudoctor.store/1", "packages": [')

    with pytest.raises(UsageError, match=r"manifest\.json: no manifest"):
        open_place(served.url)


def test_a_mirror_that_does_not_answer_is_incomplete(served):
    served.status = 500

    with pytest.raises(IncompleteError, match="HTTP 500"):
        open_place(served.url)


def test_links_of_a_listing_that_lead_elsewhere_are_passed_over(served, folder, monkeypatch):
    (folder / "index.html").write_text(
        '<a href="../up.run"><a href="http://other/there.run"><a href="a%2Fb.run"><a href="here.run?x=1">'
        "<a HREF='./right.run'><a href=\"sub/\"><a href='http://[x'><a href='a%0Ab.run'>"
    )

    assert open_place(served.url).names() == ["right.run"]

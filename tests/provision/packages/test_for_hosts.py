"""A store as hosts take it: through the collection's own fetcher, from a mounted folder and over HTTP."""

import pytest

from npudoctor.provision.packages.build import Item, build
from npudoctor.provision.packages.find import find
from npudoctor.provision.packages.manifest import read_manifest
from npudoctor.provision.packages.place import Folder
from npudoctor.report.packages_json import packages_json
from tests.provision.collection.calling import call

from .server import Served


@pytest.fixture
def store(folder, tmp_path, stack, memory):
    items = [
        Item(one, stack.name) for one in find(Folder(folder), stack, "aarch64", (), memory) if one.is_there
    ]
    build(items, tmp_path / "store")
    return tmp_path / "store"


@pytest.fixture
def wanted(folder, stack, memory):
    """What `npudoctor provision packages --format json` hands to the playbooks."""
    found = find(Folder(folder), stack, "aarch64", (), memory)
    listed = packages_json(stack, ["aarch64"], str(folder), found, {})["npudoctor_packages"]
    return [package for packages in listed.values() for package in packages]


def test_a_mounted_store_is_a_source(store, wanted, tmp_path):
    answer = call("fetch", tmp_path / "host", packages=wanted, sources=[f"file://{store}"])

    assert {one["name"] for one in answer["fetched"]} == {
        entry.name for entry in read_manifest(store).entries
    }


def test_so_is_one_behind_http_and_a_folder_with_the_vendors_names(store, folder, wanted, tmp_path):
    for number, place in enumerate((store, folder)):
        served = Served(place)
        try:
            answer = call("fetch", tmp_path / f"host{number}", packages=wanted, sources=[served.url])
        finally:
            served.close()
        assert len(answer["fetched"]) == len(wanted)


def test_the_store_of_a_host_has_the_same_layout(store, wanted, tmp_path):
    call("fetch", tmp_path / "first", packages=wanted, sources=[f"file://{store}"])
    of_first = tmp_path / "first" / "var" / "lib" / "npudoctor" / "store"

    answer = call("fetch", tmp_path / "second", packages=wanted, sources=[f"file://{of_first}"])
    assert len(answer["fetched"]) == len(wanted)

"""A store is read through and held against its manifest."""

import json

import pytest

from npudoctor.errors import UsageError
from npudoctor.provision.packages.build import Item, build
from npudoctor.provision.packages.find import find
from npudoctor.provision.packages.manifest import read_manifest
from npudoctor.provision.packages.place import Folder
from npudoctor.provision.packages.verify import verify

from .factory import DRIVER, RUNS


@pytest.fixture
def store(folder, tmp_path, stack, memory):
    items = [
        Item(one, stack.name) for one in find(Folder(folder), stack, "aarch64", (), memory) if one.is_there
    ]
    build(items, tmp_path / "store")
    return tmp_path / "store"


@pytest.fixture
def driver(store):
    (entry,) = (entry for entry in read_manifest(store).entries if entry.name == DRIVER)
    return store / entry.place


def test_a_whole_store_has_no_problem(store):
    verified = verify(store)

    assert (verified.problems, verified.strays) == ((), ())
    assert len(verified.manifest.entries) == len(RUNS)


def test_one_changed_byte_is_found(store, driver):
    content = driver.read_bytes()
    driver.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))

    (problem,) = verify(store).problems
    assert problem.name == DRIVER
    assert "its SHA-256 is" in problem.what


def test_a_cut_off_object_and_one_that_is_not_there_are_found(store, driver):
    driver.write_bytes(driver.read_bytes()[:-10])
    assert "bytes, not" in verify(store).problems[0].what

    driver.unlink()
    assert verify(store).problems[0].what == "it is not there"


def test_a_link_in_place_of_an_object_is_no_object(store, driver, tmp_path):
    (tmp_path / "elsewhere").write_bytes(driver.read_bytes())
    driver.unlink()
    driver.symlink_to(tmp_path / "elsewhere")

    assert verify(store).problems[0].what == "it is not there"


def test_an_object_that_the_manifest_does_not_name_is_told_and_no_problem(store):
    (store / "sha256" / "ff").mkdir()
    (store / "sha256" / "ff" / "ff").write_text("")

    assert verify(store).problems == ()
    assert verify(store).strays == ("sha256/ff/ff",)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: content["packages"][0].update(name="../../etc/passwd"), "no manifest"),
        (lambda content: content["packages"][0].update(version="0"), "its own digest does not hold"),
        (lambda content: content["packages"].pop(), "its own digest does not hold"),
        (lambda content: content["packages"][0].update(size=-1), "no manifest"),
        (lambda content: content["packages"][0].update(size="1"), "no manifest"),
        (lambda content: content["packages"][0].update(sha256="../x"), "no manifest"),
        (lambda content: content["packages"][0].update(more=1), "no manifest"),
        (lambda content: content["packages"][0].pop("name"), "no manifest"),
        (lambda content: content.update(schema="npudoctor.store/9"), "of another schema"),
        (lambda content: content.update(packages=5), "no manifest"),
    ],
)
def test_a_manifest_that_was_changed_is_refused(store, change, said):
    file = store / "manifest.json"
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))

    with pytest.raises(UsageError, match=said):
        verify(store)


@pytest.mark.parametrize("text", ["", "[]", "[" * 100_000, '{"packages": [[]]}', "nonsense"])
def test_what_is_no_manifest_is_refused_in_one_line(store, text):
    (store / "manifest.json").write_text(text)

    with pytest.raises(UsageError) as error:
        verify(store)
    assert "\n" not in str(error.value)


def test_no_store_is_wrong_usage(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        verify(tmp_path)

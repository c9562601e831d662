"""A store is there wholly, or as it was before."""

import json
import os
import resource
import shutil
import signal

import pytest

from npudoctor.errors import Exit, NpudoctorError, UsageError
from npudoctor.provision.packages import build as building
from npudoctor.provision.packages import files
from npudoctor.provision.packages.build import Item, build
from npudoctor.provision.packages.fetch import WrongBytesError
from npudoctor.provision.packages.files import locked
from npudoctor.provision.packages.find import Search, State, find, needs
from npudoctor.provision.packages.manifest import read_manifest
from npudoctor.provision.packages.place import Folder, Store, open_place
from npudoctor.provision.packages.verify import verify

from .factory import DRIVER, FIRMWARE, RUNS, TOOLKIT, run_package, sha256, vendor_zip


@pytest.fixture
def output(tmp_path):
    return tmp_path / "store"


@pytest.fixture
def items(stack, memory):
    def of(place):
        return [Item(one, stack.name) for one in find(place, stack, "aarch64", (), memory) if one.is_there]

    return of


def test_every_package_lies_under_its_digest_and_stands_in_the_manifest(folder, output, items):
    built = build(items(Folder(folder)), output)

    assert (built.added, built.present) == (len(RUNS), 0)
    for entry in read_manifest(output).entries:
        content = (output / "sha256" / entry.sha256[:2] / entry.sha256).read_bytes()
        assert content == (folder / entry.name).read_bytes()
        assert (entry.sha256, entry.size) == (sha256(content), len(content))


def test_an_entry_says_for_what_from_where_and_who_vouches(folder, output, items, stack):
    build(items(Folder(folder)), output)

    entries = {entry.component: entry for entry in read_manifest(output).entries}
    driver, firmware, toolkit = (entries[name] for name in ("driver", "firmware", "toolkit"))
    assert (driver.version, driver.chip, driver.arch) == ("25.5.0", "910B", "aarch64")
    assert (firmware.version, firmware.chip, firmware.arch) == ("7.8.0.5.216", "910B", "")
    assert (toolkit.version, toolkit.chip, toolkit.arch) == ("8.5.0", "", "aarch64")
    assert (driver.source, driver.proof, driver.stacks) == (str(folder / DRIVER), "itself", (stack.name,))


def test_a_second_build_copies_nothing_and_changes_nothing(folder, output, items):
    build(items(Folder(folder)), output)
    before = (output / "manifest.json").read_bytes()

    assert build(items(Folder(folder)), output).added == 0
    assert (output / "manifest.json").read_bytes() == before


def test_former_versions_stay_for_undo(folder, output, items):
    build(items(Folder(folder)), output)
    (folder / DRIVER).write_bytes(run_package("the same version, built anew"))
    build(items(Folder(folder)), output)

    drivers = [entry for entry in read_manifest(output).entries if entry.component == "driver"]
    assert len({entry.sha256 for entry in drivers}) == 2
    assert verify(output).problems == ()


def test_a_damaged_object_is_mended_by_the_next_build(folder, output, items):
    build(items(Folder(folder)), output)
    (entry,) = (entry for entry in read_manifest(output).entries if entry.name == DRIVER)
    (output / entry.place).write_bytes(b"x" * entry.size)
    assert verify(output).problems

    assert build(items(Folder(folder)), output).added == 1
    assert verify(output).problems == ()


def test_packages_come_out_of_the_vendors_zip(folder, output, stack, memory, monkeypatch):
    zipped = "Ascend-hdk-910b-npu_25.5.0_linux-aarch64.zip"
    runs = {name: (folder / name).read_bytes() for name in (DRIVER, FIRMWARE)}
    for name in runs:
        (folder / name).unlink()
    vendor_zip(folder / zipped, runs)
    monkeypatch.setattr("npudoctor.provision.packages.find.published_as", lambda _name: [])

    found = find(Folder(folder), stack, "aarch64", ("driver", "firmware"), memory)
    build([Item(one, stack.name) for one in found], output)

    stored = {entry.name: entry for entry in read_manifest(output).entries}
    assert {name: (output / stored[name].place).read_bytes() for name in runs} == runs
    assert stored[DRIVER].signature == "present"


def test_a_package_that_changes_between_look_and_copy_is_not_stored(folder, output, items):
    wanted = items(Folder(folder))
    (folder / TOOLKIT).write_bytes(run_package("changed meanwhile"))

    with pytest.raises(WrongBytesError, match="changed while it was copied"):
        build(wanted, output)
    assert not (output / "manifest.json").exists()


def test_a_mirror_is_taken_into_a_store(served, folder, output, items):
    build(items(open_place(served.url)), output)

    assert {entry.name for entry in read_manifest(output).entries} == set(RUNS)
    assert verify(output).problems == ()
    assert {entry.proof for entry in read_manifest(output).entries} == {"itself"}


def test_a_cut_off_package_of_a_mirror_without_digests_is_found_out_by_its_own_header(
    served, folder, output, items
):
    (folder / DRIVER).write_bytes((folder / DRIVER).read_bytes()[:-50])

    with pytest.raises(WrongBytesError, match="50 bytes are missing"):
        build(items(open_place(served.url)), output)
    assert not (output / "manifest.json").exists()


def test_a_zip_of_a_mirror_is_fetched_once_for_all_that_it_holds(
    served, folder, output, stack, memory, monkeypatch
):
    zipped = "Ascend-hdk-910b-npu_25.5.0_linux-aarch64.zip"
    runs = {name: (folder / name).read_bytes() for name in (DRIVER, FIRMWARE)}
    for name in runs:
        (folder / name).unlink()
    vendor_zip(folder / zipped, runs)
    for module in ("find", "build"):
        monkeypatch.setattr(f"npudoctor.provision.packages.{module}.published_as", lambda _name: [])

    search = Search(open_place(served.url), memory)
    found = [search.find(need) for need in needs(stack, "aarch64", ("driver", "firmware"))]
    assert {one.state for one in found} == {State.UNREAD}
    build([Item(one, stack.name) for one in found], output)

    assert {entry.name for entry in read_manifest(output).entries} == set(runs)
    assert [path for path, _ranged in served.gets() if path.endswith(".zip")] == [f"/{zipped}"]


def test_a_store_is_built_from_another_store(folder, output, items, tmp_path):
    build(items(Folder(folder)), output)
    build(items(Store(output)), tmp_path / "second")

    first, second = (read_manifest(one).entries for one in (output, tmp_path / "second"))
    assert [(one.name, one.sha256, one.proof) for one in first] == [
        (one.name, one.sha256, one.proof) for one in second
    ]


def test_two_writers_do_not_meet(folder, output, items):
    with locked(output), pytest.raises(UsageError, match="another npudoctor is writing there"):
        build(items(Folder(folder)), output)


def test_too_little_room_is_told_before_anything_is_written(folder, output, items, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(100, 90, 10))

    with pytest.raises(NpudoctorError, match="1 MB are needed, 0 MB are free") as error:
        build(items(Folder(folder)), output)
    assert error.value.exit is Exit.DOCTOR
    assert not (output / "sha256").exists()


def test_a_disk_that_fills_up_on_the_way_leaves_the_store_as_it_was(folder, output, items):
    build(items(Folder(folder))[:1], output)
    before = (output / "manifest.json").read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))
    try:
        with pytest.raises(NpudoctorError) as error:
            build(items(Folder(folder)), output)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert error.value.exit is Exit.DOCTOR
    assert (output / "manifest.json").read_bytes() == before
    assert not [path for path in (output / ".incoming").iterdir() if path.stat().st_size]


def test_a_folder_that_may_not_be_written_is_wrong_usage(folder, items, tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(UsageError):
        build(items(Folder(folder)), tmp_path / "file" / "store")


def test_a_folder_of_packages_is_not_made_a_store(folder, items):
    with pytest.raises(UsageError, match=r"holds other files \(Ascend-cann"):
        build(items(Folder(folder)), folder)

    assert not (folder / "manifest.json").exists()


def test_ctrl_c_leaves_no_half_of_a_package(folder, output, items):
    told = []

    def interrupt(size):
        told.append(size)
        if len(told) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(items(Folder(folder)), output, interrupt)

    assert not (output / "manifest.json").exists()
    assert list((output / ".incoming").iterdir()) == []
    assert build(items(Folder(folder)), output).present == 2


def _killed_at(step, work):
    """Run `work` in a process that kills itself at its step-th change of the disk; whether it was killed."""
    child = os.fork()
    if child == 0:
        left = [step]

        def deadly(real):
            def call(*arguments):
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*arguments)

            return call

        files.os = type("os", (), {**vars(os), "fsync": staticmethod(deadly(os.fsync))})
        files.sync_folder = deadly(files.sync_folder)
        building.put_in_place = deadly(building.put_in_place)
        work()
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def test_a_build_that_is_killed_at_any_moment_leaves_before_or_after(folder, output, items, stack):
    build(items(Folder(folder))[:2], output)
    before = json.loads((output / "manifest.json").read_text())
    wanted = items(Folder(folder))
    step = killed = 0
    while True:
        step += 1
        shutil.rmtree(output)
        build(wanted[:2], output)
        if not _killed_at(step, lambda: build(wanted, output)):
            break
        killed += 1
        names = [entry.name for entry in read_manifest(output).entries]
        assert len(names) in (len(before["packages"]), len(RUNS))
        assert verify(output).problems == ()
        build(wanted, output)
        assert len(read_manifest(output).entries) == len(RUNS)
        assert verify(output).strays == ()

    assert killed >= 12

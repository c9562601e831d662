"""A store that was carried over is taken in wholly, or nothing of it is."""

import io
import json
import os
import shutil
import signal
import tarfile

import pytest

from npudoctor.errors import Exit, UsageError
from npudoctor.provision.packages import carry, files
from npudoctor.provision.packages.build import Item, build
from npudoctor.provision.packages.carry import bring_in
from npudoctor.provision.packages.fetch import WrongBytesError
from npudoctor.provision.packages.find import find
from npudoctor.provision.packages.manifest import read_manifest
from npudoctor.provision.packages.place import Folder
from npudoctor.provision.packages.verify import verify

from .factory import DRIVER, RUNS, run_package


@pytest.fixture
def store(folder, tmp_path, stack, memory):
    items = [
        Item(one, stack.name) for one in find(Folder(folder), stack, "aarch64", (), memory) if one.is_there
    ]
    build(items, tmp_path / "store")
    return tmp_path / "store"


@pytest.fixture
def output(tmp_path):
    return tmp_path / "site"


@pytest.fixture(params=["folder", "tar", "tar.gz", "tar of the folder"])
def carried(request, store, tmp_path):
    """The store in each form in which it can be carried."""
    if request.param == "folder":
        return store
    file = tmp_path / "store.tar"
    with tarfile.open(file, "w:gz" if request.param == "tar.gz" else "w") as tar:
        tar.add(store, arcname=".")
    return file


def _tar(file, *members):
    with tarfile.open(file, "w") as tar:
        for member, content in members:
            member.size = len(content) if member.isreg() else 0
            tar.addfile(member, io.BytesIO(content))
    return file


def _member(name, kind=tarfile.REGTYPE, link=""):
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    return member


def test_every_package_is_taken_in(carried, output):
    imported = bring_in(carried, output)

    assert imported.added == len(RUNS)
    assert {entry.name for entry in read_manifest(output).entries} == set(RUNS)
    assert verify(output).problems == ()


def test_a_second_import_takes_nothing(carried, output):
    bring_in(carried, output)

    assert bring_in(carried, output).added == 0


def test_what_the_site_had_stays(carried, output, folder, stack, memory, tmp_path):
    (folder / DRIVER).write_bytes(run_package("former"))
    items = [Item(one, "former") for one in find(Folder(folder), stack, "aarch64", ("driver",), memory)]
    build(items, output)

    bring_in(carried, output)

    assert len([entry for entry in read_manifest(output).entries if entry.name == DRIVER]) == 2
    assert verify(output).problems == ()


def test_a_damaged_object_of_the_site_is_mended(carried, output):
    bring_in(carried, output)
    (entry,) = (entry for entry in read_manifest(output).entries if entry.name == DRIVER)
    (output / entry.place).write_bytes(b"x" * entry.size)

    assert bring_in(carried, output).added == 1
    assert verify(output).problems == ()


def test_the_digest_of_the_manifest_can_be_asked_for(store, output):
    digest = read_manifest(store).sha256
    bring_in(store, output, digest)

    with pytest.raises(WrongBytesError, match=digest):
        bring_in(store, output, "0" * 64)


def _damaged(store, change):
    (entry,) = (entry for entry in read_manifest(store).entries if entry.name == DRIVER)
    change(store / entry.place, entry)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda path, entry: path.write_bytes(b"x" * entry.size), "damaged on the way"),
        (lambda path, _entry: path.write_bytes(path.read_bytes() + b"x"), "damaged on the way"),
        (lambda path, _entry: path.write_bytes(path.read_bytes()[:-1]), "damaged on the way"),
        (lambda path, _entry: path.unlink(), "cut off"),
    ],
)
@pytest.mark.parametrize("as_tar", [False, True])
def test_a_damaged_store_is_not_taken_and_the_package_is_named(store, output, tmp_path, change, said, as_tar):
    _damaged(store, change)
    source = store
    if as_tar:
        source = tmp_path / "store.tar"
        with tarfile.open(source, "w") as tar:
            tar.add(store, arcname=".")

    with pytest.raises(WrongBytesError, match=said) as error:
        bring_in(source, output)

    assert DRIVER in str(error.value)
    assert error.value.exit is Exit.FINDINGS
    assert not (output / "manifest.json").exists()


@pytest.mark.parametrize("kind", ["w", "w:gz", "w:xz", "w:bz2"])
def test_a_tar_that_is_cut_off_anywhere_is_never_taken_in_part(store, output, tmp_path, kind):
    whole = tmp_path / "store.tar"
    with tarfile.open(whole, kind) as tar:
        tar.add(store, arcname=".")
    content, refused = whole.read_bytes(), 0
    lengths = range(0, len(content), max(1, len(content) // 50))
    for length in lengths:
        whole.write_bytes(content[:length])
        try:
            bring_in(whole, output)
        except (UsageError, WrongBytesError):
            refused += 1
            assert not (output / "manifest.json").exists()
        else:  # only the empty blocks that end a tar were cut off
            assert len(verify(output).manifest.entries) == len(RUNS)
            assert verify(output).problems == ()
            shutil.rmtree(output)

    assert refused > len(lengths) * 0.7


@pytest.mark.parametrize(
    "member",
    [
        _member("../../etc/cron.d/evil"),
        _member("/etc/passwd"),
        _member("sha256/../../x"),
        _member("sha256/ab/" + "c" * 64),
        _member("manifest.json.exe"),
        _member("sha256/ab/link", tarfile.SYMTYPE, "/etc/shadow"),
        _member("sha256/ab/hard", tarfile.LNKTYPE, "/etc/shadow"),
        _member("manifest.json", tarfile.SYMTYPE, "/etc/shadow"),
        _member("sha256/ab/device", tarfile.CHRTYPE),
        _member("sha256/ab/pipe", tarfile.FIFOTYPE),
        _member("../up", tarfile.DIRTYPE),
    ],
    ids=lambda member: member.name,
)
def test_a_hostile_tar_is_refused_as_a_whole(store, output, tmp_path, member):
    text = (store / "manifest.json").read_bytes()
    objects = [
        (_member(str(path.relative_to(store))), path.read_bytes()) for path in store.glob("sha256/*/*")
    ]
    file = _tar(tmp_path / "evil.tar", (_member("manifest.json"), text), *objects, (member, b"x"))

    with pytest.raises(UsageError, match="nothing of it was taken"):
        bring_in(file, output)

    assert not output.exists()
    assert not (tmp_path / "up").exists()


def test_a_tar_of_a_million_folders_is_given_up(store, output, tmp_path, monkeypatch):
    monkeypatch.setattr(carry, "_MOST_MEMBERS", 50)
    file = _tar(
        tmp_path / "many.tar", *((_member(f"d{number}", tarfile.DIRTYPE), b"") for number in range(60))
    )

    with pytest.raises(WrongBytesError, match="far too many files"):
        bring_in(file, output)


def test_a_link_in_a_carried_folder_is_not_followed(store, output, tmp_path):
    def link(path, entry):
        (tmp_path / "elsewhere").write_bytes(path.read_bytes())
        path.unlink()
        path.symlink_to(tmp_path / "elsewhere")

    _damaged(store, link)

    with pytest.raises(WrongBytesError, match="is not in it"):
        bring_in(store, output)


@pytest.mark.parametrize("content", [b"", b"no tar", b"\x1f\x8b\x08\x00"])
def test_another_file_is_no_store(tmp_path, output, content):
    (tmp_path / "store.tar").write_bytes(content)

    with pytest.raises((UsageError, WrongBytesError), match=r"store\.tar"):
        bring_in(tmp_path / "store.tar", output)


def test_what_is_not_there_is_wrong_usage(tmp_path, output):
    with pytest.raises(UsageError, match="not there"):
        bring_in(tmp_path / "nothing.tar", output)


def test_an_import_that_is_killed_at_any_moment_leaves_before_or_after(store, output):
    step = killed = 0
    while True:
        step += 1
        shutil.rmtree(output, ignore_errors=True)
        child = os.fork()
        if child == 0:
            left = [step]

            def deadly(real, left=left):
                def call(*arguments):
                    left[0] -= 1
                    if left[0] == 0:
                        os.kill(os.getpid(), signal.SIGKILL)
                    return real(*arguments)

                return call

            files.os = type("os", (), {**vars(os), "fsync": staticmethod(deadly(os.fsync))})
            files.sync_folder = deadly(files.sync_folder)
            carry.put_in_place = deadly(carry.put_in_place)
            bring_in(store, output)
            os._exit(0)
        if not os.WIFSIGNALED(os.waitpid(child, 0)[1]):
            break
        killed += 1
        if (output / "manifest.json").exists():
            assert json.loads((output / "manifest.json").read_text())["sha256"] == read_manifest(store).sha256
            assert verify(output).problems == ()
        bring_in(store, output)
        assert verify(output).strays == ()

    assert killed >= 20


@pytest.mark.parametrize("spoilt", ["\\ud800", "\\u001b[2J"])
def test_a_manifest_with_what_no_terminal_may_be_sent_is_refused(store, output, spoilt):
    text = (store / "manifest.json").read_text()
    (store / "manifest.json").write_text(text.replace('"driver"', f'"driver{spoilt}"'))

    with pytest.raises(UsageError, match="no manifest of a store"):
        bring_in(store, output)


def test_what_is_no_tar_is_told_in_one_line(output, tmp_path):
    (tmp_path / "store.tar").write_bytes(b"no tar at all" * 1000)

    with pytest.raises(WrongBytesError) as error:
        bring_in(tmp_path / "store.tar", output)

    assert "\n" not in str(error.value)

"""Which files a stack needs, and whether a folder holds them whole."""

import zipfile

import pytest

from npudoctor.errors import UsageError
from npudoctor.provision.packages import known
from npudoctor.provision.packages.build import Item, build
from npudoctor.provision.packages.find import State, arches_of, find, needs
from npudoctor.provision.packages.known import Published
from npudoctor.provision.packages.place import Folder, open_place

from .factory import DRIVER, FIRMWARE, NNAL, OPS, RUNS, TOOLKIT, run_package, sha256, vendor_zip, wheel

ZIP = "Ascend-hdk-910b-npu_25.5.0_linux-aarch64.zip"


@pytest.fixture
def look(stack, folder, memory):
    def one(component, arch="aarch64", place=None):
        return find(place or Folder(folder), stack, arch, (component,), memory)[0]

    return one


@pytest.fixture
def publish(monkeypatch):
    """`publish(name, content)`: as if a public list gave the digest of this content."""

    def one(name, content):
        row = Published(name, sha256(content), f"https://somewhere/{name}", "a list")
        monkeypatch.setattr(known, "published", lambda: (row,))

    return one


def test_a_stack_needs_a_file_for_each_component_that_has_packages(stack):
    needed = [(need.component, need.file.name) for need in needs(stack, "aarch64") if not need.file.optional]

    assert needed == [
        ("driver", DRIVER), ("firmware", FIRMWARE), ("toolkit", TOOLKIT), ("ops", OPS), ("nnal", NNAL),
        ("ascend_runtime", "Ascend-docker-runtime_7.3.0_linux-aarch64.run"),
    ]  # fmt: skip


def test_a_whole_package_is_found_with_size_and_digest_and_vouches_for_itself(look, folder):
    found = look("driver")

    content = (folder / DRIVER).read_bytes()
    assert (found.state, found.size, found.sha256) == (State.FOUND, len(content), sha256(content))
    assert found.proof == "itself"


def test_a_published_digest_outweighs_what_a_package_says_of_itself(look, folder, publish):
    publish(DRIVER, (folder / DRIVER).read_bytes())
    assert look("driver").proof == "published"

    publish(DRIVER, b"other bytes")
    found = look("driver")
    assert found.state is State.DAMAGED
    assert sha256(b"other bytes")[:16] in found.why


def test_a_cut_off_package_is_damaged_though_nobody_published_its_digest(look, folder):
    (folder / DRIVER).write_bytes((folder / DRIVER).read_bytes()[:-100])

    found = look("driver")
    assert found.state is State.DAMAGED
    assert "100 bytes are missing" in found.why
    assert found.blocks


def test_a_list_of_digests_beside_it_is_believed_over_nothing_and_held_against_it(look, folder):
    (folder / DRIVER).write_bytes(b"no makeself archive")
    assert look("driver").proof == "none"

    (folder / "SHA256SUMS").write_text(f"{sha256(b'no makeself archive')} *./{DRIVER}\n")
    assert look("driver").proof == "sums"

    (folder / "SHA256SUMS").write_text(f"{sha256(b'something else')}  {DRIVER}\n")
    assert look("driver").state is State.DAMAGED


@pytest.mark.parametrize(
    ("stray", "said"),
    [
        ("Ascend-hdk-310p-npu-driver_25.5.0_linux-aarch64.run", "(310P aarch64 25.5.0)"),
        ("Ascend-hdk-910b-npu-driver_25.5.0_linux-x86-64.run", "(910B x86_64 25.5.0)"),
        ("Ascend-hdk-910b-npu-driver_25.2.0_linux-aarch64.run", "(910B aarch64 25.2.0)"),
    ],
)
def test_a_package_for_another_chip_architecture_or_version_is_named_and_not_used(look, folder, stray, said):
    (folder / DRIVER).rename(folder / stray)

    found = look("driver")
    assert found.state is State.MISSING
    assert f"{stray} {said}" in found.why


def test_a_package_for_another_chip_under_the_right_name_is_found_out_by_what_it_calls_itself(look, folder):
    label = "ASCEND-HDK-310P-NPU DRIVER RUN PACKAGE"
    (folder / DRIVER).write_bytes(run_package("driver", label))

    found = look("driver")
    assert found.state is State.DAMAGED
    assert "310P" in found.why


def test_packages_are_found_in_folders_below_and_in_any_case_of_letters(look, folder):
    (folder / "hdk").mkdir()
    (folder / DRIVER).rename(folder / "hdk" / DRIVER.upper().replace(".RUN", ".run"))

    assert look("driver").state is State.FOUND


def test_driver_and_firmware_are_found_in_the_zip_of_the_vendor(look, folder, publish):
    runs = {name: (folder / name).read_bytes() for name in (DRIVER, FIRMWARE)}
    for name in runs:
        (folder / name).unlink()
    zipped = vendor_zip(folder / ZIP, runs)
    publish(ZIP, zipped.read_bytes())

    for component, name in (("driver", DRIVER), ("firmware", FIRMWARE)):
        found = look(component)
        assert (found.state, found.sha256, found.proof) == (State.FOUND, sha256(runs[name]), "archive")
        assert (found.signature, found.why) == ("present", f"in {ZIP}")


def test_a_firmware_is_found_in_the_zip_of_whatever_driver_it_came_with(look, folder, publish):
    content = (folder / FIRMWARE).read_bytes()
    (folder / FIRMWARE).unlink()
    publish("another", b"")
    vendor_zip(folder / ZIP, {DRIVER: b"x"})
    vendor_zip(folder / ZIP.replace("25.5.0", "25.5.1"), {FIRMWARE: content})

    found = look("firmware")
    assert (found.state, found.sha256) == (State.FOUND, sha256(content))
    assert found.why == f"in {ZIP.replace('25.5.0', '25.5.1')}"


def test_nothing_is_taken_out_of_a_zip_with_another_digest_than_the_published_one(look, folder, publish):
    content = (folder / DRIVER).read_bytes()
    (folder / DRIVER).unlink()
    vendor_zip(folder / ZIP, {DRIVER: content})
    publish(ZIP, b"what the vendor published")

    assert look("driver").state is State.DAMAGED


@pytest.mark.parametrize("damage", [lambda text: text[:-30], lambda _text: b"no zip"])
def test_a_damaged_zip_gives_nothing(look, folder, damage, publish):
    publish("another", b"")
    content = (folder / DRIVER).read_bytes()
    (folder / DRIVER).unlink()
    zipped = vendor_zip(folder / ZIP, {DRIVER: content})
    zipped.write_bytes(damage(zipped.read_bytes()))

    found = look("driver")
    assert found.state is State.DAMAGED
    assert found.sha256 == ""


def changed_byte(zipped, member):
    """One byte of the content of a member, in the middle of it."""
    content = bytearray(zipped.read_bytes())
    with zipfile.ZipFile(zipped) as opened:
        info = opened.getinfo(member)
    content[info.header_offset + 30 + len(member) + info.compress_size // 2] ^= 0xFF
    return bytes(content)


def broken_list(zipped, _member):
    """The signature of the first row in the list of its files."""
    return zipped.read_bytes().replace(b"PK\x01\x02", b"PK\x00\x00", 1)


@pytest.mark.parametrize("damage", [changed_byte, broken_list])
def test_a_zip_whose_end_is_whole_and_whose_content_is_not_is_damaged(look, folder, damage, publish):
    publish("another", b"")
    content = (folder / DRIVER).read_bytes()
    (folder / DRIVER).unlink()
    zipped = vendor_zip(folder / ZIP, {DRIVER: content})
    zipped.write_bytes(damage(zipped, ZIP))

    found = look("driver")
    assert (found.state, found.sha256) == (State.DAMAGED, "")
    assert found.why.startswith(f"{ZIP}: ")


def test_a_zip_that_lacks_the_package_is_named(look, folder, publish):
    (folder / DRIVER).unlink()
    publish(ZIP, vendor_zip(folder / ZIP, {"other.run": b"x"}).read_bytes())

    found = look("driver")
    assert (found.state, found.why) == (State.MISSING, f"{ZIP} does not hold it")


def test_wheels_and_images_are_optional(stack, folder, memory):
    wheel(folder / "torch_npu-2.7.1.post2-cp311-cp311-manylinux_2_28_aarch64.whl")

    found = {one.name: one for one in find(Folder(folder), stack, "aarch64", ("python_env",), memory)}

    assert found["torch-2.7.1*-cp311-cp311-*aarch64.whl"].state is State.MISSING
    assert not any(one.blocks for one in found.values() if one.state is State.MISSING)


def test_another_build_of_a_wheel_is_used_and_told_for_indexes_hold_what_no_list_knows(stack, folder, memory):
    name = "torch_npu-2.7.1.post2-cp311-cp311-manylinux_2_28_aarch64.whl"
    wheel(folder / name)

    found = find(Folder(folder), stack, "aarch64", ("python_env",), memory)[1]
    assert (found.name, found.state, found.proof) == (name, State.FOUND, "none")
    assert found.why == "public lists have another build of this name"


def test_the_list_of_the_site_outweighs_public_ones(look, folder, publish, monkeypatch, tmp_path):
    publish(DRIVER, b"what the vendor published")
    assert look("driver").state is State.DAMAGED

    digests = tmp_path / "digests"
    digests.write_text(f"{sha256((folder / DRIVER).read_bytes())}  {DRIVER}\n")
    monkeypatch.setenv("NPUDOCTOR_DIGESTS", str(digests))
    assert (look("driver").state, look("driver").proof) == (State.FOUND, "site")

    (folder / DRIVER).write_bytes(run_package("neither of both"))
    assert look("driver").state is State.DAMAGED


def test_what_a_store_holds_by_the_word_of_its_site_is_right_where_that_list_is_not(
    stack, folder, publish, monkeypatch, tmp_path, memory
):
    publish(DRIVER, b"what the vendor published")
    digests = tmp_path / "digests"
    digests.write_text(f"{sha256((folder / DRIVER).read_bytes())}  {DRIVER}\n")
    monkeypatch.setenv("NPUDOCTOR_DIGESTS", str(digests))
    (found,) = find(Folder(folder), stack, "aarch64", ("driver",), memory)
    build([Item(found, stack.name)], tmp_path / "store")
    monkeypatch.delenv("NPUDOCTOR_DIGESTS")

    (found,) = find(open_place(str(tmp_path / "store")), stack, "aarch64", ("driver",), memory)
    assert (found.state, found.proof) == (State.FOUND, "site")


def test_a_list_of_the_site_that_cannot_be_read_is_wrong_usage(look, monkeypatch):
    monkeypatch.setenv("NPUDOCTOR_DIGESTS", "/nowhere")

    with pytest.raises(UsageError, match="NPUDOCTOR_DIGESTS=/nowhere"):
        look("driver")


def test_the_architectures_are_those_that_there_are_files_for(stack, folder):
    assert arches_of(Folder(folder), stack) == ["aarch64"]

    (folder / TOOLKIT.replace("aarch64", "x86_64")).write_bytes(b"")
    assert arches_of(Folder(folder), stack) == ["aarch64", "x86_64"]


def test_a_file_is_read_once_until_it_changes(look, folder, memory, monkeypatch):
    first = look("driver")
    opened = []
    monkeypatch.setattr("npudoctor.provision.packages.seen._file", lambda path, _tell: opened.append(path))
    assert look("driver").sha256 == first.sha256
    assert opened == []

    monkeypatch.undo()
    (folder / DRIVER).write_bytes(run_package("another driver"))
    assert look("driver").sha256 != first.sha256


def test_a_file_that_cannot_be_read_is_damaged(look, folder, monkeypatch):
    def refuse(path, _tell):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("npudoctor.provision.packages.seen._file", refuse)

    found = look("driver")
    assert (found.state, found.why) == (State.DAMAGED, "it cannot be read: Permission denied")


def test_a_broken_memory_is_forgotten(tmp_path, stack, folder):
    from npudoctor.provision.packages.seen import Memory

    file = tmp_path / "memory.json"
    file.write_text('{"a": [1]}')

    assert find(Folder(folder), stack, "aarch64", ("driver",), Memory(file))[0].state is State.FOUND


@pytest.mark.parametrize("text", ["/nowhere", "https://user:secret@mirror/ascend"])
def test_a_place_that_is_none_is_wrong_usage(text):
    with pytest.raises(UsageError) as error:
        open_place(text)

    assert "secret" not in str(error.value)


def test_every_name_of_the_folder_is_known(folder):
    assert set(Folder(folder).names()) == set(RUNS)

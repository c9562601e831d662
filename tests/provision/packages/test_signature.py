"""Signatures of the vendor's zips, made here with a root of our own."""

import shutil
import subprocess
import zipfile

import pytest

from npudoctor.errors import UsageError
from npudoctor.provision.packages.find import State, find
from npudoctor.provision.packages.place import Folder
from npudoctor.provision.packages.signature import signed

from .factory import DRIVER, vendor_zip

ZIP = "Ascend-hdk-910b-npu_25.5.0_linux-aarch64.zip"
CONFIG = """\
[ca]
default_ca = own
[own]
database = {folder}/index.txt
crlnumber = {folder}/crlnumber
default_md = sha256
default_crl_days = 30
private_key = {folder}/root.key
certificate = {folder}/root.pem
"""


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """A root, a signer that it certified, and its list of the revoked (none)."""
    folder = tmp_path_factory.mktemp("keys")
    root, signer = folder / "root", folder / "signer"
    key, days = ("-newkey", "rsa:2048", "-nodes"), ("-days", "30")
    openssl("req", "-x509", *key, *days, "-keyout", f"{root}.key", "-out", f"{root}.pem", "-subj", "/CN=root")
    openssl("req", *key, "-keyout", f"{signer}.key", "-out", f"{signer}.csr", "-subj", "/CN=signer")
    by_root = ("-CA", f"{root}.pem", "-CAkey", f"{root}.key", "-CAcreateserial")
    openssl("x509", "-req", *by_root, *days, "-in", f"{signer}.csr", "-out", f"{signer}.pem")
    (folder / "index.txt").write_text("")
    (folder / "crlnumber").write_text("01\n")
    (folder / "ca.cnf").write_text(CONFIG.format(folder=folder))
    _list_of_revoked(folder)
    return folder


def _list_of_revoked(folder):
    openssl("ca", "-config", folder / "ca.cnf", "-gencrl", "-out", folder / "crl.pem")
    openssl("crl", "-in", folder / "crl.pem", "-outform", "DER", "-out", folder / "list.crl")


@pytest.fixture
def made(folder, keys, tmp_path, stack, memory, monkeypatch):
    """`made(change)`: what is found in a signed zip, after a change of its signed content."""

    def one(change=bytes, revoked=keys / "list.crl"):
        content = (folder / DRIVER).read_bytes()
        (folder / DRIVER).unlink()
        zipped = vendor_zip(folder / ZIP, {DRIVER: content})
        with zipfile.ZipFile(zipped) as outer:
            inner = outer.read(ZIP)
        (tmp_path / ZIP).write_bytes(inner)
        openssl("cms", "-sign", "-binary", "-in", tmp_path / ZIP, "-signer", keys / "signer.pem", "-inkey",
                keys / "signer.key", "-outform", "DER", "-out", tmp_path / "cms", "-nosmimecap")  # fmt: skip
        with zipfile.ZipFile(zipped, "w") as outer:
            outer.writestr(ZIP, change(inner))
            outer.write(tmp_path / "cms", f"{ZIP}.cms")
            outer.write(revoked, "list.crl")
        monkeypatch.setattr("npudoctor.provision.packages.find.published_as", lambda _name: [])
        return find(Folder(folder), stack, "aarch64", ("driver",), memory)

    return one


def test_a_signature_of_the_root_holds(made, keys):
    (found,) = signed(made(), keys / "root.pem")

    assert (found.state, found.signature) == (State.FOUND, "verified")


def test_changed_bytes_are_damaged(made, keys):
    def comment(inner):
        return inner[:-2] + b"\x01\x00x"  # a zip that still opens: it has a comment now

    (found,) = signed(made(comment), keys / "root.pem")

    assert found.state is State.DAMAGED
    assert f"the signature of {ZIP} does not hold" in found.why


def test_a_signature_of_another_root_does_not_hold(made, keys, tmp_path):
    other, key = tmp_path / "other.pem", ("-newkey", "rsa:2048", "-nodes")
    openssl(
        "req", "-x509", *key, "-keyout", tmp_path / "key", "-out", other, "-subj", "/CN=other", "-days", "30"
    )

    (found,) = signed(made(), other)
    assert found.state is State.DAMAGED


def test_a_revoked_signer_does_not_count(made, keys, tmp_path):
    own = tmp_path / "keys"
    shutil.copytree(keys, own)
    (own / "ca.cnf").write_text(CONFIG.format(folder=own))
    openssl("ca", "-config", own / "ca.cnf", "-revoke", own / "signer.pem")
    _list_of_revoked(own)

    (found,) = signed(made(revoked=own / "list.crl"), keys / "root.pem")
    assert found.state is State.DAMAGED
    assert "revoked" in found.why


def test_a_file_of_its_own_has_no_signature_and_stays(folder, keys, stack, memory):
    found = find(Folder(folder), stack, "aarch64", ("driver",), memory)

    assert signed(found, keys / "root.pem") == found


def test_a_root_that_is_not_there_is_wrong_usage(folder, stack, memory, tmp_path):
    with pytest.raises(UsageError, match="no certificate"):
        signed(find(Folder(folder), stack, "aarch64", ("driver",), memory), tmp_path / "none.pem")

"""The vendor's signature of a zip: CMS over the package within, held against a root certificate and a CRL."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from zipfile import ZipFile

from npudoctor.errors import UsageError
from npudoctor.provision.packages import archives
from npudoctor.provision.packages.find import Found, State
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable

_SECONDS = 600


def signed(found: Iterable[Found], root: Path) -> list[Found]:
    """The same, with the signatures of zips checked: a package whose signature does not hold is damaged.

    Args:
        found: What was found; files of their own have no signature and stay as they are.
        root: The vendor's root certificate, PEM.

    Raises:
        UsageError: The certificate cannot be read, or there is no openssl.
    """
    if not root.is_file():
        raise UsageError(_("{file}: no certificate").format(file=root), _("give a root certificate in PEM"))
    if shutil.which("openssl") is None:
        raise UsageError(_("there is no openssl to check signatures with"), _("install it"))
    known: dict[Path, str] = {}
    return [_checked(one, root, known) for one in found]


def _checked(one: Found, root: Path, known: dict[Path, str]) -> Found:
    path = one.held.path if one.held and one.zipped else None
    if path is None or one.signature == "none":
        return one
    if path not in known:
        known[path] = wrong_with(path, root)
    if not known[path]:
        return replace(one, signature="verified")
    why = _("the signature of {archive} does not hold: {why}").format(archive=path.name, why=known[path])
    return replace(one, state=State.DAMAGED, why=why)


def wrong_with(zipped: Path, root: Path) -> str:
    """Why the signature of a zip does not hold; empty where it does."""
    with tempfile.TemporaryDirectory(prefix="npudoctor-") as scratch, ZipFile(zipped) as outer:
        folder = Path(scratch)
        try:
            files = {PurePosixPath(name).name: name for name in outer.namelist() if not name.endswith("/")}
            cms = next(name for name in files if name.endswith(".cms"))
            for name in (cms, cms.removesuffix(".cms"), *_lists(files)):
                with outer.open(files[name]) as source, (folder / name).open("wb") as target:
                    shutil.copyfileobj(source, target)
        except (StopIteration, KeyError):
            return _("it has no signature")
        except archives.DAMAGED as error:
            return _("it cannot be read: {why}").format(why=error)
        trusted = _trusted(folder, root, _lists(files))
        return _verified(folder, cms, trusted)


def _lists(files: Iterable[str]) -> list[str]:
    return [name for name in files if name.endswith(".crl")]


def _trusted(folder: Path, root: Path, lists: list[str]) -> Path:
    """The root and the lists of the revoked in one file, as openssl takes them."""
    trusted = folder / "trusted.pem"
    texts = [root.read_bytes()]
    for name in lists:
        told = _openssl("crl", "-inform", "DER", "-in", str(folder / name))
        texts += [told.stdout] if told.returncode == 0 else []
    trusted.write_bytes(b"\n".join(texts))
    return trusted


def _verified(folder: Path, cms: str, trusted: Path) -> str:
    revoked = ["-crl_check"] if b"X509 CRL" in trusted.read_bytes() else []
    signed_file = folder / cms.removesuffix(".cms")
    told = _openssl(
        "cms", "-verify", "-binary", "-inform", "DER", "-in", str(folder / cms), "-content", str(signed_file),
        "-CAfile", str(trusted), "-purpose", "any", "-no_check_time", *revoked, "-out", "/dev/null",
    )  # fmt: skip
    if told.returncode == 0:
        return ""
    lines = told.stderr.decode("utf-8", "replace").strip().splitlines()
    return next((line for line in reversed(lines) if "error" in line.lower()), lines[-1] if lines else "?")


def _openssl(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["openssl", *arguments], capture_output=True, check=False, timeout=_SECONDS)

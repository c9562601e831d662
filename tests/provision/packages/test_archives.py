"""Zips that are damaged, or made to do harm, hold nothing."""

import io
import zipfile
from contextlib import suppress

import pytest

from npudoctor.errors import UsageError
from npudoctor.provision.packages import archives

MEMBER = "one.run"


def _nested(method: int) -> bytes:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", method) as zipped:
        zipped.writestr(MEMBER, bytes(range(256)) * 64)
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w", method) as zipped:
        zipped.writestr("inner.zip", inner.getvalue())
    return outer.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_zip_with_any_byte_changed_is_read_or_is_damaged(method, tmp_path):
    whole, file = _nested(method), tmp_path / "changed.zip"
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        archives.members(file)
        with suppress(UsageError), archives.opened(file, MEMBER) as opened:
            opened.read()

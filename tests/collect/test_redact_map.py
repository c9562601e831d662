"""The private map is kept whole, where its owner wants it, or a clear line says why not."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from npudoctor.collect.redact import private_map
from npudoctor.collect.redact.private_map import read_map, write_map
from npudoctor.collect.redact.tokens import Tokens
from npudoctor.errors import UsageError


def test_a_map_behind_a_link_is_written_where_the_link_leads(tmp_path: Path) -> None:
    (tmp_path / "safe").mkdir()
    link = tmp_path / "map.json"
    link.symlink_to(tmp_path / "safe" / "map.json")
    tokens = read_map(link)
    token = tokens.name("host", "node1")
    write_map(tokens, link)
    assert link.is_symlink()
    assert (tmp_path / "safe/map.json").stat().st_mode & 0o777 == 0o600
    assert read_map(link).name("host", "node1") == token


def test_a_folder_that_cannot_be_written_to_is_told_before_a_host_is_read(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    with pytest.raises(UsageError, match=r"map\.json"):
        read_map(tmp_path / "map.json")


def test_a_disk_that_turned_read_only_meanwhile_is_told_in_a_line(tmp_path: Path, monkeypatch) -> None:
    def refuse(*_given: object, **_more: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(private_map.os, "open", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(UsageError, match="Read-only file system"):
        write_map(Tokens(), tmp_path / "map.json")


@pytest.mark.parametrize("text", ["", "{bad", "[]", '{"schema": "npudoctor.report/1", "hosts": []}'])
def test_what_is_no_map_is_not_written_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "map.json").write_text(text)
    with pytest.raises(UsageError):
        read_map(tmp_path / "map.json")
    assert (tmp_path / "map.json").read_text() == text


def test_runs_at_once_share_a_key_and_lose_no_token(tmp_path: Path) -> None:
    first, second = read_map(tmp_path / "map.json"), read_map(tmp_path / "map.json")
    token = first.name("host", "node1")
    assert second.name("host", "node1") == token
    first.name("host", "node2")
    second.name("host", "node3")
    write_map(first, tmp_path / "map.json")
    write_map(second, tmp_path / "map.json")
    assert set(read_map(tmp_path / "map.json").originals.values()) == {"node1", "node2", "node3"}


def test_a_map_holds_the_key_and_all_tokens(tmp_path: Path) -> None:
    tokens = Tokens()
    tokens.name("user", "carol")
    write_map(tokens, tmp_path / "map.json")
    document = json.loads((tmp_path / "map.json").read_text())
    assert document["key"] == tokens.key.hex()
    assert list(document["tokens"].values()) == ["carol"]

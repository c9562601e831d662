"""`npudoctor collect`: a bundle, or the script that makes its stream by hand."""

from __future__ import annotations

import subprocess

import pytest

from npudoctor.cli.collect import collect
from npudoctor.collect.bundle import read_bundle
from npudoctor.errors import Exit, UsageError


def test_a_bundle_is_written_under_a_name_of_its_own(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_TOKEN", "planted-secret")
    assert collect() == Exit.OK
    (path,) = tmp_path.iterdir()
    assert capsys.readouterr().out == f"{path.name}\n"
    assert path.name.endswith(".tar.gz")
    snapshot = read_bundle(path)
    assert snapshot.command("uname -a").known
    assert "HF_TOKEN=<redacted:token>\n" in snapshot.entry("environment").text


def test_the_printed_script_run_by_hand_yields_a_bundle(tmp_path, capfdbinary) -> None:
    assert collect(print_script=True) == Exit.OK
    script = capfdbinary.readouterr().out
    stream = subprocess.run(["sh"], input=script, capture_output=True, check=True).stdout
    (tmp_path / "host.stream").write_bytes(stream)
    snapshot = read_bundle(tmp_path / "host.stream")
    assert snapshot.problems == ()
    assert snapshot.command("uname -a").known


def test_where_it_cannot_write_it_says_so_before_it_reads(tmp_path) -> None:
    with pytest.raises(UsageError, match="folder is not there"):
        collect(output=tmp_path / "no" / "b.tgz")

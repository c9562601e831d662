"""`npudoctor collect`: a bundle, or the script that makes its stream by hand."""

from __future__ import annotations

import json
import stat
import subprocess
from pathlib import Path

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


def test_the_private_map_says_who_is_who_to_its_owner_alone(npudoctor, tmp_path) -> None:
    first = npudoctor("collect", "--from", _stream(tmp_path), "--map", "private.json")
    (bundle,) = first.stdout.split()
    document = json.loads((tmp_path / "private.json").read_text())
    (token,) = (token for token, text in document["tokens"].items() if text == "atlas-7")
    assert stat.S_IMODE((tmp_path / "private.json").stat().st_mode) == 0o600
    assert bundle.startswith(f"{token}-")
    assert read_bundle(tmp_path / bundle).name == token
    assert document["key"].encode() not in (tmp_path / bundle).read_bytes()


def test_the_same_map_gives_the_same_tokens_again_and_grows(npudoctor, tmp_path) -> None:
    npudoctor("collect", "--from", _stream(tmp_path), "--map", "m.json", "--output", "a")
    before = json.loads((tmp_path / "m.json").read_text())
    npudoctor("collect", "--from", _stream(tmp_path, "atlas-9"), "--map", "m.json", "--output", "b")
    after = json.loads((tmp_path / "m.json").read_text())
    assert before["key"] == after["key"]
    assert before["tokens"].items() < after["tokens"].items()
    assert (tmp_path / "a/files/etc/hosts").read_text() == (tmp_path / "b/files/etc/hosts").read_text()


def test_without_a_map_two_runs_have_nothing_in_common(npudoctor, tmp_path) -> None:
    for name in ("a", "b"):
        npudoctor("collect", "--from", _stream(tmp_path), "--output", name)
    assert read_bundle(tmp_path / "a").name != read_bundle(tmp_path / "b").name


@pytest.mark.parametrize(
    ("text", "message"),
    [("{}", "is no map of tokens"), ('{"schema": "npudoctor.map/1", "key": "00", "tokens": {}}', "no map")],
)
def test_a_file_that_is_no_map_is_named_and_left_alone(npudoctor, tmp_path, text, message) -> None:
    (tmp_path / "m.json").write_text(text)
    done = npudoctor("collect", "--from", _stream(tmp_path), "--map", "m.json", "--output", "b")
    assert done.returncode == 2
    assert message in done.stderr
    assert (tmp_path / "m.json").read_text() == text
    assert not (tmp_path / "b").exists()


def test_several_streams_become_a_bundle_each(npudoctor, tmp_path) -> None:
    (tmp_path / "out").mkdir()
    streams = [_stream(tmp_path, name) for name in ("atlas-1", "atlas-2")]
    done = npudoctor("collect", "--from", *streams, "--output", "out", "--map", "m.json")
    assert done.returncode == 0, done.stderr
    names = {read_bundle(tmp_path / line).name for line in done.stdout.split()}
    assert len(names) == 2
    assert not any(path.name.startswith("atlas") for path in (tmp_path / "out").iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--logs", "soon"), "neither a span nor a moment"),
        (("--from", "b", "--logs", "2h"), "cannot be read any more"),
        (("--print-script", "--map", "m.json"), "redacts nothing"),
        (("--map", "no/m.json"), "its folder is not there"),
    ],
)
def test_an_option_without_a_use_is_refused(npudoctor, arguments, message) -> None:
    done = npudoctor("collect", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def _stream(folder: Path, host: str = "atlas-7") -> Path:
    nonce = "@" + "0f" * 16
    files = {"/proc/sys/kernel/hostname": host, "/etc/hosts": "10.1.2.3 atlas-7 atlas-8\n"}
    frames = "".join(f"\n{nonce}>f {path}\n{text}\n{nonce}<0\n" for path, text in files.items())
    path = folder / f"{host}.stream"
    path.write_text(f"npudoctor-stream/1 {nonce}\n{frames}\n{nonce}.done\n")
    return path

"""`npudoctor check` from end to end."""

import json
import os
import subprocess
import sys
import tarfile

import pytest


def bundle(folder, stack="65536"):
    """A bundle made by hand: a limit and the name of a system."""
    for path, text in {"commands/ulimit_-s": stack + "\n", "files/etc/os-release": "ID=debian\n"}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def test_a_machine_without_an_npu_fails_and_passes_nothing_that_it_did_not_see(npudoctor):
    done = npudoctor("check", "--sample", "no-npu", "--format", "json")
    (host,) = json.loads(done.stdout)["hosts"]
    status = {finding["id"]: finding["status"] for finding in host["findings"]}
    assert done.returncode == 1
    assert status["npu.visible"] == "fail"
    assert not [
        id for id, word in status.items() if word == "pass" and id.startswith(("npu.", "cann.", "torch."))
    ]


def test_a_healthy_server_is_exit_0(npudoctor):
    done = npudoctor("check", "--sample", "a2-healthy")
    assert done.returncode == 0, done.stdout
    assert "Exit code 0" in done.stdout


def test_the_founding_story_is_found(npudoctor):
    done = npudoctor("check", "--sample", "founding-story")
    assert done.returncode == 1
    for id in ("driver.cann_pairing", "pcie.aspm", "limits.stack", "env.launch_blocking"):
        assert id in done.stdout


@pytest.mark.parametrize(("fail_on", "code"), [("fail", 0), ("warn", 1), ("unknown", 1)])
def test_fail_on_decides_the_exit_code(npudoctor, tmp_path, fail_on, code):
    only = ("--only", "limits.stack,limits.open_files")
    done = npudoctor("check", "--from", bundle(tmp_path / "b"), *only, "--fail-on", fail_on)
    assert done.returncode == code, done.stdout


def test_exit_zero_only_reports(npudoctor):
    assert npudoctor("check", "--sample", "founding-story", "--exit-zero").returncode == 0


def test_only_and_skip_choose_the_checks(npudoctor, tmp_path):
    options = ("--only", "limits", "--skip", "limits.stack_*", "--format", "json")
    done = npudoctor("check", "--from", bundle(tmp_path / "b"), *options)
    ids = [finding["id"] for finding in json.loads(done.stdout)["hosts"][0]["findings"]]
    assert "limits.stack" in ids
    assert not [id for id in ids if not id.startswith("limits.") or id.startswith("limits.stack_")]


def test_several_bundles_after_one_from_are_several_hosts(npudoctor, tmp_path):
    folders = bundle(tmp_path / "node1"), bundle(tmp_path / "node2", stack="8192")
    done = npudoctor("check", "--from", *folders, "--format", "json", "--only", "limits.stack")
    hosts = json.loads(done.stdout)["hosts"]
    assert [host["source"] for host in hosts] == ["bundle", "bundle"]
    assert len(hosts) == 2


def test_a_bundle_that_is_cut_off_is_incomplete(npudoctor, tmp_path):
    archive = tmp_path / "node1.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(bundle(tmp_path / "b"), "b")
        big = tmp_path / "big"
        big.write_bytes(os.urandom(200_000))
        tar.add(big, "b/files/big")
    archive.write_bytes(archive.read_bytes()[:100_000])
    done = npudoctor("check", "--from", archive, "--only", "limits.stack", "--format", "json")
    assert done.returncode == 3, done.stdout + done.stderr
    assert json.loads(done.stdout)["hosts"][0]["error"]


def test_a_bundle_that_is_not_there_is_one_line_and_exit_2(npudoctor):
    done = npudoctor("check", "--from", "no.tgz")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("npudoctor: no.tgz: ")
    assert done.stderr.count("\n") == 1


def test_a_report_in_a_file_comes_besides_the_text_on_the_screen(npudoctor, tmp_path):
    done = npudoctor("check", "--sample", "a2-healthy", "--output", "json=report.json")
    assert "Exit code 0" in done.stdout
    assert json.loads((tmp_path / "report.json").read_text())["schema"] == "npudoctor.report/1"


def test_chinese_where_it_is_asked_for(npudoctor):
    assert "退出码 1" in npudoctor("check", "--sample", "founding-story", "--lang", "zh").stdout
    assert (
        "退出码 1" in npudoctor("check", "--sample", "founding-story", env={"LC_ALL": "zh_CN.UTF-8"}).stdout
    )


def test_colour_obeys_the_environment(npudoctor):
    sample = ("check", "--sample", "no-npu")
    assert "\x1b[" not in npudoctor(*sample).stdout
    assert "\x1b[" in npudoctor(*sample, env={"FORCE_COLOR": "1"}).stdout
    assert "\x1b[" not in npudoctor(*sample, env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout


def test_a_full_disk_under_standard_output_is_said_in_one_line():
    command = [sys.executable, "-m", "npudoctor", "check", "--sample", "a2-healthy"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 4
    assert done.stderr == "npudoctor: standard output: No space left on device\n"


def test_a_reader_that_leaves_early_is_no_error():
    command = f"{sys.executable} -m npudoctor check --sample a2-healthy -v | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("recorded", [("--sample", "a2-healthy"), ("--from", ".")])
def test_a_model_is_not_looked_for_in_what_was_recorded_of_a_host(npudoctor, recorded):
    """It was skipped, with exit code 0, as if it were whole."""
    ended = npudoctor("check", *recorded, "--model", "/models/any")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert ended.stderr.endswith("; NPUDOCTOR_MODEL=DIR npudoctor collect\n")

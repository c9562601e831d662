"""`npudoctor provision` before anything is changed: usage, plans, and what they exit with."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile

import pytest

from npudoctor.collect.samples import FOLDER

STACK = "a2-cann8.5.0-vllm0.13.0"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "provision needs --hosts; give an inventory, or a list with a comma: --hosts a,b"),
        (["--hosts", "a,"], "provision needs --stack; npudoctor matrix show stacks lists them"),
        (
            ["--hosts", "none.ini", "--stack", STACK],
            "--hosts none.ini: no such file; give an inventory, or a list",
        ),
        (["--hosts", "a,", "--stack", "a2-cann8.5"], "there is no stack a2-cann8.5; did you mean "),
        (
            ["--hosts", "a,", "--stack", STACK, "--only", "drivers"],
            "--only: there is no component drivers; did you mean driver?",
        ),
        (
            ["--hosts", "a,", "--stack", STACK, "--drain", "lsf"],
            "--drain lsf: is not known; use none, slurm, kubernetes",
        ),
        (
            ["--hosts", "a,", "--stack", STACK, "--max-failed", "lots"],
            "--max-failed lots: is no number of hosts; write it like 3, 0.1 or 10%",
        ),
        (
            ["--hosts", "a,", "--stack", STACK, "--max-unavailable", "120%"],
            "--max-unavailable 120%: is no number of hosts",
        ),
        (
            ["--hosts", "a,", "--stack", STACK, "--max-unavailable", "0"],
            "--max-unavailable 0: not one host could be changed; write it like 3, 0.1 or 10%",
        ),
        (
            ["--hosts", "a,", "--stack", STACK, "--max-failed", "0", "--max-unavailable", "0%"],
            "--max-unavailable 0%: not one host could be changed",
        ),
        (["--hosts", "a,", "--stack", STACK, "--packages", "no-folder"], "no-folder: no folder"),
        (["--hosts", "a,", "--stack", STACK, "--answers", "none.yaml"], "none.yaml: No such file"),
        (["--hosts", "a,", "--stack", STACK, "--format", "html"], "there is no format html"),
        (["--hosts", "a,", "--stack", STACK, "--only", ","], "--only: no component is named"),
        (["--hosts", "a,", "--stack", STACK, "--skip", ""], "--skip: no component is named"),
        (["--hosts", "a,", "--sample", "a2-healthy", "--stack", STACK], "--hosts names other machines"),
        (["resme"], "provision has no command resme"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(npudoctor, arguments, message):
    done = npudoctor("provision", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"npudoctor: {message}"), done.stderr
    assert done.stderr.count("\n") == 1


def test_a_plan_of_a_recorded_host_names_steps_and_what_blocks(npudoctor, tmp_path):
    where = {"XDG_DATA_HOME": str(tmp_path)}
    done = npudoctor("provision", "--sample", "founding-story", "--stack", STACK, "--plan", env=where)
    assert done.returncode == 1, done.stderr
    assert "6.0.0 → 25.5.0" in done.stdout
    assert "package-missing  founding-story\n" in done.stdout
    assert "npudoctor provision packages --stack " + STACK in done.stdout


def test_a_zip_that_cannot_be_read_blocks_its_hosts_and_is_listed_as_damaged(npudoctor, tmp_path):
    hdk = tmp_path / "Ascend-hdk-910b-npu_25.5.0_linux-aarch64.zip"
    driver = b"a driver" * 99
    with zipfile.ZipFile(hdk, "w") as zipped:
        zipped.writestr("Ascend-hdk-910b-npu-driver_25.5.0_linux-aarch64.run", driver)
    digest = tmp_path / "digests"
    hdk.write_bytes(hdk.read_bytes().replace(driver, driver[1:] + b"!"))
    digest.write_text(f"{hashlib.sha256(hdk.read_bytes()).hexdigest()}  {hdk.name}\n")
    place = ["--stack", STACK, "--packages", str(tmp_path)]
    where = {"NPUDOCTOR_DIGESTS": str(digest)}

    done = npudoctor("provision", "--sample", "founding-story", *place, "--plan", env=where)
    assert (done.returncode, done.stderr) == (1, "")
    assert "package-damaged  founding-story\n" in done.stdout
    assert f"{hdk.name}: it cannot be read: Bad CRC-32" in " ".join(done.stdout.split())
    listed = npudoctor("provision", "packages", *place, "--arch", "aarch64", env=where)
    assert re.search(r"driver +damaged ", listed.stdout)


def test_a_plan_as_json_has_its_digest_and_may_be_written_beside_the_text(npudoctor, tmp_path):
    line = ["--sample", "half-installed-driver", "--stack", STACK, "--plan", "--output", "json=plan.json"]
    done = npudoctor("provision", *line)
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert plan["schema"] == "npudoctor.plan/1"
    assert plan["sha256"][:12] in done.stdout
    assert plan["summary"]["blocked"] == 1
    assert [step["component"] for step in plan["hosts"][0]["steps"]][:2] == ["driver", "firmware"]


def test_a_host_that_cannot_be_reached_is_exit_3(npudoctor):
    done = npudoctor("provision", "--hosts", "127.0.0.1:1,", "--stack", STACK, "--plan")
    assert done.returncode == 3
    assert "1 not reached" in done.stdout
    assert "unreachable  127.0.0.1:1\n" in done.stdout


def test_a_plan_in_chinese_keeps_keys_and_commands(npudoctor):
    done = npudoctor("provision", "--sample", "founding-story", "--stack", STACK, "--plan", "--lang", "zh")
    assert "package-missing  founding-story\n" in done.stdout
    assert "npudoctor provision packages --stack " + STACK in done.stdout


def test_many_hosts_are_judged_in_several_processes_with_the_same_plan(npudoctor, tmp_path):
    copies = [tmp_path / f"n{number}.txt" for number in range(70)]
    for copy in copies:
        copy.write_bytes((FOLDER / "founding-story.txt").read_bytes().partition(b"\n")[2])
    line = ["--stack", STACK, "--plan", "--format", "json", "--only", "driver"]
    several = json.loads(npudoctor("provision", *line, *(f"--from={copy}" for copy in copies)).stdout)
    alone = json.loads(npudoctor("provision", *line, f"--from={copies[0]}").stdout)
    assert several["summary"]["hosts"] == 70
    assert {host["fingerprint"] for host in several["hosts"]} == {alone["hosts"][0]["fingerprint"]}


def test_help_names_the_commands_below(npudoctor):
    done = npudoctor("provision", "--help")
    assert "packages" in done.stdout
    assert "store" in done.stdout

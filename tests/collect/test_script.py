"""The rendered script on simulated hosts, under every shell that it promises to run under."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from npudoctor.collect.script import render
from tests.lab.host import build

ROOT = os.geteuid() == 0


def may_mount() -> bool:
    """Whether this process may mount something in a namespace of its own; most containers may not."""
    mount = ("unshare", "-m", "mount", "-t", "tmpfs", "none", "/var/tmp")
    return subprocess.run(mount, stderr=subprocess.DEVNULL, check=False).returncode == 0


def read_only(script: str) -> str:
    """The script on a host where no folder can be written to."""
    return script.replace("for d in /dev/shm ", "for d in ").replace(" /tmp /var/tmp; do", "; do")


def running_on(folder: Path) -> list[str]:
    """The processes of the simulated host in this folder."""
    return [
        process.parent.name for process in Path("/proc").glob("[0-9]*/environ") if _lives_in(folder, process)
    ]


def _lives_in(folder: Path, environment: Path) -> bool:
    try:
        return str(folder).encode() in environment.read_bytes()
    except OSError:
        return False


def test_every_shell_gives_a_whole_snapshot(healthy) -> None:
    assert healthy.problems == ()
    assert "910B3" in healthy.command("npu-smi info").value
    assert healthy.command("npu-smi info -t board -i 1").known
    assert healthy.command("hccn_tool -i 1 -link -g").value == "link status: UP\n"
    assert "19e5:d802" in healthy.command("lspci -nn").value
    assert int(healthy.command("getconf PAGESIZE").value) >= 4096
    assert healthy.file("/proc/meminfo").value.startswith("MemTotal:")


def test_a_sysctl_is_whole_although_the_kernel_gives_it_to_the_first_read_only(healthy) -> None:
    assert healthy.file("/proc/sys/kernel/osrelease").value == f"{os.uname().release}\n"
    for name in ("kernel/pid_max", "kernel/shmmax", "net/ipv4/ip_local_port_range"):
        path = f"/proc/sys/{name}"
        assert healthy.file(path).value == Path(path).read_text()


def test_without_grep_a_sysctl_is_whole_too(lab, shell) -> None:
    host = lab(npus=0)
    script = host.script().replace("command -v grep", "command -v no-such-grep")
    path = "/proc/sys/kernel/osrelease"
    assert host.run(shell, script).file(path).value == Path(path).read_text()


def test_eight_npus_at_half_a_second_a_call_wait_for_less_than_four_calls(
    lab, shell, tmp_path_factory
) -> None:
    quick = build(tmp_path_factory.mktemp("quick"), npus=8)
    quick.run(shell)
    at_once = quick.seconds  # what this machine needs, busy or not, where tools answer at once
    host = lab(npus=8, delay=0.5)
    for _attempt in range(3):
        host.run(shell)
        assert len(host.calls()) == 20
        if host.seconds - at_once < 2.0:
            break
    assert host.seconds - at_once < 2.0


def test_calls_run_a_few_at_a_time_never_all_at_once(lab) -> None:
    host = lab(npus=16, delay=0.1, hccn_delay=0.05)
    host.run()
    assert 4 < host.most_at_once("npu-smi") <= 8
    assert 4 < host.most_at_once("hccn_tool") <= 8
    assert len(host.calls("hccn_tool")) == 16 * 5


def test_health_is_asked_only_of_npus_that_are_not_well(lab) -> None:
    host = lab(npus=4, sick="1 3")
    host.run()
    asked = [call for call in host.calls() if "health" in call]
    assert sorted(asked) == ["npu-smi info -t health -i 1", "npu-smi info -t health -i 3"]


def test_collect_asks_for_more_than_check(lab) -> None:
    host = lab(npus=1)
    snapshot = host.run(script=host.script(everything=True))
    assert snapshot.entry("commands/npu-smi_info_-t_usages_-i_0") is not None
    assert snapshot.command("npu-smi info -t health -i 0").known


def test_a_tool_that_hangs_costs_its_own_result_only(broken) -> None:
    host, snapshot = broken
    assert snapshot.entry("commands/npu-smi_info_-t_ecc_-i_1").state == "timeout"
    assert snapshot.entry("commands/lspci_-vvv").state == "timeout"
    assert snapshot.command("npu-smi info -t ecc -i 2").known
    assert snapshot.command("npu-smi info -t board -i 0").known
    assert snapshot.command("id").known
    assert snapshot.problems == ()
    assert host.seconds < 10


def test_a_tool_that_ignores_sigterm_is_killed(broken) -> None:
    assert broken[1].entry("commands/npu-smi_info_-t_topo").state == "timeout"


@pytest.mark.parametrize("path", ["npu-smi_info_-m", "lspci_-nn"])
def test_a_tool_that_floods_is_cut_off(broken, path: str) -> None:
    entry = broken[1].entry("commands/" + path)
    assert entry.state == "cut-off"
    assert len(entry.stdout) == 262144


def test_a_flood_of_errors_is_cut_off(broken) -> None:
    entry = broken[1].entry("commands/hccn_tool_-i_0_-link_-g")
    assert entry.state == "cut-off"
    assert len(entry.stderr) <= 65536


def test_bytes_come_back_as_they_are(broken) -> None:
    assert broken[1].entry("commands/npu-smi_info_-t_ecc_-i_0").stdout == b"one\0two\nthree"
    assert len(broken[1].entry("commands/npu-smi_info_-t_board_-i_1").stdout) == 20000


def test_a_tool_that_dies_says_so(broken) -> None:
    entry = broken[1].entry("commands/npu-smi_info_-t_board_-i_2")
    assert (entry.state, entry.exit_code) == ("complete", 137)
    assert not broken[1].command("npu-smi info -t board -i 2").known


def test_nothing_is_left_on_the_host(broken) -> None:
    host = broken[0]
    assert not list(Path("/dev/shm").glob("npudoctor.*." + host.nonce))
    deadline = time.monotonic() + 2  # the watch's last `sleep 1` ends by itself
    while running_on(host.folder) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert running_on(host.folder) == []


def test_stderr_is_kept_apart(lab, shell) -> None:
    host = lab(npus=1)
    snapshot = host.run(shell, host.script(everything=True))
    entry = snapshot.entry("commands/npu-smi_info_-t_usages_-i_0")
    assert entry.stdout == b""
    assert entry.error_text == "Error parameter: info -t usages -i 0\n"
    assert entry.exit_code == 1


def test_a_missing_tool_is_absent_not_failed(lab, shell) -> None:
    snapshot = lab(npus=1, without=("npu-smi", "hccn_tool")).run(shell)
    assert snapshot.entry("commands/npu-smi_info").state == "absent"
    assert snapshot.command("hccn_tool -i 0 -link -g").absent
    assert snapshot.problems == ()


def test_a_missing_file_is_absent_and_a_folder_in_its_place_is_not(lab, shell, tmp_path: Path) -> None:
    (tmp_path / "made-by-docker").mkdir()
    script = render().replace("/etc/hccn.conf", "/etc/no-such.conf")
    script = script.replace("/etc/ascend_install.info", str(tmp_path / "made-by-docker"))
    snapshot = lab(npus=1).run(shell, script)
    assert snapshot.file("/etc/no-such.conf").absent
    assert snapshot.entry(f"files{tmp_path}/made-by-docker").state == "failed"


def test_where_nothing_can_be_written_it_reads_all_one_after_the_other(lab, shell) -> None:
    host = lab(npus=2, sick="1", nul="npu-smi info -t ecc -i 0")
    snapshot = host.run(shell, read_only(host.script()), {"TMPDIR": "/proc"})
    assert host.most_at_once() == 1
    assert snapshot.command("npu-smi info -t board -i 1").known
    assert snapshot.command("npu-smi info -t health -i 1").known
    assert snapshot.entry("commands/npu-smi_info_-t_ecc_-i_0").stdout == b"one\0two\nthree"
    assert snapshot.command("id").known
    assert snapshot.problems == ()


def test_where_nothing_can_be_written_a_hung_tool_is_ended_too(lab) -> None:
    host = lab(npus=1, hang="npu-smi info -t topo", flood="npu-smi info -m")
    snapshot = host.run(script=read_only(host.script(timeout=1)), variables={"TMPDIR": "/proc"})
    assert snapshot.entry("commands/npu-smi_info_-t_topo").state == "timeout"
    assert snapshot.entry("commands/npu-smi_info_-m").state == "cut-off"
    assert snapshot.command("npu-smi info -t board -i 0").known


def test_the_scratch_folder_is_for_us_alone(lab) -> None:
    host = lab(npus=1, delay=1)
    script = host.script()
    runner = threading.Thread(target=host.run, kwargs={"script": script})
    runner.start()
    nonce = script.split("N=@")[1][:32]
    folder = None
    for _ in range(50):
        found = list(Path("/dev/shm").glob(f"npudoctor.*.{nonce}"))
        if found:
            folder = found[0].stat().st_mode & 0o777
            break
        time.sleep(0.02)
    runner.join()
    assert folder == 0o700


@pytest.mark.skipif(not ROOT, reason="needs root to become somebody else")
def test_without_root_what_is_refused_is_denied(lab, shell, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir(mode=0o700)
    (secret / "inside").write_text("x")
    (tmp_path / "closed").write_text("x")
    (tmp_path / "closed").chmod(0o600)
    script = render().replace("/etc/hccn.conf", str(tmp_path / "closed"))
    script = script.replace("/etc/ascend_install.info", str(secret / "inside"))
    snapshot = lab(npus=1).run(shell, script, {"HOME": "/"}, user="nobody")
    assert snapshot.entry(f"files{tmp_path}/closed").state == "denied"
    assert snapshot.entry(f"files{secret}/inside").state == "denied"
    assert snapshot.command("npu-smi info").known
    assert snapshot.problems == ()


def test_a_tool_that_cannot_be_killed_does_not_block_the_rest(lab) -> None:
    host = lab(npus=1, hang=["lspci -nn -d 19e5:", "npu-smi info -m"])
    helpless = host.script(timeout=1).replace("slay() {", "slay() { return;")
    snapshot = host.run(script=helpless)
    assert snapshot.entry("commands/lspci_-nn").state == "timeout"
    assert snapshot.entry("commands/npu-smi_info_-m").state == "timeout"
    assert snapshot.command("npu-smi info -t board -i 0").known
    assert snapshot.command("id").known
    assert host.seconds < 15


def test_a_request_to_stop_returns_what_is_there(lab, shell) -> None:
    host = lab(npus=1, hang="npu-smi info -t topo")
    process = subprocess.Popen(
        shell, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **host.variables}
    )
    assert process.stdin
    process.stdin.write(host.script().encode())
    process.stdin.close()
    time.sleep(1)
    process.terminate()
    output = process.stdout.read()
    process.wait()
    assert b">c id\n" in output
    assert output.endswith(b".interrupted\n")


def test_limits_are_those_of_the_shell(lab, shell) -> None:
    script = "ulimit -S -s 7168\n" + render()
    snapshot = lab(npus=1).run(shell, script)
    assert snapshot.command("ulimit -s").value == "7168\n"


def test_another_process_gives_its_environment_and_limits(lab, shell) -> None:
    other = subprocess.Popen(
        ["sh", "-c", "ulimit -S -s 6144; exec sleep 60"],
        env={"ASCEND_HOME_PATH": "/no/cann", "LINES": "a\nb"},
    )
    try:
        time.sleep(0.2)
        host = lab(npus=1)
        snapshot = host.run(shell, host.script(pid=other.pid))
    finally:
        other.kill()
        other.wait()
    assert "ASCEND_HOME_PATH=/no/cann\n" in snapshot.entry("environment").text
    assert "LINES=a\\nb\n" in snapshot.entry("environment").text
    assert snapshot.command("ulimit -s").value == "6144\n"
    assert snapshot.entry("files/no/cann").state == "absent"  # its CANN was looked for, not ours


def test_a_process_that_is_not_there_is_absent(lab) -> None:
    host = lab(npus=1)
    snapshot = host.run(script=host.script(pid=4_000_000))
    assert snapshot.entry("environment").state == "absent"
    assert not snapshot.command("ulimit -s").known


def test_two_scripts_never_share_a_nonce() -> None:
    assert render().split("N=@")[1][:32] != render().split("N=@")[1][:32]


@pytest.mark.parametrize("option", ["-e", "-u", "-C", "-f", "-a"])
def test_the_options_of_the_shell_change_nothing(shell, option: str, lab) -> None:
    host = lab(npus=1)
    snapshot = host.run((*shell, option))
    assert snapshot.problems == ()
    assert entries_of(snapshot) == entries_of(host.run(shell))


def entries_of(snapshot):
    """What was read, without the containers of other tests: they come and go."""
    return {name for name in snapshot.entries if not name.startswith("commands/docker_inspect_")}


def test_a_limit_on_the_size_of_files_costs_the_folder_only(shell, lab) -> None:
    snapshot = lab(npus=1).run(("prlimit", "--fsize=4096", *shell))
    assert snapshot.problems == ()
    assert snapshot.command("uname -a").known


def test_no_process_to_be_had_is_told(lab) -> None:
    host = lab(npus=1)
    snapshot = host.run(("prlimit", "--nproc=4", "sh"), user="nobody")
    assert snapshot.problems


def test_ids_that_are_no_numbers_are_no_ids(lab) -> None:
    host = lab(npus=1)
    listing = "NPU ID : 0; id\\n NPU ID : -rf\\n NPU ID : ../x\\n NPU ID : *\\n NPU ID : 7\\n"
    tool = host.folder / "bin" / "npu-smi"
    tool.write_text(f"""#!/bin/sh\n[ "$*" != "info -l" ] || printf ' {listing}'\n""")
    snapshot = host.run()
    boards = [path for path in snapshot.entries if "_-t_board_" in path]
    assert boards == ["commands/npu-smi_info_-t_board_-i_7"]


@pytest.mark.parametrize("folder", [True, False])
def test_all_containers_are_inspected_in_one_call(folder: bool, shell, lab) -> None:
    host = lab(npus=1)
    tool = host.folder / "bin" / "docker"
    tool.write_text("""#!/bin/sh
case $1 in
ps) printf 'aaa\\nbbb\\n' ;;
inspect)
  shift; printf '['
  for x do printf '%s{"Name": "/%s", "Devices": ["/dev/davinci0"]}' "$c" "$x"; c=,; done
  echo ']' ;;
esac
""")
    tool.chmod(0o755)
    script = (
        host.script()
        if folder
        else host.script().replace("/dev/shm", "/nowhere").replace("/tmp /var/tmp", "")
    )
    snapshot = host.run(shell, script, {"TMPDIR": "" if folder else "/nowhere"})
    assert snapshot.command("docker inspect").value == "aaa\nbbb\n"
    assert '"/bbb"' in snapshot.command("docker inspect bbb").value


def test_a_file_as_long_as_a_disk_costs_itself_and_no_memory(shell, lab, tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as huge:
        huge.truncate(3 << 30)
    script = render().replace("/etc/hccn.conf", str(tmp_path / "huge"))
    snapshot = lab(npus=1).run(shell, script)
    assert len(snapshot.entry(f"files{tmp_path}/huge").stdout) < 5 << 20
    assert snapshot.file("/proc/meminfo").known
    assert snapshot.problems == ()


def test_a_kernel_log_without_an_end_is_cut_off(lab) -> None:
    host = lab(npus=1, flood="dmesg")
    snapshot = host.run(script=host.script(timeout=2))
    entry = snapshot.entry("commands/dmesg")
    assert entry.state in ("cut-off", "timeout")
    assert len(entry.stdout) <= 4 << 20
    assert snapshot.command("id").known


@pytest.mark.skipif(not may_mount(), reason="mounting is not allowed on this machine")
@pytest.mark.parametrize("options", ["size=16k", "ro"])
def test_full_or_read_only_folders_for_temporary_files_cost_nothing(options: str, shell, lab) -> None:
    mounts = "".join(f"mount -t tmpfs -o {options} none {folder}; " for folder in ("/dev/shm", "/var/tmp"))
    host = lab(npus=1)
    script = host.script().replace(" /tmp /var/tmp; do", " /var/tmp; do")
    snapshot = host.run(("unshare", "-m", "sh", "-c", f"{mounts}exec {' '.join(shell)} -s"), script)
    assert snapshot.problems == ()
    assert snapshot.command("npu-smi info").known


def test_a_tool_that_goes_into_the_background_holds_up_nothing(shell, lab) -> None:
    host = lab(npus=1)
    tool = host.folder / "bin" / "hccn_tool"
    tool.write_text("#!/bin/sh\nsetsid sleep 20 &\necho link status: UP\n")
    snapshot = host.run(shell)
    assert snapshot.command("hccn_tool -i 0 -link -g").value == "link status: UP\n"
    assert host.seconds < 15

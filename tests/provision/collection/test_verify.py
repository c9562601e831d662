"""The module `verify`: what passes, what fails, and what a host lacks to be asked."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.provision.collection.calling import STANDINS
from tests.provision.collection.cann_hosts import Host

_LISTED = "\tNPU ID                         : {0}\n\tChip Count                     : 1\n"
_BOARD = (
    "\tNPU ID                         : {0}\n"
    "\tSoftware Version               : 25.5.0\n"
    "\tFirmware Version               : 7.8.0\n"
)
_SMI = """\
#!/bin/sh
case "$*" in
  'info -l') printf '{listed}' ;;
  info) printf '{table}' ;;
  *) printf '{board}' ;;
esac
"""
_PCI = "#!/bin/sh\nprintf '{rows}'\n"


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path / "host")


@pytest.fixture
def npus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Tools that show so many NPUs up, so many on PCI, and one with this health."""

    def show(up: int, on_pci: int, health: str = "OK") -> None:
        words = ["OK"] * up
        words[-1:] = [health] if up else []
        table = "".join(
            f"| {npu}     910B3 | {word} | 92.8 |\\n| 0 | 0000:C{npu}:00.0 | 0 |\\n"
            for npu, word in enumerate(words)
        )
        listed = "".join(_LISTED.format(npu) for npu in range(up)).replace("\n", "\\n").replace("\t", "\\t")
        board = _BOARD.format(0).replace("\n", "\\n").replace("\t", "\\t")
        tools = {
            "npu-smi": _SMI.format(listed=listed, table=table, board=board),
            "lspci": _PCI.format(rows="".join(f"c{npu}:00.0 1200: 19e5:d802\\n" for npu in range(on_pci))),
        }
        folder = tmp_path / "tools"
        folder.mkdir(exist_ok=True)
        shutil.copy(STANDINS / "chroot", folder)
        for name, text in tools.items():
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        monkeypatch.setattr("tests.provision.collection.calling.STANDINS", folder)

    return show


def _words(answer: dict[str, Any], status: str) -> list[str]:
    return [row["text"] for row in answer["checks"] if row["status"] == status]


def test_versions_are_compared_on_disk(host: Host, npus: Callable[..., None]) -> None:
    npus(up=0, on_pci=0)
    host.have("toolkit", host.store("toolkit", "8.5.0"))
    host.have("ops", host.store("ops", "8.5.0"), chip="910b")
    answer = host.call("verify", versions={"cann": "8.5.0"}, chip="910B")
    assert _words(answer, "pass") == ["CANN is 8.5.0", "operators for 910b is 8.5.0"]
    answer = host.call("verify", versions={"cann": "9.0.0"}, chip="910B")
    assert answer["problems"] == ["CANN is 8.5.0, wanted 9.0.0", "operators for 910b is 8.5.0, wanted 9.0.0"]


def test_an_installation_in_part_fails(host: Host, npus: Callable[..., None]) -> None:
    npus(up=0, on_pci=0)
    host.have("toolkit", host.store("toolkit", "8.5.0"))
    host.path("cann-8.5.0/set_env.sh").unlink()
    assert "set_env.sh is missing" in host.call("verify", versions={"cann": "8.5.0"})["problems"][0]


def test_as_many_npus_must_be_up_as_are_on_pci(host: Host, npus: Callable[..., None]) -> None:
    npus(up=7, on_pci=8)
    assert host.call("verify")["problems"] == ["7 of 8 on PCI are up"]
    npus(up=8, on_pci=8)
    assert "8 of 8 on PCI are up" in _words(host.call("verify"), "pass")


def test_an_npu_that_is_not_ok_fails(host: Host, npus: Callable[..., None]) -> None:
    npus(up=2, on_pci=2, health="Alarm")
    assert host.call("verify")["problems"] == ["NPU 1 is Alarm"]


def test_what_runs_is_compared_too(host: Host, npus: Callable[..., None]) -> None:
    npus(up=1, on_pci=1)
    problems = host.call("verify", versions={"driver": "25.5.0"})["problems"]
    assert problems == ["driver on disk is absent, wanted 25.5.0"]
    problems = host.call("verify", versions={"driver": "26.0.0"})["problems"]
    assert "driver running is 25.5.0, wanted 26.0.0" in problems


def test_a_driver_that_does_not_answer_fails(host: Host, npus: Callable[..., None]) -> None:
    npus(up=0, on_pci=2)
    problems = host.call("verify", versions={"driver": "25.5.0"})["problems"]
    assert any(words.startswith("npu-smi names no driver") for words in problems)
    assert "0 of 2 on PCI are up" in problems


def test_what_a_host_lacks_is_named_and_never_passed_over(host: Host, npus: Callable[..., None]) -> None:
    npus(up=0, on_pci=0)
    answer = host.call("verify")
    assert len(answer["not_verified"]) == len(answer["checks"]) - len(_words(answer, "pass"))
    for part in ("NPUs", "import acl", "a tensor on every NPU", "HCCL all-reduce", "CANN", "torch_npu"):
        assert any(words.startswith(part) for words in answer["not_verified"])


def test_check_mode_never_fails(host: Host, npus: Callable[..., None]) -> None:
    npus(up=7, on_pci=8)
    answer = host.call("verify", versions={"cann": "8.5.0"}, check=True)
    assert not answer.get("failed")
    assert answer["problems"]

"""Simulated hosts for the tests that run the real script."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from npudoctor.collect.snapshot import Snapshot
from tests.lab.host import SHELLS, LabHost, build
from tests.lab.sshd import SSHD, SshLab, ssh_lab


@pytest.fixture
def lab(tmp_path: Path):
    """The maker of simulated hosts: `lab(npus=8, delay=0.5, hang="npu-smi info")`."""
    _open_to_all(tmp_path)
    return lambda **state: build(tmp_path, **state)


@pytest.fixture(scope="module")
def ssh(tmp_path_factory) -> Iterator[SshLab]:
    """Hosts behind real sshds on the loopback net, and the home of who reads them."""
    if not SSHD:
        pytest.skip("sshd is not on this machine")
    with ssh_lab(tmp_path_factory.mktemp("ssh")) as lab:
        yield lab


@pytest.fixture(scope="module", params=SHELLS)
def shell(request) -> tuple[str, ...]:
    """Each shell that the script must run under."""
    words = SHELLS[request.param]
    if not shutil.which(words[0]):
        pytest.skip(f"{words[0]} is not on this machine")
    return words


@pytest.fixture(scope="module")
def healthy(shell, tmp_path_factory) -> Snapshot:
    """What the script reads on a host with two good NPUs."""
    return build(tmp_path_factory.mktemp("healthy"), npus=2).run(shell)


@pytest.fixture(scope="module")
def broken(shell, tmp_path_factory) -> tuple[LabHost, Snapshot]:
    """A host where nearly every tool is broken in a way of its own, and what the script reads there."""
    host = build(
        tmp_path_factory.mktemp("broken"),
        npus=3,
        hang=["npu-smi info -t ecc -i 1", "lspci -vvv -d 19e5:"],
        deaf="npu-smi info -t topo",
        flood=["npu-smi info -m", "lspci -nn -d 19e5:"],
        errors="hccn_tool -i 0 -link -g",
        nul="npu-smi info -t ecc -i 0",
        garbage="npu-smi info -t board -i 1",
        die="npu-smi info -t board -i 2",
    )
    return host, host.run(shell, host.script(timeout=1))


def _open_to_all(folder: Path) -> None:
    """Another user must be able to run the tools."""
    made_by_pytest = [each for each in folder.parents if each.name.startswith(("pytest-", "popen-"))]
    for each in (folder, *made_by_pytest):
        each.chmod(0o755)

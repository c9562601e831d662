"""The lab's packages are what the vendor's are: by their names, and as archives."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from npudoctor.matrix import load_matrix
from npudoctor.matrix.stacks import load_stack
from npudoctor.provision.packages.find import needs
from npudoctor.provision.packages.makeself import wrong_with
from tests.lab.packages import Package, build, parts_of_cann, spoil, truncate

pytestmark = pytest.mark.skipif(not shutil.which("makeself"), reason="makeself is not on this machine")


@pytest.mark.parametrize("arch", ["aarch64", "x86_64"])
@pytest.mark.parametrize(
    "name", ["a2-cann8.5.0-vllm0.13.0", "a2-cann8.2.rc1-vllm0.9.1", "a3-cann8.5.0-vllm0.13.0"]
)
def test_its_names_are_those_that_provisioning_looks_for(name, arch):
    stack = load_stack(load_matrix(), name)
    cann = dict.fromkeys((*parts_of_cann(stack.versions["cann"]), "nnal"), stack.versions["cann"])
    versions = {key: stack.versions[key] for key in ("driver", "firmware", "ascend_runtime")} | cann
    ours = {Package(kind, version, stack.chip, arch).name for kind, version in versions.items()}
    wanted = {need.file.name for need in needs(stack, arch)}
    assert ours - wanted == set()


def test_a_package_is_a_whole_makeself_archive(tmp_path):
    path = build(Package("driver", "25.5.0", padding=100_000), tmp_path)
    assert wrong_with(path) is None
    assert path.stat().st_size > 100_000
    assert (
        "All good."
        in subprocess.run(["sh", path, "--check"], capture_output=True, text=True, check=True).stdout
    )


@pytest.mark.parametrize("damage", [spoil, truncate])
def test_a_damaged_one_does_not_pass_its_own_check(tmp_path, damage):
    path = build(Package("firmware", "7.8.0.5.216", padding=100_000), tmp_path)
    damage(path)
    assert wrong_with(path)
    assert subprocess.run(["sh", path, "--check"], capture_output=True, check=False).returncode == 2


def test_it_runs_on_no_machine_but_a_lab_host(tmp_path):
    path = build(Package("driver", "25.5.0"), tmp_path)
    done = subprocess.run(["sh", path, "--full", "--quiet"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "for simulated hosts only" in done.stderr

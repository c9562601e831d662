"""The wheel and the source archive hold everything, and the wheel works when it is installed alone."""

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHIPPED = (".py", ".yaml", ".json", ".sh", ".mo")


@pytest.fixture(scope="session")
def archives(tmp_path_factory):
    """The wheel and the source archive, built from the tree."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--sdist", "--wheel", "--outdir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


@pytest.fixture(scope="session")
def installed(archives, tmp_path_factory):
    """`npudoctor` of a new environment that holds the wheel and what it depends on, outside the checkout."""
    folder = tmp_path_factory.mktemp("alone")
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", archives[0]], check=True)

    def run(*arguments):
        command = [python.with_name("npudoctor"), *arguments]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    return run


def tracked(*patterns):
    """Files of the repository, as git lists them."""
    command = ["git", "ls-files", "--", *patterns]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if (ROOT / line).is_file()]


def test_the_wheel_holds_every_file_of_the_package_but_the_sources_of_catalogues(archives):
    inside = set(zipfile.ZipFile(archives[0]).namelist())
    wanted = tracked("npudoctor")
    assert len(wanted) > 50
    sources = [name for name in wanted if name.endswith((".po", ".pot"))]
    assert [name for name in wanted if name not in inside] == sources  # the .mo is read


def test_the_wheel_holds_the_matrix_and_the_compiled_data(archives):
    inside = zipfile.ZipFile(archives[0]).namelist()
    assert "npudoctor/compat_matrix.yaml" in inside
    compiled = {name.rpartition("-")[0] for name in inside if name.startswith("npudoctor/_compiled/")}
    assert compiled >= {"npudoctor/_compiled/compat_matrix", "npudoctor/_compiled/probes"}


def test_the_wheel_holds_the_playbooks_and_their_collection(archives):
    inside = set(zipfile.ZipFile(archives[0]).namelist())
    wanted = [name for name in tracked("playbooks") if not Path(name).name.startswith(".")]
    assert len(wanted) > 50
    assert [name for name in wanted if f"npudoctor/{name}" not in inside] == ["playbooks/ruff.toml"]
    assert not [name for name in inside if "/tests/" in name or name.endswith(".pyc")]


def test_the_wheel_holds_nothing_but_the_package(archives):
    folders = {name.partition("/")[0] for name in zipfile.ZipFile(archives[0]).namelist()}
    assert {folder for folder in folders if not folder.endswith(".dist-info")} == {"npudoctor"}


def test_the_source_archive_can_build_the_wheel_again(archives):
    with tarfile.open(archives[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= {"pyproject.toml", "hatch_build.py", "compat_matrix.yaml", "LICENSE", "README.md"}
    assert "docs/waivers.schema.json" in names


def test_the_wheel_alone_checks_a_sample(installed):
    sample = installed("check", "--sample", "list").stdout.split()[0]
    done = installed("check", "--sample", sample)
    assert done.returncode in (0, 1), done.stderr
    assert "Exit code" in done.stdout


def test_the_wheel_alone_answers_from_the_matrix(installed):
    done = installed("matrix", "query", "driver=25.0.rc1.1", "cann=9.1.0", "chip=910B3", "--format", "json")
    assert done.returncode == 1, done.stderr
    assert '"unsupported"' in done.stdout


def test_the_wheel_alone_reads_waivers_and_writes_a_page(installed, tmp_path):
    waivers, page = tmp_path / "w.yaml", tmp_path / "r.html"
    waivers.write_text("- {id: limits.stack, reason: why}\n")
    done = installed("check", "--sample", "founding-story", "--waivers", waivers, "--output", f"html={page}")
    assert "WAIVED  limits.stack" in done.stdout, done.stderr
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_wheel_alone_explains_a_check(installed):
    done = installed("explain", "limits.stack")
    assert done.returncode == 0, done.stderr
    assert "source: " in done.stdout


def test_the_wheel_alone_collects_with_a_script(installed):
    done = installed("collect", "--print-script")
    assert done.stdout.startswith("#!/bin/sh")

"""`--container` of hosts that were read elsewhere, and what cannot be asked for."""

import json

import pytest

from npudoctor.collect.snapshot import snapshot_of
from npudoctor.collect.write import write_bundle


@pytest.fixture
def bundle(tmp_path, described):
    nodes = ["/dev/davinci0", "/dev/davinci_manager", "/dev/devmm_svm"]
    commands = {"docker inspect serve": json.dumps([described("serve", nodes)])}
    write_bundle(snapshot_of(commands=commands), tmp_path / "host.tgz")
    return "host.tgz"


def test_a_container_of_a_bundle_is_judged_by_its_settings(npudoctor, bundle):
    done = npudoctor(
        "check", "--from", bundle, "--container", "serve", "--only", "container", "--format", "json"
    )

    (host,) = json.loads(done.stdout)["hosts"]
    assert done.returncode == 1
    assert (host["source"], host["error"]) == ("bundle", "container serve was not read from within")
    assert host["name"].endswith("/serve")
    assert "container.devices" in [one["id"] for one in host["findings"] if one["status"] == "fail"]


def test_one_that_the_bundle_does_not_have_is_told_with_those_that_it_has(npudoctor, bundle):
    done = npudoctor("facts", "--from", bundle, "--container", "sevre")

    assert done.returncode == 3
    assert "no container sevre that maps NPUs was read" in done.stderr
    assert "there are: serve" in done.stderr


def test_an_engine_that_does_not_answer_is_one_line(npudoctor, tmp_path):
    done = npudoctor("check", "--container", "serve", env={"DOCKER_HOST": f"unix://{tmp_path}/none.sock"})

    assert (done.returncode, done.stdout) == (3, "")
    assert len(done.stderr.splitlines()) == 1
    assert "set DOCKER_HOST" in done.stderr


def test_without_the_package_it_says_what_to_install(npudoctor, tmp_path):
    (tmp_path / "docker.py").write_text("raise ModuleNotFoundError('no docker', name='docker')\n")

    done = npudoctor("check", "--container", "serve", env={"PYTHONPATH": str(tmp_path)})

    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "npudoctor: --container needs the package docker; type: pip install 'npudoctor[container]'"
    ]


def test_collect_reads_a_container_on_its_own_host_only(npudoctor):
    done = npudoctor("collect", "--hosts", "node1,", "--container", "serve")

    assert done.returncode == 2
    assert "leave out --hosts or --container" in done.stderr


@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_is_not_this_machine(npudoctor, name):
    done = npudoctor("check", "--container", name)

    assert done.returncode == 2
    assert done.stderr == 'npudoctor: there is no container ""; see: docker ps -a\n'
    assert done.stdout == ""

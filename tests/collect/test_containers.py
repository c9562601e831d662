"""A container with its host: how both become one snapshot, and one bundle."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from npudoctor.collect.bundle import read_bundle
from npudoctor.collect.containers import description, flattened, nested, of_host, within
from npudoctor.collect.snapshot import Snapshot, snapshot_of
from npudoctor.collect.write import write_bundle
from npudoctor.errors import IncompleteError
from npudoctor.fact import Unavailable
from npudoctor.host import Host

VERSION = "/usr/local/Ascend/driver/version.info"


@pytest.fixture
def serving(described) -> Snapshot:
    host = snapshot_of(
        {VERSION: "Version=25.2.0\n"},
        {"docker inspect other": json.dumps([described("other", ["/dev/davinci1"])]), "docker info": ""},
        environment="USER=reader\n",
        name="node1",
    )
    inside = snapshot_of({"/etc/os-release": "ID=ubuntu\n"}, {"docker info": "inner"}, name="serve")
    return within(host, description(described("serve", ["/dev/davinci0"])), inside)


def test_what_is_inside_and_what_is_outside_are_told_apart(serving):
    host = Host(serving)

    assert host.outside is not None
    assert host.outside.driver.on_disk.value.version == "25.2.0"
    assert host.driver.on_disk.known is False
    assert host.system.in_container.value is True
    assert host.containers.names.value == ("serve",)
    assert [one.container.name for one in host.containers.beside] == ["other"]


def test_what_belongs_to_the_reader_or_to_an_engine_within_is_left_out(serving):
    assert serving.outside is not None
    assert serving.outside.entry("environment") is None
    assert serving.entry("commands/docker_info") is None


def test_flat_and_nested_again_is_the_same(serving):
    again = nested(flattened(serving))

    assert again.entries == serving.entries
    assert again.outside is not None
    assert serving.outside is not None
    assert again.outside.entries == serving.outside.entries


@pytest.mark.parametrize("name", ["b", "b.tar.gz"])
def test_a_bundle_of_a_container_comes_back_with_its_host(serving, tmp_path: Path, name):
    write_bundle(serving, tmp_path / name)

    host = Host(read_bundle(tmp_path / name))

    assert host.outside is not None
    assert host.outside.driver.on_disk.value.version == "25.2.0"
    assert host.containers.names.value == (host.name,)  # the token that stands for it
    assert [one.container.name for one in host.containers.beside] == ["other"]


def test_a_folder_of_a_bundle_that_is_called_host_is_none(tmp_path: Path):
    (tmp_path / "b/host/commands").mkdir(parents=True)
    (tmp_path / "b/host/commands/uname_-a").write_text("Linux\n")

    snapshot = read_bundle(tmp_path / "b")

    assert snapshot.outside is None
    assert list(snapshot.entries) == ["commands/uname_-a"]


class TestOfHost:
    def test_a_container_that_was_only_described_says_why_nothing_is_known_inside(self, described):
        host = snapshot_of(
            commands={"docker inspect serve": json.dumps([described("serve", ["/dev/davinci0"])])}
        )

        found = of_host(host, "serve")

        assert found.name == "node1/serve"
        assert found.problems == ("container serve was not read from within",)
        with pytest.raises(Unavailable, match="container serve was not read from within"):
            _driver = Host(found).driver.version.value

    def test_a_name_that_the_host_does_not_have_names_those_that_it_has(self, described):
        host = snapshot_of(commands={"docker inspect serve": json.dumps([described("serve")])})

        with pytest.raises(IncompleteError, match="there are: serve"):
            of_host(host, "sevre")

    def test_the_bundle_of_a_container_is_that_container(self, serving):
        assert of_host(serving, "serve") is serving


NEEDS_ENGINE = pytest.mark.skipif(
    not Path("/var/run/docker.sock").exists(), reason="the Docker daemon is not on this machine"
)


class TestWhatTheScriptAsksDocker:
    """One call for all containers, whatever the engine does."""

    @pytest.fixture
    def found(self, lab):
        def of(tool: str, **wanted: object):
            host = lab(npus=1)
            (host.folder / "bin" / "docker").write_text(f"#!/bin/sh\n{tool}\n")
            (host.folder / "bin" / "docker").chmod(0o755)
            return Host(host.run(script=host.script(**wanted))).containers

        return of

    def test_many_containers_are_told_apart(self, found):
        tool = """case $1 in ps) i=0; while [ $i -lt 300 ]; do echo c$i; i=$((i + 1)); done ;; inspect)
          shift; printf '['; pad=$(printf '%8000s' x)
          for x do
            printf '%s{"Name": "/%s", "Pad": "%s", ' "$c" "$x" "$pad"; c=,
            printf '"HostConfig": {"Devices": [{"PathOnHost": "/dev/davinci%s"}]}}' "${x#c}"
          done
          echo ']' ;; esac"""

        assert len(found(tool).npu.value) == 300

    @NEEDS_ENGINE
    def test_an_engine_that_hangs_is_unknown_in_the_end(self, found):
        containers = found("sleep 100", timeout=1)

        assert not containers.npu.known
        assert "docker inspect: gave no answer within" in containers.npu.content.why

    @NEEDS_ENGINE
    def test_so_is_one_that_may_not_be_asked(self, found):
        containers = found("echo 'permission denied while trying to connect' >&2; exit 1")

        assert containers.npu.content.why == "docker ps: permission denied while trying to connect"

    def test_a_container_that_ends_meanwhile_costs_itself_only(self, found):
        tool = """case $1 in ps) echo aaa; echo bbb ;; inspect)
          echo '[{"Name": "/aaa", "HostConfig": {"Devices": [{"PathOnHost": "/dev/davinci0"}]}}]'
          echo 'Error: No such object: bbb' >&2; exit 1 ;; esac"""

        assert found(tool).names.value == ("aaa",)

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
    assert host.containers.names.value == ("serve",)


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

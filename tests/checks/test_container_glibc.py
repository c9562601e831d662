"""The C library of containers beside that of their host."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from npudoctor.checks import container_glibc
from npudoctor.collect.snapshot import Snapshot, snapshot_of
from npudoctor.host import Host

UBUNTU = 'ID=ubuntu\nNAME="Ubuntu"\nVERSION_ID="{0}"\nVERSION="{0} LTS"\n'
IMAGE = "quay.io/ascend/cann:8.5.0-910b-ubuntu22.04-py3.11"


@pytest.fixture
def status(host, judge, described):
    def of(image: str, own: str = "glibc 2.35\n"):
        told = json.dumps([described("serve", ["/dev/davinci0"], image=image)])
        commands = {"docker inspect serve": told, "getconf GNU_LIBC_VERSION": own}
        return judge(container_glibc.glibc, host(commands=commands))

    return of


def test_an_image_whose_system_is_as_new_as_the_host_passes(status):
    assert status(IMAGE).status == "pass"
    assert status("quay.io/ascend/vllm-ascend:v0.11.0").status == "pass"


def test_an_older_one_warns_with_both_versions(status):
    found = status(IMAGE, "glibc 2.38\n")

    assert (found.status, found.actual) == ("warn", "serve: glibc 2.35, on a host with 2.38")
    assert found.evidence[0].text == IMAGE


def test_another_c_library_fails(status):
    assert status("registry.local/serve:1-alpine3.20").status == "fail"
    assert status("docker.io/library/alpine:3.20").status == "fail"
    assert status("registry.local/alpine-team/serve:1").status == "unknown"


def test_an_image_that_does_not_name_its_system_is_unknown(status):
    assert status("app:1").status == "unknown"


def test_a_host_whose_c_library_is_not_known_is_unknown(host, judge, described):
    told = json.dumps([described("serve", ["/dev/davinci0"], image=IMAGE)])

    assert judge(container_glibc.glibc, host(commands={"docker inspect serve": told})).status == "unknown"


def test_the_release_of_the_host_stands_in_for_a_tool_that_is_not_there(host, judge, described):
    told = json.dumps([described("serve", ["/dev/davinci0"], image=IMAGE)])
    files = {"/etc/os-release": UBUNTU.format("24.04")}

    found = judge(container_glibc.glibc, host(files, {"docker inspect serve": told}))

    assert (found.status, found.actual) == ("warn", "serve: glibc 2.35, on a host with 2.39")


class TestFromWithin:
    @pytest.fixture
    def found(self, judge, described):
        def of(inside: Snapshot, image: str = "app:1"):
            told = json.dumps([described("serve", ["/dev/davinci0"], image=image)])
            outside = snapshot_of(commands={"getconf GNU_LIBC_VERSION": "glibc 2.35\n"})
            described_ = snapshot_of(commands={"docker inspect serve": told})
            entries = {**inside.entries, **described_.entries}
            return judge(container_glibc.glibc, Host(replace(inside, entries=entries, outside=outside)))

        return of

    def test_what_the_container_says_itself_counts_before_its_tag(self, found):
        inside = snapshot_of(commands={"getconf GNU_LIBC_VERSION": "glibc 2.31\n"})

        assert found(inside, IMAGE).actual == "serve: glibc 2.31, on a host with 2.35"

    def test_so_does_its_release(self, found):
        assert found(snapshot_of({"/etc/os-release": UBUNTU.format("22.04")})).status == "pass"
        assert found(snapshot_of({"/etc/os-release": "ID=alpine\nVERSION_ID=3.20\n"})).status == "fail"

    def test_alone_it_is_not_judged(self, host, judge):
        inside = host(commands={"systemd-detect-virt": "docker\n"})

        assert judge(container_glibc.glibc, inside).status == "skip"

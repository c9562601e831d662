"""Four hosts of one rack: packages leave this machine once, and every host has the right bytes in the end."""

import hashlib
import os
import socket
import threading
import time
from dataclasses import replace

import pytest
import yaml

from npudoctor.collect.inventory import read_inventory
from npudoctor.collect.jumps import Jumps
from npudoctor.collect.ssh_config import SshConfig
from npudoctor.provision.call import Call
from npudoctor.provision.effects.ansible import Ansible
from npudoctor.provision.run.stage import File
from npudoctor.provision.run.staging import Staging
from tests.lab.image import why_not
from tests.lab.provisioned import provision_lab
from tests.lab.sshd import free_port
from tests.provision.world import plan

NAMES = ("node1", "node2", "node3", "node4")
SIZE = 20_000_000
STORE = "/var/lib/npudoctor/store"


class Staged:
    """A host of the run, as far as staging knows hosts."""

    def __init__(self, name, digest):
        self.plan = replace(plan("driver"), name=name)
        step = replace(self.plan.steps[0], packages=(digest,), previous=())
        self.plan = replace(self.plan, steps=(step,))
        self.stopped = []

    def stop(self, *why):
        self.stopped.append(why)


class Rack:
    """The lab, and a package that none of its hosts has yet."""

    def __init__(self, lab, port):
        self.lab, self.port = lab, port
        self.inventory = lab.inventory()
        content = yaml.safe_load(self.inventory.read_text())
        more = {"npudoctor_domain": "r1", "npudoctor_serve_port": port, "fetch_megabytes_per_second": 4}
        next(iter(content.values()))["vars"] |= more
        self.inventory.write_text(yaml.safe_dump(content))

    def package(self, folder):
        path = folder / "new.run"
        path.write_bytes(os.urandom(SIZE))
        return path, hashlib.sha256(path.read_bytes()).hexdigest()

    def stage(self, path, digest, on_near=lambda: None, ended=lambda: False):
        """Where the bytes came from, and what was told."""
        targets = {target.name: target for target in read_inventory(str(self.inventory))}
        hosts = [Staged(name, digest) for name in targets]
        ways, told = (Ansible(str(self.inventory)), SshConfig(), Jumps()), []
        near = threading.Lock()

        def tell(host, event, what):
            with near:
                if event == "near" and not any(each[1] == "near" for each in told):
                    on_near()
                told.append((host, event, what))

        call = Call(str(self.inventory), "")
        staging = Staging(hosts, targets, {digest: File(path.name, SIZE, path)}, call, ways, tell, ended)
        self.ansible = ways[0]
        staging.go()
        assert [host.stopped for host in hosts] == [[], [], [], []]
        return staging.bytes, [
            (host, event) for host, event, _what in told if event not in ("stage", "packages")
        ]

    def right(self, digest):
        """The hosts that have it whole."""
        place = f"{STORE}/sha256/{digest[:2]}/{digest}"
        sums = {
            name: host.run("sha256sum", place, check=False).stdout for name, host in self.lab.hosts.items()
        }
        return [name for name, said in sums.items() if said.startswith(digest)]

    def serves(self):
        with socket.socket() as client:
            return client.connect_ex((self.lab.hosts["node1"].address, self.port)) == 0


@pytest.fixture(scope="module")
def rack(tmp_path_factory):
    if reason := why_not():
        pytest.skip(reason)
    with provision_lab(tmp_path_factory.mktemp("rack")) as lab:
        lab.boot(*NAMES)
        yield Rack(lab, free_port())


def test_packages_leave_this_machine_once_and_nobody_serves_afterwards(rack, tmp_path):
    path, digest = rack.package(tmp_path)
    sent, told = rack.stage(path, digest)
    assert rack.right(digest) == [*NAMES]
    assert sent == {"controller": SIZE, "rack": 3 * SIZE}
    assert sorted(told) == [(name, "near") for name in NAMES[1:]]
    time.sleep(1.5)
    assert not rack.serves()


def test_a_neighbour_that_gives_other_bytes_is_set_aside_and_all_come_from_here(rack, tmp_path):
    path, digest = rack.package(tmp_path)

    def flip():
        place = f"{STORE}/sha256/{digest[:2]}/{digest}"
        command = f"printf X | dd of={place} bs=1 seek=1000 conv=notrunc status=none"
        rack.lab.hosts["node1"].run("sh", "-c", command)

    sent, told = rack.stage(path, digest, flip)
    assert rack.right(digest) == [*NAMES[1:]]
    assert sent["rack"] == 0
    assert told.count(("node1", "set-aside")) == 1


def taken_in_part(rack, digest):
    """Wait until the second host has some of it from the first."""
    command = f"until [ -s {STORE}/part/{digest}.part ]; do sleep 0.1; done"
    rack.lab.hosts["node2"].run("timeout", "300", "sh", "-c", command)


def test_what_a_neighbour_that_dies_does_not_give_comes_from_here(rack, tmp_path):
    path, digest = rack.package(tmp_path)

    def kill_half_way():
        taken_in_part(rack, digest)
        rack.lab.hosts["node1"].run("rm", "/var/lib/npudoctor/serve.json")

    killer = threading.Thread(target=kill_half_way)
    sent, told = rack.stage(path, digest, killer.start)
    killer.join()
    assert rack.right(digest) == [*NAMES]
    assert sent["rack"] < 3 * SIZE
    assert told.count(("node1", "set-aside")) == 1


def test_a_run_that_is_ended_half_way_leaves_nobody_that_serves(rack, tmp_path):
    path, digest = rack.package(tmp_path)
    interrupted = threading.Event()

    def end_half_way():
        taken_in_part(rack, digest)
        assert rack.serves()
        interrupted.set()
        rack.ansible.stop()

    ender = threading.Thread(target=end_half_way)
    rack.stage(path, digest, ender.start, interrupted.is_set)
    ender.join()
    time.sleep(1.5)
    assert interrupted.is_set()
    assert {"node1"} <= {*rack.right(digest)} < {*NAMES}
    assert not rack.serves()

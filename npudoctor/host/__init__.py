"""The typed facts of one machine, an area a module, read lazily out of its snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from npudoctor.collect.snapshot import Snapshot
    from npudoctor.envvars import Judgement
    from npudoctor.host.cann import Cann
    from npudoctor.host.containers import Containers
    from npudoctor.host.driver import Driver
    from npudoctor.host.environment import Environment
    from npudoctor.host.kernel import Kernel
    from npudoctor.host.limits import Limits
    from npudoctor.host.memory import Memory
    from npudoctor.host.mindie import Mindie
    from npudoctor.host.model import Model
    from npudoctor.host.network import Network
    from npudoctor.host.npus import Npus
    from npudoctor.host.python import Pythons
    from npudoctor.host.storage import Storage
    from npudoctor.host.system import System
    from npudoctor.host.users import Users

AREAS = (
    "npus", "driver", "cann", "mindie", "python", "environment", "system", "kernel", "limits", "memory",
    "storage", "network", "containers", "users", "model",
)  # fmt: skip
"""The areas of a host: each is a property of `Host` and a module of this folder."""


@dataclass(frozen=True)
class Host:
    """One machine: each area is read when a check first touches it.

    A fact that could not be read is unavailable with its reason, never a default: see `npudoctor.fact`.
    """

    snapshot: Snapshot

    @property
    def name(self) -> str:
        """The host's name, or the token that stands for it in a bundle."""
        return self.snapshot.name

    @cached_property
    def outside(self) -> Host | None:
        """Of a container: the machine that it runs on. Of anything else None."""
        return Host(self.snapshot.outside) if self.snapshot.outside else None

    @cached_property
    def npus(self) -> Npus:
        """The NPUs as PCI, the driver and the device nodes see them."""
        from npudoctor.host.npus import read_npus

        return read_npus(self.snapshot)

    @cached_property
    def driver(self) -> Driver:
        """The NPU driver and firmware: on disk, running, and how they were installed."""
        from npudoctor.host.driver import read_driver

        return read_driver(self.snapshot)

    @cached_property
    def cann(self) -> Cann:
        """The CANN installations, their operator packages and NNAL."""
        from npudoctor.host.cann import read_cann

        return read_cann(self.snapshot)

    @cached_property
    def mindie(self) -> Mindie:
        """MindIE: the vendor's serving engine."""
        from npudoctor.host.mindie import read_mindie

        return read_mindie(self.snapshot)

    @cached_property
    def python(self) -> Pythons:
        """The Python interpreters and the packages that serving needs."""
        from npudoctor.host.python import read_pythons

        return read_pythons(self.snapshot)

    @cached_property
    def environment(self) -> Environment:
        """The environment variables of the examined shell or process."""
        from npudoctor.host.environment import read_environment

        return read_environment(self.snapshot)

    @cached_property
    def environment_judgements(self) -> list[Judgement]:
        """What is wrong with the environment on this stack; raises `Unavailable` where none was collected."""
        from npudoctor.host.stack import judge_environment

        return judge_environment(self)

    @cached_property
    def system(self) -> System:
        """Operating system, architecture, C library, virtual machine or container."""
        from npudoctor.host.system import read_system

        return read_system(self.snapshot)

    @cached_property
    def kernel(self) -> Kernel:
        """The running kernel: command line, settings, headers, modules, messages."""
        from npudoctor.host.kernel import read_kernel

        return read_kernel(self.snapshot)

    @cached_property
    def limits(self) -> Limits:
        """Resource limits of the shell and of services."""
        from npudoctor.host.limits import read_limits

        return read_limits(self.snapshot)

    @cached_property
    def memory(self) -> Memory:
        """Main memory, huge pages, shared memory."""
        from npudoctor.host.memory import read_memory

        return read_memory(self.snapshot)

    @cached_property
    def storage(self) -> Storage:
        """File systems and the space and inodes left on them."""
        from npudoctor.host.storage import read_storage

        return read_storage(self.snapshot)

    @cached_property
    def network(self) -> Network:
        """The NPUs' own network (HCCN) and the host's ports."""
        from npudoctor.host.network import read_network

        return read_network(self.snapshot)

    @cached_property
    def containers(self) -> Containers:
        """The container engine, its Ascend runtime, and the containers that map NPUs."""
        from npudoctor.host.containers import read_containers

        return read_containers(self.snapshot)

    @cached_property
    def model(self) -> Model:
        """The folder of the model that is to be served, where one is named."""
        from npudoctor.host.model import read_model

        return read_model(self.snapshot)

    @cached_property
    def users(self) -> Users:
        """The user who runs this, HwHiAiUser, and the owners of device nodes and folders."""
        from npudoctor.host.users import read_users

        return read_users(self.snapshot)


def load_areas() -> None:
    """Import the modules of all areas: for a caller that waits for a snapshot anyway."""
    for area in AREAS:
        import_module(f"{__name__}.{area}")

"""The typed facts of one machine, an area a module, read lazily out of its snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from npudoctor.collect.snapshot import Snapshot
from npudoctor.host.cann import Cann, read_cann
from npudoctor.host.containers import Containers, read_containers
from npudoctor.host.driver import Driver, read_driver
from npudoctor.host.environment import Environment, read_environment
from npudoctor.host.kernel import Kernel, read_kernel
from npudoctor.host.limits import Limits, read_limits
from npudoctor.host.memory import Memory, read_memory
from npudoctor.host.mindie import Mindie, read_mindie
from npudoctor.host.network import Network, read_network
from npudoctor.host.npus import Npus, read_npus
from npudoctor.host.python import Pythons, read_pythons
from npudoctor.host.storage import Storage, read_storage
from npudoctor.host.system import System, read_system
from npudoctor.host.users import Users, read_users

if TYPE_CHECKING:
    from npudoctor.envvars import Judgement


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
    def npus(self) -> Npus:
        """The NPUs as PCI, the driver and the device nodes see them."""
        return read_npus(self.snapshot)

    @cached_property
    def driver(self) -> Driver:
        """The NPU driver and firmware: on disk, running, and how they were installed."""
        return read_driver(self.snapshot)

    @cached_property
    def cann(self) -> Cann:
        """The CANN installations, their operator packages and NNAL."""
        return read_cann(self.snapshot)

    @cached_property
    def mindie(self) -> Mindie:
        """MindIE: the vendor's serving engine."""
        return read_mindie(self.snapshot)

    @cached_property
    def python(self) -> Pythons:
        """The Python interpreters and the packages that serving needs."""
        return read_pythons(self.snapshot)

    @cached_property
    def environment(self) -> Environment:
        """The environment variables of the examined shell or process."""
        return read_environment(self.snapshot)

    @cached_property
    def environment_judgements(self) -> list[Judgement]:
        """What is wrong with the environment on this stack; raises `Unavailable` where none was collected."""
        from npudoctor.host.stack import judge_environment

        return judge_environment(self)

    @cached_property
    def system(self) -> System:
        """Operating system, architecture, C library, virtual machine or container."""
        return read_system(self.snapshot)

    @cached_property
    def kernel(self) -> Kernel:
        """The running kernel: command line, settings, headers, modules, messages."""
        return read_kernel(self.snapshot)

    @cached_property
    def limits(self) -> Limits:
        """Resource limits of the shell and of services."""
        return read_limits(self.snapshot)

    @cached_property
    def memory(self) -> Memory:
        """Main memory, huge pages, shared memory."""
        return read_memory(self.snapshot)

    @cached_property
    def storage(self) -> Storage:
        """File systems and the space and inodes left on them."""
        return read_storage(self.snapshot)

    @cached_property
    def network(self) -> Network:
        """The NPUs' own network (HCCN) and the host's ports."""
        return read_network(self.snapshot)

    @cached_property
    def containers(self) -> Containers:
        """The container engine, its Ascend runtime, and the containers that map NPUs."""
        return read_containers(self.snapshot)

    @cached_property
    def users(self) -> Users:
        """The user who runs this, HwHiAiUser, and the owners of device nodes and folders."""
        return read_users(self.snapshot)

"""How a container is given NPUs: the one remedy that several checks name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.finding import Action, Fix
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from npudoctor.host import Host

DRIVER_FILES = (
    "/usr/local/Ascend/driver/lib64",
    "/usr/local/Ascend/driver/version.info",
    "/usr/local/dcmi",
    "/usr/local/bin/npu-smi",
    "/etc/ascend_install.info",
)
_NODES = ("/dev/davinci0", "/dev/davinci_manager", "/dev/devmm_svm", "/dev/hisi_hdc")


def with_nodes(nodes: Sequence[str] = _NODES, numbers: Iterable[int] = (0,)) -> Fix:
    """Start the container again, with these nodes too or by the Ascend runtime."""
    devices = " ".join(f"--device {node}" for node in nodes)
    return Fix(
        Action.CONFIGURE,
        _("Start the container again with these nodes too, or let the Ascend runtime give it its NPUs."),
        (f"docker run {devices} …", by_runtime(numbers)),
        role="serving",
    )


def with_driver(paths: Sequence[str] = DRIVER_FILES, numbers: Iterable[int] = (0,)) -> Fix:
    """Start the container again, with these files of the host's driver or by the Ascend runtime."""
    mounts = " ".join(f"-v {path}:{path}" for path in paths)
    return Fix(
        Action.CONFIGURE,
        _("Start the container again with the host's driver mounted, or let the Ascend runtime do it."),
        (by_runtime(numbers), f"docker run {mounts} …"),
        role="serving",
    )


def by_runtime(numbers: Iterable[int]) -> str:
    """The line that leaves nodes and driver to the Ascend runtime."""
    listed = ",".join(map(str, numbers)) or "0"
    return f"docker run --runtime=ascend -e ASCEND_VISIBLE_DEVICES={listed} …"


def numbers_inside(host: Host) -> list[int]:
    """N of every /dev/davinciN that the container has."""
    nodes = host.npus.nodes.or_none() or ()
    return [node.number for node in nodes if node.number is not None]

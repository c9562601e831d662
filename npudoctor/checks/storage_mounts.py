"""Where CANN is mounted from, and whether the disks are sound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.driver_running import without_messages
from npudoctor.checks.registry import check
from npudoctor.checks.storage import ASCEND, CANN_GUIDE, PLACES
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, warn
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host


@check(
    "storage.install_local",
    title=N_("CANN and driver lie on a local disk"),
    sources=(CANN_GUIDE,),
    dated="2026-08",
)
def install_local(host: Host) -> Verdict:
    """The installers lock files, which the vendor does not support on network file systems (NFS).

    A CANN that several machines share may run, but install and upgrade on a local disk.
    """
    roots = [one.root for one in host.cann.installations.or_none() or ()]
    mounts = [host.storage.mount_at(path) for path in dict.fromkeys((ASCEND, *roots))]
    shared = [mount for mount in mounts if mount.value.shared]
    if not shared:
        return ok(*mounts, actual=", ".join(dict.fromkeys(mount.value.kind for mount in mounts)))
    actual = ", ".join(f"{mount.value.point}: {mount.value.kind}" for mount in shared)
    fix = Fix(Action.REINSTALL, _("Install on a local disk of each machine."))
    return warn(*shared, actual=actual, expected=_("a local disk"), fix=fix)


@check(
    "storage.read_only",
    title=N_("Disks that must be written to are writable"),
    sources=("https://docs.kernel.org/admin-guide/ext4.html",),
    dated="2026-08",
)
def read_only(host: Host) -> Verdict:
    """A file system that meets an error goes read-only, and everything that writes fails from then on.

    Judged for /, /tmp, /var/log, home folders and the CANN folder of a host; a container's mounts may be
    read-only on purpose.
    """
    if host.system.in_container.or_none():
        return skip(_("inside a container"))
    mounts = [host.storage.mount_of_init_at(place) for place in PLACES]
    locked = [mount for mount in mounts if mount.value.read_only]
    if not locked:
        return ok(mounts[0], actual=_("all writable"))
    points = dict.fromkeys(mount.value.point for mount in locked)
    fix = Fix(
        Action.VENDOR,
        _("Look for disk errors; mount it writable again only when the disk is sound."),
        ("dmesg | grep -iE 'I/O error|remounting'", "sudo smartctl -a /dev/sdX"),
    )
    return fail(*locked, actual=", ".join(points), expected="rw", fix=fix)


@check(
    "storage.disk_errors",
    title=N_("The kernel reports no disk errors"),
    sources=("https://docs.kernel.org/admin-guide/ext4.html",),
    dated="2026-08",
)
def disk_errors(host: Host) -> Verdict:
    """A disk that fails shows as slow or broken weights and caches long before it dies.

    I/O errors, and errors of ext4 and XFS, stand in the kernel's messages.
    """
    if reason := without_messages(host):
        return skip(reason)
    events = host.kernel.trouble.value.of("disk")
    if not events:
        return ok(Evidence("dmesg", "no such line"), actual=_("none"))
    last = host.kernel.trouble.map(lambda _it: events[-1].line, text=events[-1].line)
    fix = Fix(Action.VENDOR, _("Check the disk and have it replaced."), ("sudo smartctl -a /dev/sdX",))
    count = _("{count} messages").format(count=len(events))
    return warn(last, actual=count, expected=_("none"), fix=fix)

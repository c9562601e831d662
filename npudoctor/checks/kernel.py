"""The kernel that runs, the one that may boot next, and whether the NPU driver fits both."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from npudoctor.checks.registry import check
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, warn
from npudoctor.parse.uname import major_minor, release_key
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.parse.dkms import DkmsModule

CANN_GUIDE = "hiascend.com CANN installation guide, instg_0005 and instg_0051 (9.0, 9.1)"
DRIVER_SCRIPTS = "github.com/hicann/driver scripts/package/custom/driver (run_driver_install.sh)"
DRIVER_MODULE = "davinci_ascend"
ADVISED_KERNEL = (5, 10)
SMALL_PAGE = 4096


@check(
    "kernel.headers",
    title=N_("Headers of the running kernel are installed"),
    sources=(CANN_GUIDE, DRIVER_SCRIPTS),
    dated="2026-08",
    role="prerequisites",
)
def headers(host: Host) -> Verdict:
    """The driver's installer builds its modules against the headers of the kernel that runs.

    Where a package has no modules for this kernel and the headers differ by one build, it stops with
    `Drv_dkms_env_check failed`. Right: headers of exactly `uname -r`, with a Makefile behind
    `/lib/modules/$(uname -r)/build`.
    """
    if host.system.in_container.or_none():
        return skip(_("inside a container"))
    if host.npus.present.or_none() is False:
        return skip(_("no NPU on this machine"))
    running, found = host.kernel.release.value, host.kernel.headers
    if running in found.value:
        return ok(host.kernel.release, found, actual=running)
    actual = ", ".join(found.value) if found.value else _("none")
    return warn(found, actual=actual, expected=running, fix=_install_headers(host, running))


@check(
    "kernel.dkms",
    title=N_("The NPU driver's modules are built for the running kernel"),
    sources=(CANN_GUIDE, DRIVER_SCRIPTS),
    dated="2026-08",
    role="driver",
)
def dkms(host: Host) -> Verdict:
    """A driver under dkms has modules for each kernel that it was built for, and for no other.

    After a kernel upgrade that dkms could not follow (no headers), `npu-smi` finds no NPU. Right:
    `dkms status` lists `davinci_ascend` as installed for `uname -r`.
    """
    if host.system.in_container.or_none():
        return skip(_("inside a container"))
    if host.kernel.dkms.absent:
        return skip(_("dkms is not installed"))
    modules, running = _driver_modules(host.kernel.dkms.value), host.kernel.release.value
    if not modules:
        return skip(_("the driver is not under dkms"))
    lines = "\n".join(one.line for one in modules)
    proof = host.kernel.dkms.map(lambda _all: lines, text=lines)
    if any(one.kernel == running and one.state == "installed" for one in modules):
        return ok(proof, actual=running)
    built = [f"{one.kernel}: {one.state}" for one in modules if one.kernel]
    actual = ", ".join(built) or _("{module} is built for no kernel").format(module=modules[0].name)
    return fail(proof, actual=actual, expected=running, fix=_rebuild(modules[0], running))


@check(
    "kernel.upgrade_pending",
    title=N_("The next reboot starts the kernel that runs now"),
    sources=(CANN_GUIDE, "docs.kernel.org kbuild/modules"),
    dated="2026-08",
    role="prerequisites",
)
def upgrade_pending(host: Host) -> Verdict:
    """A newer kernel on disk starts at the next reboot, and the driver needs modules for that one too.

    Reboot before the driver is installed, so that it is built for the kernel that stays; or hold the kernel
    package. It fails where dkms has the driver and has not built it for the newer kernel: the next reboot
    then leaves the machine without NPUs.
    """
    if host.system.in_container.or_none():
        return skip(_("inside a container"))
    running, installed = host.kernel.release, host.kernel.installed
    newer = [one for one in installed.value if _newer(one, running.value)]
    if not newer:
        return ok(running, installed, actual=running.value)
    next_one = max(newer, key=release_key)
    modules = _driver_modules(host.kernel.dkms.or_none() or ())
    built = not modules or any(one.kernel == next_one for one in modules)
    judge = warn if built else fail
    actual = _("{next} is installed, {running} runs").format(next=next_one, running=running.value)
    return judge(
        running, installed, actual=actual, expected=running.value, fix=_before_reboot(host, next_one)
    )


@check(
    "kernel.version",
    title=N_("The kernel is 5.10 or newer"),
    sources=("PyPI msprechecker 0.4.0 presets/default.yaml",),
    dated="2026-04",
)
def version(host: Host) -> Verdict:
    """The vendor's own pre-flight tool advises kernel 5.10 or newer for serving.

    Older kernels are no fault: the vendor supports systems with 4.19 and even 3.10 (Kylin V10, CentOS 7.6).
    So this is a warning about speed, and only where a serving engine is installed; `os.supported` says
    whether the system is on the vendor's list.
    """
    release = host.kernel.release
    expected = _("5.10 or newer")
    if major_minor(release.value) >= ADVISED_KERNEL:
        return ok(release, expected=expected)
    if not _serves(host):
        return skip(
            _("{release}: newer ones are advised for serving, and no engine is here").format(
                release=release.value
            )
        )
    return warn(
        release,
        expected=expected,
        fix=Fix(Action.UPGRADE, _("Plan a system with a newer kernel from the vendor's list.")),
    )


@check(
    "kernel.page_size",
    title=N_("RDMA may post its work directly with this page size"),
    sources=(
        "github.com/hicann/hccl docs/zh/user_guide/hccl_env/HCCL_RDMA_PCIE_DIRECT_POST_NOSTRICT.md",
        "PyPI msprechecker 0.4.0 presets/mindie.cmate",
    ),
    dated="2026-08",
)
def page_size(host: Host) -> Verdict:
    """On 910B HCCL hands RDMA work to the NPU over PCIe directly only where a page has 4 KB.

    With 64 KB pages (common on aarch64) it takes the slower way unless
    `HCCL_RDMA_PCIE_DIRECT_POST_NOSTRICT=TRUE` is set. It matters for jobs over several machines that the host
    holds up; the variable costs 1 MB of huge pages of the NPU for each link.
    """
    size = host.kernel.page_size
    if size.value == SMALL_PAGE:
        return ok(size)
    if host.npus.family.value != "910B":
        return ok(size, host.npus.family)
    name = "HCCL_RDMA_PCIE_DIRECT_POST_NOSTRICT"
    if host.environment.variables.value.get(name, "").upper() == "TRUE":
        return ok(size, actual=f"{size.value}, {name}=TRUE")
    summary = _("Set the variable for jobs over several machines.")
    fix = Fix(Action.CONFIGURE, summary, (f"export {name}=TRUE",))
    return warn(size, expected=f"{SMALL_PAGE}, {name}=TRUE", fix=fix)


def _serves(host: Host) -> bool:
    """Whether a serving engine is installed, or nobody looked for one."""
    pythons = host.python.interpreters.or_none()
    if pythons is None or host.mindie.installed.known:
        return True
    return any({"vllm", "sglang", "mindie_llm"} & one.packages.keys() for one in pythons)


def _driver_modules(modules: tuple[DkmsModule, ...]) -> list[DkmsModule]:
    return [one for one in modules if one.name == DRIVER_MODULE]


def _newer(release: str, running: str) -> bool:
    """Whether it is a later build of the same kernel line (`-generic`, `.aarch64`), not another flavour."""
    return _flavour(release) == _flavour(running) and release_key(release) > release_key(running)


def _flavour(release: str) -> str:
    return re.sub(r"[\d.]+", "", release)


def _uses_apt(host: Host) -> bool:
    release = host.system.release.or_none()
    return bool(release) and release is not None and release.id in ("ubuntu", "debian", "velinux", "uos")


def _install_headers(host: Host, release: str) -> Fix:
    apt = f"sudo apt-get install -y linux-headers-{release}"
    dnf = f"sudo dnf install -y kernel-devel-{release} kernel-headers-{release}"
    return Fix(
        Action.CONFIGURE,
        _("Install the headers of this very kernel."),
        (apt if _uses_apt(host) else dnf,),
        role="prerequisites",
    )


def _rebuild(module: DkmsModule, release: str) -> Fix:
    return Fix(
        Action.REINSTALL,
        _("Build the driver for the running kernel; it needs that kernel's headers."),
        (f"sudo dkms install {module.name}/{module.version} -k {release}", "sudo reboot"),
        role="driver",
    )


def _before_reboot(host: Host, release: str) -> Fix:
    hold = f"sudo apt-mark hold linux-image-{release}" if _uses_apt(host) else "sudo dnf versionlock kernel"
    missing = release not in (host.kernel.headers.or_none() or (release,))
    commands = _install_headers(host, release).commands if missing else ()
    return Fix(
        Action.REBOOT,
        _("Install the newer kernel's headers, reboot, let dkms build the driver, then hold the kernel."),
        (*commands, "sudo reboot", hold),
        role="prerequisites",
    )

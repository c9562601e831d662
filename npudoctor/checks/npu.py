"""NPUs: seen by PCI, by the driver and as device nodes, and the same ones by all three."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.container_remedy import with_nodes
from npudoctor.checks.driver_running import is_loaded
from npudoctor.checks.npu_answers import remedy
from npudoctor.checks.npu_scope import GUIDE, LAYOUTS, joined, label, proven, without_npu
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, unknown, warn
from npudoctor.host.npus import INFO
from npudoctor.parse.device_nodes import MANAGEMENT
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from npudoctor.host import Host

_MANAGED = ("310P", "910", "910B", "A3")


@check(
    "npu.visible",
    title=N_("The driver lists NPUs"),
    sources=(GUIDE, "vllm-project/vllm-ascend@182b75e docs/source/installation.md"),
    dated="2026-08",
    role="driver",
)
def visible(host: Host) -> Verdict:
    """Nothing of an Ascend stack runs where the driver lists no NPU.

    Right: `npu-smi info` exits with 0 and its table has at least one chip. Where it has none, PCI (vendor
    19e5) and /dev say whether the card or the driver is missing. (Installation guides, 2026-08.)
    """
    npus = host.npus
    if npus.table.known:
        chips = len(npus.table.value.chips)
        actual = _("{npus} NPUs, {chips} chips").format(npus=npus.count.value, chips=chips)
        return ok(npus.table, actual=actual)
    if npus.present.or_none() is False:
        actual = _("no Ascend NPU seen on PCI, by the driver or as device nodes")
        return fail(npus.present, actual=actual, expected=_("at least one NPU"), fix=_seat(host))
    if npus.listing.known and npus.listing.value.npus:
        return ok(npus.listing, actual=_("{npus} NPUs").format(npus=len(npus.listing.value.npus)))
    why = str(npus.table.content)
    if not npus.table.absent and not npus.errors.known:
        return unknown(npus.present, Evidence(INFO, why), actual=why)
    if npus.table.absent and (host.system.in_container.or_none() or not npus.present.known):
        return unknown(Evidence(INFO, why), actual=why)
    return _not_listed(host, why.removeprefix(f"{INFO}: "))


def _not_listed(host: Host, why: str) -> Verdict:
    """The driver lists none, and something else shows NPUs, or npu-smi prints an error in their place."""
    answer = Evidence(INFO, why)
    if (fix := remedy(host)) is None:
        actual = _("npu-smi lists no NPU: {why}").format(why=why)
        return fail(
            host.npus.present, answer, actual=actual, expected=_("at least one NPU"), fix=_load_driver()
        )
    first = Fix(fix.action, fix.summary, fix.commands[:1], fix.role)
    code = next((error.code for error in host.npus.errors.value if error.code), None)
    told = _("npu-smi lists no NPU ({code}): see npu.answers").format(code=code)
    actual = told if code else _("npu-smi lists no NPU: see npu.answers")
    return fail(answer, actual=actual, expected=_("at least one NPU"), fix=first)


def _seat(host: Host) -> Fix:
    if host.system.in_container.or_none():
        nodes = with_nodes()
        summary = _("If this container should have an NPU, start it again with its device nodes.")
        return Fix(nodes.action, summary, nodes.commands, nodes.role)
    return Fix(
        Action.RESEAT,
        _("If this machine should have an NPU: check the seat and the power of the card, then PCI again."),
        ("lspci -nn -d 19e5:",),
    )


@check(
    "npu.counts_agree",
    title=N_("PCI, the driver and /dev show the same NPUs"),
    sources=(LAYOUTS, "ascend-deployer-26.0.0 module_utils/check_output_manager.py"),
    dated="2026-08",
)
def counts_agree(host: Host) -> Verdict:
    """A card on PCI that the driver lacks did not come up; one that the driver has and PCI lacks is lost.

    Right: the bus ids of `npu-smi info` are those of `lspci`, and there is one /dev/davinciN a chip (two for
    a 310P Duo and an A3 card). Inside a container PCI shows the whole host, so only nodes and table are
    compared. Boards without PCI (310B) print no bus id. (Driver source, 2026-08.)
    """
    if reason := without_npu(host):
        return skip(reason)
    troubles = [*_pci_troubles(host), *_node_troubles(host)]
    proofs = [proof for _words, proof in troubles]
    if troubles and not host.npus.table.value.complete:
        return unknown(*proofs, actual=_("the table of npu-smi info is not whole"))
    if troubles:
        actual = joined(words for words, _proof in troubles)
        return fail(*proofs, actual=actual, expected=_("the same NPUs"), fix=_recover())
    if not _comparable(host):
        return unknown(host.npus.table, actual=_("neither lspci nor ls -l /dev was collected"))
    return ok(host.npus.table, actual=_("{n} chips").format(n=host.npus.dies.value))


def _comparable(host: Host) -> bool:
    return host.npus.nodes.known or (host.npus.pci.known and not host.system.in_container.or_none())


def _pci_troubles(host: Host) -> list[tuple[str, Evidence]]:
    rows = {_full(chip.bus_id): proof for chip, proof in proven(host) if chip.bus_id}
    pci, unnamed = host.npus.pci.or_none(), any(chip.bus_id is None for chip, _proof in proven(host))
    if pci is None or unnamed or host.system.in_container.or_none():
        return []
    lines = {device.address: Evidence("lspci", device.line) for device in pci}
    absent, lost = _("{bus} is on PCI, not in npu-smi info"), _("{bus} is in npu-smi info, not on PCI")
    return [
        *((absent.format(bus=bus), lines[bus]) for bus in sorted(lines.keys() - rows.keys())),
        *((lost.format(bus=bus), rows[bus]) for bus in sorted(rows.keys() - lines.keys())),
    ]


def _full(bus: str) -> str:
    return (bus if bus.count(":") == 2 else "0000:" + bus).lower()


def _node_troubles(host: Host) -> list[tuple[str, Evidence]]:
    nodes = host.npus.nodes.or_none()
    if nodes is None or any(node.name.startswith("vdavinci") for node in nodes):
        return []
    numbered = [node.name for node in nodes if node.number is not None and node.kind == "device"]
    dies = len(host.npus.table.value.chips)
    words = _("{nodes} /dev/davinciN for {dies} chips").format(nodes=len(numbered), dies=dies)
    listed = Evidence("ls -l /dev", " ".join(numbered) or _("no /dev/davinciN"))
    return [] if len(numbered) == dies else [(words, listed)]


def _recover() -> Fix:
    return Fix(
        Action.REBOOT,
        _("Look in the kernel log why it did not come up, then reboot; a card that stays away is faulty."),
        ("lspci -nn -d 19e5:", "dmesg | grep -i -e ascend -e drv_ -e AER", "sudo reboot"),
    )


@check(
    "npu.table_complete",
    title=N_("The table of npu-smi info is whole"),
    sources=(LAYOUTS,),
    dated="2026-08",
)
def table_complete(host: Host) -> Verdict:
    """A table that was cut off or edited says nothing of the chips that are missing from it.

    Right: every row was read and understood, up to the table's bottom border. Otherwise the checks of the
    chips judge only those that are left. (Layouts of 20.x to 26.x, 2026-08.)
    """
    if reason := without_npu(host):
        return skip(reason)
    table = host.npus.table.value
    if table.complete:
        return ok(host.npus.table, actual=_("{n} chips").format(n=len(table.chips)))
    proofs = [Evidence(INFO, error) for error in table.errors[:4]]
    again = Fix(Action.NONE, _("Collect it again, the whole output."), ("npu-smi info > npu-smi_info",))
    return unknown(*proofs, actual=table.errors[0], expected=_("all rows"), fix=again)


@check(
    "npu.device_nodes",
    title=N_("The management nodes of the driver are there"),
    sources=("vllm-project/vllm-ascend@182b75e docs/source/installation.md", LAYOUTS),
    dated="2026-08",
    role="driver",
)
def device_nodes(host: Host) -> Verdict:
    """Beside /dev/davinciN every process needs davinci_manager, devmm_svm (memory) and hisi_hdc (messages).

    Right: all three are character devices. A folder of that name is what `docker run -v` leaves behind
    where the node was missing. SoC boards (310B) and 950 have other nodes. (vllm-ascend, 2026-08.)
    """
    if reason := without_npu(host):
        return skip(reason)
    if host.system.in_container.or_none():
        return skip(_("inside a container: see container.devices"))
    if is_loaded(host) is False:
        return skip(_("the driver is not loaded: see driver.modules"))
    if (family := host.npus.family.or_none()) and family not in _MANAGED:
        return skip(_("{family} has other nodes").format(family=family))
    nodes = {node.name: node for node in host.npus.nodes.value}
    wrong = [nodes[name] for name in MANAGEMENT if name in nodes and nodes[name].kind != "device"]
    missing = [name for name in MANAGEMENT if name not in nodes]
    if missing and not wrong and not host.npus.nodes_whole.value:
        return unknown(host.npus.nodes_whole, actual=_("the listing does not show all of /dev"))
    proofs = [Evidence("ls -l /dev", node.line) for node in wrong]
    proofs += [Evidence("ls -l /dev", _("no /dev/{name}").format(name=name)) for name in missing]
    if not proofs:
        return ok(*(Evidence("ls -l /dev", nodes[name].line) for name in MANAGEMENT))
    lacking = [f"/dev/{name}" for name in MANAGEMENT if name in missing or nodes[name] in wrong]
    return fail(
        *proofs, actual=_("not there: {nodes}").format(nodes=joined(lacking)),
        expected=_("three character devices"), fix=_load_driver(),
    )  # fmt: skip


@check(
    "npu.same_chips",
    title=N_("All chips are of one kind"),
    sources=("ascend-deployer-26.0.0 module_utils/check_output_manager.py",),
    dated="2026-08",
)
def same_chips(host: Host) -> Verdict:
    """One job over chips of several kinds fails or runs at the pace of the slowest; operators are per kind.

    Right: one name in the table. (ascend-deployer 26.0.0.)
    """
    if reason := without_npu(host):
        return skip(reason)
    names = {chip.name: proof for chip, proof in proven(host) if chip.name}
    if not names:
        return unknown(host.npus.table, actual=_("the table names no chip"))
    if len(names) == 1:
        return ok(*names.values(), actual=next(iter(names)))
    return warn(
        *names.values(),
        actual=", ".join(sorted(names)),
        expected=_("one kind"),
        fix=Fix(Action.CONFIGURE, _("Give each job chips of one kind (ASCEND_RT_VISIBLE_DEVICES)."),
                ("npu-smi info -m",)),
    )  # fmt: skip


@check(
    "npu.dies_in_pairs",
    title=N_("Both dies of every A3 module are there"),
    sources=("vllm-project/vllm-ascend docs/source/quick_start.md", LAYOUTS),
    dated="2026-08",
)
def dies_in_pairs(host: Host) -> Verdict:
    """The two dies of an A3 module share power and links; HCCL and the frameworks expect both.

    Right: every NPU has chip 0 and chip 1 in the table, on a host and in a container alike.
    (vllm-ascend quick start, 2026-08.)
    """
    if reason := without_npu(host):
        return skip(reason)
    if host.npus.family.value != "A3":
        return skip(_("only A3 has two dies a module"))
    dies: dict[int, set[int | None]] = {}
    for chip in host.npus.table.value.chips:
        dies.setdefault(chip.npu_id, set()).add(chip.chip_id)
    single = [npu for npu, found in dies.items() if not {0, 1} <= found]
    if not single:
        return ok(host.npus.table, actual=_("{n} modules").format(n=len(dies)))
    if not host.npus.table.value.complete:
        return unknown(host.npus.table, actual=_("the table of npu-smi info is not whole"))
    proofs = [proof for chip, proof in proven(host) if chip.npu_id in single]
    lonely = joined(label(chip) for chip, _proof in proven(host) if chip.npu_id in single)
    return fail(
        *proofs,
        actual=_("one die only: {chips}").format(chips=lonely),
        expected=_("two dies of each NPU"),
        fix=Fix(Action.CONFIGURE, _("Map both dies into the container; on a host look why one is missing."),
                ("npu-smi info -m", "ls -l /dev/davinci*")),
    )  # fmt: skip


def _load_driver() -> Fix:
    return Fix(
        Action.REBOOT,
        _("Install the driver for this chip if it is missing, and reboot so that it loads."),
        ("ls /usr/local/Ascend/driver/version.info", "lsmod | grep drv_", "sudo reboot"),
        role="driver",
    )

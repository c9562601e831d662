"""The NPUs of several hosts side by side."""

from npudoctor.checks.fleet_npus import chip_kinds, npu_count
from npudoctor.collect.samples import read_sample
from npudoctor.collect.snapshot import snapshot_of
from npudoctor.finding import Action, Status
from npudoctor.host import Host

HEAD = """\
+-------------------------------------------------------------------------------------------+
| npu-smi 25.2.0                   Version: 25.2.0                                           |
+---------------------------+---------------+------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+================================================+
"""
ROW = """\
| {n}     {chip}               | OK            | 92.1        41                0    / 0             |
| 0                         | 0000:{n}1:00.0  | 0           0    / 0          3161 / 65536         |
+===========================+===============+================================================+
"""


def node(name, count, chip="910B3"):
    table = HEAD + "".join(ROW.format(n=n, chip=chip) for n in range(count))
    return Host(snapshot_of(commands={"npu-smi info": table}, name=name))


def test_the_host_that_lost_a_card_is_named(compare):
    found = compare(npu_count, *(node(f"n{n}", 8) for n in range(3)), node("n3", 7))
    assert (found.status, found.action) == (Status.WARN, Action.RESEAT)
    assert found.actual == "7 × 910B3: n3 (most have 8)"
    assert found.evidence[0].source == "n3: npu-smi info"


def test_a_host_with_more_of_them_than_most_is_another_model_and_no_fault(compare):
    found = compare(npu_count, node("a", 8), node("b", 8), node("c", 16))
    assert (found.status, found.actual) == (Status.PASS, "8 × 910B3")


def test_numbers_of_other_chips_are_not_compared(compare):
    assert compare(npu_count, node("a", 8), node("b", 4, "910B4"), node("c", 8)).status is Status.PASS


def test_a_host_whose_npus_cannot_be_counted_is_unknown_where_the_others_agree(compare):
    broken = Host(read_sample("half-installed-driver"))
    found = compare(npu_count, node("a", 8), node("b", 8), broken)
    assert found.status is Status.UNKNOWN
    assert broken.name in found.actual


def test_hosts_of_one_kind_pass_and_others_are_told_with_the_majority_first(compare):
    assert compare(chip_kinds, node("a", 8), node("b", 8)).actual == "910B3"
    found = compare(chip_kinds, node("a", 8), node("b", 8, "910B4"), node("c", 8, "910B4"))
    assert (found.status, found.actual) == (Status.WARN, "910B4: b, c; 910B3: a")


def test_a_host_without_an_npu_has_no_part_in_it(compare):
    nothing = Host(read_sample("no-npu"))
    assert compare(chip_kinds, node("a", 8), nothing).status is Status.SKIP
    assert compare(npu_count, nothing, nothing).status is Status.SKIP

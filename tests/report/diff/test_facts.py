"""Which facts of two hosts are told, in which order, and which never are."""

import re

from npudoctor.collect.samples import read_sample
from npudoctor.host import Host
from npudoctor.report.diff.facts import compare_facts, table

PACKAGES = "# /usr/bin/python3 3.11.4\ntorch==2.8.0\ntorch_npu=={}\n"


def names(before, after, **options):
    return [change.name for change in compare_facts(before, after, **options)]


def test_a_host_does_not_differ_from_itself():
    one, same = (Host(read_sample("a2-healthy")) for _ in range(2))
    assert compare_facts(one, same, verbose=True) == ()


def test_a_package_a_setting_and_a_variable_that_differ_are_told_in_the_order_of_the_table(host):
    swappiness = "/proc/sys/vm/swappiness"
    before = host(files={swappiness: "1\n"}, environment="A=1\n", packages=PACKAGES.format("2.8.0"))
    after = host(files={swappiness: "60\n"}, environment="A=2\n", packages=PACKAGES.format("2.7.1"))
    found = compare_facts(before, after)
    assert [(change.name, change.before, change.after) for change in found][:2] == [
        ("python.current.packages.torch_npu", "2.8.0", "2.7.1"),
        ("environment.variables.A", "1", "2"),
    ]
    assert "kernel.settings.vm.swappiness" in [change.name for change in found]


def test_a_word_more_on_the_kernel_command_line_does_not_shift_the_others(host):
    line = "/proc/cmdline"
    before = host(files={line: "root=UUID=1 quiet\n"})
    after = host(files={line: "root=UUID=2 pcie_aspm=off quiet\n"})
    (change,) = compare_facts(before, after)
    assert (change.before, change.after) == (None, "pcie_aspm=off")


def test_what_changes_by_itself_is_told_only_when_asked_for(host):
    before, after = (host(files={"/proc/meminfo": f"MemTotal: 8 kB\nMemAvailable: {n} kB\n"}) for n in (5, 6))
    assert names(before, after) == []
    assert names(before, after, verbose=True) == ["memory.available_kb"]


def test_a_token_is_never_told(host):
    before, after = (host(environment=f"HF_TOKEN=hf_{letter * 24}\nA={letter}\n") for letter in "ab")
    told = repr(compare_facts(before, after, verbose=True))
    assert "environment.variables.A" in told
    assert "aaaa" not in told


def test_every_pattern_of_the_table_names_a_fact_of_an_area():
    from npudoctor.host import AREAS

    rows = [pattern for pattern in table()["shown"] + table()["never"] if not pattern.startswith("*")]
    assert {re.split(r"\W", pattern)[0] for pattern in rows} <= set(AREAS)

"""Host names as ranges."""

import pytest

from npudoctor.nodeset import among, fold

ALL = "node0 node1 node2 node3 node7 node10 node15 node20 r2n8.lan r2n08.lan r2n09.lan r2n10.lan x"


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        ("node1", "node1"),
        ("node1 node2 node3 node7", "node[1-3,7]"),
        ("node9 node10 node11", "node[9-11]"),
        ("node08 node09 node10", "node[08-10]"),
        ("n099 n100 n0101", "n[099-100], n0101"),
        ("b a c", "b, a, c"),
        ("r1n1.lan r1n2.lan r2n1.lan", "r1n[1-2].lan, r2n1.lan"),
        ("10.0.0.4 10.0.0.5 10.0.1.5", "10.0.0.[4-5], 10.0.1.5"),
        ("web-1a web-2a db", "web-[1-2]a, db"),
        ("out/node1.tgz out/node2.tgz", "out/node[1-2].tgz"),
        ("node2 node2 node1", "node[1-2]"),
        ("7 8 9", "[7-9]"),
        ("", ""),
    ],
)
def test_names_that_differ_in_one_number_become_a_range(names, folded):
    assert fold(names.split()) == folded


def test_what_does_not_fit_is_counted():
    names = [f"node{number}" for number in range(0, 40, 2)]
    assert fold(names, 3) == "node[0,2,4] and 17 more"
    assert fold(["alpha", "beta", "gamma"], 2) == "alpha, beta and 1 more"


def test_ten_thousand_hosts_are_one_range():
    assert fold(f"n{number:05}" for number in range(10_000)) == "n[00000-09999]"


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("node[1-3,7]", "node1 node2 node3 node7"),
        ("node[10-20]", "node10 node15 node20"),
        ("r2n[08-10].lan", "r2n08.lan r2n09.lan r2n10.lan"),
        ("node[1-2], node15, x", "node1 node2 node15 x"),
        ("node1*", "node1 node10 node15"),
        ("node?", "node0 node1 node2 node3 node7"),
        ("*", ALL),
        ("node[1-", ""),
        ("", ""),
    ],
)
def test_names_are_among_those_that_are_written(written, names):
    """Read as a glob, `node[10-20]` would be node0, node1 and node2."""
    assert [name for name in ALL.split() if among(name, written)] == names.split()

"""Which hosts may be begun: canaries, waves, slots, domains, and the brake."""

from dataclasses import replace

import pytest

from npudoctor.provision.admission import Entry, Limits, Standing, admit, brake
from npudoctor.provision.call import Share

MANY = Limits(unavailable=Share(count=1000), hosts=40)


def fleet(number, kinds=("910B3 ubuntu",), domains=()):
    return [
        Entry(f"node{place}", kinds[place % len(kinds)], domains[place % len(domains)] if domains else "")
        for place in range(number)
    ]


def marked(entries, standing, *names, signature="", out=False):
    """The same hosts, some of them at their end (in this order) or under way."""
    place = max(entry.finished for entry in entries)
    order = {name: place + 1 + n for n, name in enumerate(names)}
    ends = standing in (Standing.GOOD, Standing.FAILED)
    return [
        replace(
            entry, standing=standing, signature=signature, out=out,
            finished=order[entry.name] if ends else 0,
        )
        if entry.name in order
        else entry
        for entry in entries
    ]  # fmt: skip


def test_one_host_of_each_kind_goes_first():
    hosts = fleet(40, ("910B3 ubuntu", "910B3 openEuler", "310P ubuntu"))
    assert admit(hosts, MANY).begin == ("node0", "node1", "node2")


def test_as_many_canaries_of_a_kind_as_are_asked_for():
    hosts = fleet(40, ("A2", "A3"))
    assert admit(hosts, replace(MANY, canary=2)).begin == ("node0", "node2", "node1", "node3")


def test_nobody_else_begins_while_a_canary_is_under_way():
    hosts = marked(fleet(40), Standing.RUNNING, "node0")
    assert not admit(hosts, MANY).begin


def waves(entries, limits):
    """How many hosts begin together, wave by wave, where all goes well."""
    sizes = []
    while begun := admit(entries, limits).begin:
        sizes.append(len(begun))
        entries = marked(entries, Standing.GOOD, *begun)
    assert all(entry.standing is Standing.GOOD for entry in entries)
    return sizes


@pytest.mark.parametrize(
    ("hosts", "sizes"),
    [(1, [1]), (8, [1, 3, 3, 1]), (40, [1, 3, 4, 32]), (1000, [1, 10, 100, 889])],
)
def test_after_the_canary_come_three_or_one_in_a_hundred_then_a_tenth_then_the_rest(hosts, sizes):
    assert waves(fleet(hosts), MANY) == sizes


def test_without_canaries_all_begin_at_once():
    assert waves(fleet(40), replace(MANY, canary=0)) == [40]


@pytest.mark.parametrize(
    ("share", "hosts", "begun"),
    [(Share(part=0.1), 40, 4), (Share(part=0.1), 9, 1), (Share(part=0.1), 19, 1), (Share(count=5), 40, 5)],
)
def test_a_share_of_the_hosts_is_rounded_down_and_at_least_one(share, hosts, begun):
    limits = Limits(canary=0, unavailable=share, hosts=hosts)
    assert len(admit(fleet(hosts), limits).begin) == begun


def test_a_slot_is_free_again_when_its_host_is_back_in_service():
    limits = Limits(canary=0, unavailable=Share(count=2), hosts=10)
    hosts = marked(fleet(10), Standing.RUNNING, "node0", "node1")
    assert not admit(hosts, limits).begin
    assert admit(marked(hosts, Standing.GOOD, "node0"), limits).begin == ("node2",)


def test_a_host_that_is_stuck_keeps_its_slot_and_one_that_went_back_does_not():
    limits = Limits(canary=0, unavailable=Share(count=2), failed=Share(count=9), hosts=10)
    stuck = marked(fleet(10), Standing.FAILED, "node0", out=True)
    assert len(admit(stuck, limits).begin) == 1
    back = marked(fleet(10), Standing.FAILED, "node0")
    assert len(admit(back, limits).begin) == 2


def test_hosts_that_were_out_of_service_before_take_slots_but_one_is_left():
    limits = Limits(canary=0, unavailable=Share(count=4), out_of_service=3, hosts=40)
    assert len(admit(fleet(40), limits).begin) == 1
    assert len(admit(fleet(40), replace(limits, out_of_service=20)).begin) == 1


def test_two_hosts_of_one_domain_are_never_out_of_service_together():
    limits = Limits(canary=0, unavailable=Share(count=10), hosts=12)
    hosts = fleet(12, domains=("rack1", "rack2", "rack3"))
    assert admit(hosts, limits).begin == ("node0", "node1", "node2")
    running = marked(hosts, Standing.RUNNING, "node0", "node1", "node2")
    assert not admit(running, limits).begin
    assert admit(marked(running, Standing.GOOD, "node1"), limits).begin == ("node4",)
    assert len(admit(hosts, replace(limits, together=True)).begin) == 10


def test_hosts_of_which_no_domain_is_known_are_not_held_for_neighbours():
    limits = Limits(canary=0, unavailable=Share(count=10), hosts=12)
    assert len(admit(fleet(12), limits).begin) == 10


def test_a_wave_is_spread_over_the_domains():
    domains = ("rack1", "rack1", "rack2", "rack2")
    begun = admit(fleet(16, domains=domains), replace(MANY, canary=0, together=True)).begin
    assert begun[:4] == ("node0", "node2", "node1", "node3")


# --- the brake


def outcome_of(entries, limits, outcomes):
    """Run hosts one wave after the other; `outcomes`: by name, those that fail and with which signature."""
    begun = []
    while not (answer := admit(entries, limits)).brake and answer.begin:
        for name in answer.begin:
            begun.append(name)
            failed = outcomes(name)
            standing = Standing.FAILED if failed else Standing.GOOD
            entries = marked(entries, standing, name, signature=failed or "")
    return begun, admit(entries, limits).brake, entries


def test_a_driver_that_is_bad_on_every_host_stops_at_the_canaries():
    hosts = fleet(40, ("910B3 ubuntu", "910B3 openEuler"))
    limits = Limits(unavailable=Share(part=0.1), hosts=40)
    begun, why, _entries = outcome_of(hosts, limits, lambda _name: "check:npu.health")
    assert begun == ["node0", "node1"]
    assert why == "same-failure"


@pytest.mark.parametrize("kinds", [("A2",), ("A2", "A3")])
def test_a_bad_driver_on_one_kind_of_40_hosts_stops_at_its_canary(kinds):
    limits = Limits(unavailable=Share(part=0.1), hosts=40)
    fails = {"node0": "check:npu.health"}
    begun, why, entries = outcome_of(fleet(40, kinds), limits, fails.get)
    assert begun == [f"node{place}" for place in range(len(kinds))]
    assert why == "canary-failed"
    assert sum(entry.standing is Standing.WAITING for entry in entries) == 40 - len(kinds)


def test_one_canary_of_several_may_fail():
    hosts = marked(fleet(40), Standing.GOOD, "node1")
    assert not brake(marked(hosts, Standing.FAILED, "node0"), replace(MANY, canary=2))


def test_a_host_that_is_the_only_one_of_its_kind_holds_nobody():
    hosts = [replace(host, kind=host.name if host.name == "node0" else host.kind) for host in fleet(40)]
    hosts = marked(hosts, Standing.GOOD, "node1")
    assert not brake(marked(hosts, Standing.FAILED, "node0"), MANY)


def test_a_canary_that_was_left_as_it_is_shows_nothing_and_the_next_of_its_kind_goes_first():
    hosts = marked(fleet(40), Standing.FAILED, "node0")
    hosts[0] = replace(hosts[0], left=True)
    assert admit(hosts, MANY).begin == ("node1",)
    assert not admit(marked(hosts, Standing.RUNNING, "node1"), MANY).begin


def test_two_canaries_that_fail_in_different_ways_are_a_canary_that_failed():
    hosts = fleet(40, ("A2", "A3"))
    begun, why, _entries = outcome_of(hosts, MANY, lambda name: f"other:{name}")
    assert (len(begun), why) == (2, "canary-failed")


def test_failures_that_are_spread_out_pull_the_brake_when_their_share_is_too_high():
    """Of 100 hosts every eighth fails: with 20 % allowed none is held, with 10 % some are left whole."""
    hosts = fleet(100)
    bad = {f"node{place}" for place in range(3, 100, 8)}
    allowed = Limits(unavailable=Share(part=0.1), failed=Share(part=0.2), hosts=100)

    def outcomes(name):
        return f"step-failed:{name}" if name in bad and name != "node11" else None

    begun, why, _entries = outcome_of(hosts, allowed, outcomes)
    assert (len(begun), why) == (100, "")
    begun, why, entries = outcome_of(hosts, replace(allowed, failed=Share(part=0.05)), outcomes)
    assert why == "too-many-failed"
    assert 20 <= len(begun) < 50
    untouched = [entry for entry in entries if entry.standing is Standing.WAITING]
    assert len(untouched) == 100 - len(begun)


def test_three_failures_in_a_row_stop_whatever_the_share_is():
    limits = Limits(canary=0, unavailable=Share(count=9), failed=Share(part=1.0), hosts=40)
    hosts = marked(fleet(40), Standing.GOOD, *(f"node{place}" for place in range(30)))
    hosts = marked(hosts, Standing.FAILED, "node30", "node31")
    assert not brake(hosts, limits)
    assert brake(marked(hosts, Standing.FAILED, "node32"), limits) == "failures-in-a-row"


@pytest.mark.parametrize(("failed", "why"), [(1, ""), (2, "too-many-failed")])
def test_a_count_of_failures_is_a_count(failed, why):
    hosts = marked(fleet(40), Standing.GOOD, "node0", "node1", "node2", "node3")
    hosts = marked(hosts, Standing.FAILED, *(f"node{4 + place}" for place in range(failed)))
    assert brake(hosts, replace(MANY, failed=Share(count=2))) == why


def test_the_brake_begins_nobody_and_ends_nobody():
    hosts = marked(fleet(40), Standing.FAILED, "node0", "node1")
    hosts = marked(hosts, Standing.RUNNING, "node2")
    answer = admit(hosts, MANY)
    assert answer.begin == ()
    assert answer.brake

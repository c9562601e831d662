"""Packages are brought to a host by digest, from where an earlier try ended, and hashed there."""

from pathlib import Path

import pytest

from npudoctor.errors import IncompleteError
from npudoctor.provision.run import stage as module
from npudoctor.provision.run.begin import Blocked
from npudoctor.provision.run.stage import File, needed, retried, stage
from tests.provision.world import plan

FILES = {"d1": File("driver.run", 10, Path("/packages/driver.run")), "d2": File("ops.run", 20, None)}


class Store:
    """The store of one host: bytes that are there by digest, -1 where it is whole."""

    def __init__(self, monkeypatch, **there):
        self.there = there
        self.pushed = []
        self.damages = False
        monkeypatch.setattr(module, "ask", self.ask)

    def ask(self, _way, verb, within, **request):
        if verb == "stored":
            return {digest: self.there.get(digest, 0) for digest in request["digests"]}
        if not self.damages:
            self.fetch(request["digests"])
        return dict.fromkeys(request["digests"], not self.damages)

    def push(self, path, start, command, seconds, ended):
        self.pushed.append((str(path), start, ">>" in command))

    def fetch(self, digests):
        self.there |= dict.fromkeys(digests, -1)


def nobody(_name):
    pass


def test_only_what_is_not_there_is_sent(monkeypatch):
    store = Store(monkeypatch, d1=-1)
    stage(store, ["d1"], FILES, None, nobody)
    assert not store.pushed


def test_a_package_is_sent_from_where_an_earlier_try_ended(monkeypatch):
    store, told = Store(monkeypatch, d1=4), []
    stage(store, ["d1"], FILES, None, told.append)
    assert store.pushed == [("/packages/driver.run", 4, True)]
    assert told == ["driver.run"]


def test_nothing_more_is_sent_when_the_run_was_ended(monkeypatch):
    store = Store(monkeypatch)
    stage(store, ["d1"], FILES, None, nobody, lambda: True)
    assert not store.pushed


def test_a_part_that_is_longer_than_the_package_is_thrown_away(monkeypatch):
    store = Store(monkeypatch, d1=11)
    stage(store, ["d1"], FILES, None, nobody)
    assert store.pushed == [("/packages/driver.run", 0, False)]


def test_a_package_that_came_through_damaged_stops_the_host(monkeypatch):
    store = Store(monkeypatch)
    store.damages = True
    with pytest.raises(Blocked, match=r"driver.run came through damaged") as blocked:
        stage(store, ["d1"], FILES, None, nobody)
    assert blocked.value.key == "package-damaged"


def test_what_is_not_on_this_machine_is_fetched_by_the_host(monkeypatch):
    store, told = Store(monkeypatch), []
    stage(store, ["d2"], FILES, store.fetch, told.append)
    assert told == ["ops.run"]
    assert not store.pushed


MIRRORED = {"d1": File("driver.run", 10, Path("/store/d1"), mirrored=True), "d3": FILES["d1"]}


def test_what_is_at_a_mirror_is_fetched_by_the_host_and_not_sent(monkeypatch):
    store, told = Store(monkeypatch), []
    stage(store, ["d1", "d3"], MIRRORED, store.fetch, told.append)
    assert told == ["driver.run", "driver.run"]
    assert store.pushed == [("/packages/driver.run", 0, False)]


def test_a_mirror_that_the_host_does_not_reach_costs_nothing_but_time(monkeypatch):
    store = Store(monkeypatch)
    stage(store, ["d1"], MIRRORED, lambda _digests: None, nobody)
    assert store.pushed == [("/store/d1", 0, False)]


def test_a_package_that_is_nowhere_stops_the_host(monkeypatch):
    store = Store(monkeypatch)
    with pytest.raises(Blocked) as blocked:
        stage(store, ["d2"], FILES, None, nobody)
    assert blocked.value.key == "package-missing"
    with pytest.raises(Blocked):
        stage(store, ["d3"], FILES, lambda _digests: None, nobody)


def test_the_packages_of_the_way_back_are_brought_too_each_once():
    assert needed(plan("driver", "firmware")) == ["a" * 64, "b" * 64]


class Dropping:
    """A way that breaks off so many times."""

    def __init__(self, times):
        self.left, self.told = times, []

    def staged(self):
        self.left -= 1
        if self.left >= 0:
            raise IncompleteError("connection reset")
        return 6


@pytest.mark.parametrize("times", [0, 1, 2])
def test_a_connection_that_breaks_off_is_tried_again(times):
    dropping = Dropping(times)
    assert retried(dropping.staged, dropping.told.append, lambda: False, 0.0) == 6
    assert dropping.told == ["connection reset"] * times


@pytest.mark.parametrize(("times", "ended"), [(3, False), (1, True)])
def test_a_host_is_given_up_after_three_tries_or_when_the_run_is_ended(times, ended):
    dropping = Dropping(times)
    with pytest.raises(IncompleteError):
        retried(dropping.staged, dropping.told.append, lambda: ended, 0.0)
    assert dropping.left == 0


def test_a_neighbour_is_asked_before_all_else_and_what_it_does_not_give_is_sent(monkeypatch):
    both = {"d1": FILES["d1"], "d2": File("ops.run", 20, Path("/packages/ops.run"))}
    store = Store(monkeypatch, d1=4)

    def near(missing):
        assert missing == ["d1", "d2"]
        store.fetch(["d2"])
        return True

    assert stage(store, ["d1", "d2"], both, None, nobody, near=near) == 6
    assert store.pushed == [("/packages/driver.run", 4, True)]

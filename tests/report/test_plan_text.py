"""The plan for a person: one screen, whatever the number of hosts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npudoctor.provision.plan.canonical import as_json
from npudoctor.provision.plan.survey import Surveyed
from npudoctor.report.plan_text import to_text
from npudoctor.report.style import Style
from tests.provision.plan.hosts import Shelf, bare, older, planner, seen

SCREEN = 50


def text_of(made, width=100, verbose=False):
    return "".join(to_text(made, Style(width, verbose=verbose), as_json(made)["sha256"]))


def fleet(make, name, number, **other):
    first = seen(make=make, **other)
    return [replace(first, name=f"{name}{place}") for place in range(1, number + 1)]


@pytest.fixture(scope="module")
def hundreds():
    hosts = fleet(older, "old", 200) + fleet(bare, "new", 90) + fleet(lambda found: found, "right", 40)
    hosts += fleet(older, "busy", 8, commands={"ls /proc/fd davinci": "4711 python3 /dev/davinci0\n"})
    hosts += [Surveyed("gone1", error="no route to host"), Surveyed("gone2", error="no route to host")]
    return planner().plan(hosts, "2026-11-30T02:00:00Z")


def test_hundreds_of_hosts_are_one_screen(hundreds):
    lines = text_of(hundreds).splitlines()
    assert len(lines) <= SCREEN
    assert max(map(len, lines)) <= 110
    assert lines[0] == (
        "340 hosts to a2-cann8.5.0-vllm0.13.0: 290 to change, 40 right already, 8 blocked, 2 not reached"
    )


def test_hosts_alike_are_told_once_with_from_what_to_what(hundreds):
    text = text_of(hundreds)
    assert "old[1-200], busy[1-8]  910B, aarch64, openEuler 22.03 SP4\n" in text
    assert text.count("7.7.0.2.220 → 7.8.0.5.216") == 1
    assert "about 20 min, one reboot; 8 blocked\n" in text
    assert "– → 25.5.0" in text
    assert "right[1-40]  910B, aarch64, openEuler 22.03 SP4\n    right already: nothing is done\n" in text


def test_what_is_in_the_way_is_told_with_its_fix_and_the_line_that_answers_it(hundreds):
    text = text_of(hundreds)
    blocked = text.partition("In the way\n")[2]
    assert "npu-in-use  busy[1-8]\n    NPUs are in use by process python3 (4711)\n" in blocked
    assert "      $ fuser -v /dev/davinci*\n" in blocked
    assert "npu-in-use: proceed   # The installer" in blocked
    assert "unreachable  gone[1-2]\n    it cannot be read: no route to host\n" in blocked


def test_many_groups_are_cut_short_and_say_so():
    hosts = [seen(f"n{number}", make=_driver(number)) for number in range(1, 31)]
    lines = text_of(planner().plan(hosts, "now")).splitlines()
    assert any(line.startswith("and 10 more groups; --format json names their hosts (10)") for line in lines)
    assert len(lines) < 2 * SCREEN


def _driver(number):
    return lambda found: older(found, driver=f"24.1.0.{number}")


def test_many_names_are_broken_into_lines():
    names = [f"{rack}-{place}" for rack in ("north", "south", "east", "west") for place in "abcdefghij"]
    text = text_of(planner().plan([seen(name, make=older) for name in names], "now"))
    assert max(map(len, text.splitlines())) <= 100
    assert all(name in " ".join(text.split()) for name in ("east-a", "more"))


def test_one_host_is_not_told_as_several():
    made = planner().plan([seen("n1", make=older)], "now")
    assert text_of(made).startswith("1 host to ")
    made = planner().plan([seen("n1", make=older), seen("n2", make=older)], "now")
    assert text_of(made).startswith("2 hosts to ")


def test_no_way_back_is_said_beside_the_step():
    made = planner(shelf=Shelf(missing=["25.2.0"])).plan([seen(make=older)], "now")
    line = next(line for line in text_of(made).splitlines() if line.strip().startswith("driver"))
    assert line.endswith("no way back")


def test_a_narrow_terminal_is_kept_to(hundreds):
    assert max(map(len, text_of(hundreds, width=60).splitlines())) <= 110

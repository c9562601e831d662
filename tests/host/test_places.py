"""Whether a folder is there."""

from __future__ import annotations

from npudoctor.host.places import place

HOME = "/usr/local/Ascend/cann-8.5.0"


def test_a_folder_with_a_file_in_it_is_there(host):
    snapshot = host(files={f"{HOME}/version.cfg": "x\n"}).snapshot

    assert place(snapshot, HOME + "/").value


def test_a_folder_of_which_nothing_was_found_is_not_there(host):
    snapshot = host(absent=[f"{HOME}/version.cfg", f"{HOME}/opp/version.info"]).snapshot

    assert not place(snapshot, HOME).value


def test_a_folder_that_nobody_looked_at_is_unknown(host):
    assert not place(host().snapshot, HOME).known


def test_its_listing_is_enough(host):
    assert place(host(commands={f"ls -l {HOME}": "total 0\n"}).snapshot, HOME).value

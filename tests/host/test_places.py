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


def test_a_folder_below_which_something_was_listed_is_there(host):
    snapshot = host(
        commands={f"ls {HOME}/opp/vendors": "mine\n"}, absent=[f"{HOME}/opp/version.info"]
    ).snapshot

    assert place(snapshot, f"{HOME}/opp").value


def test_a_folder_that_nobody_looked_at_is_unknown(host):
    assert not place(host().snapshot, HOME).known


def test_its_listing_is_enough(host):
    assert place(host(commands={f"ls -l {HOME}": "total 0\n"}).snapshot, HOME).value


def test_a_folder_that_the_listing_above_it_lacks_is_not_there(host):
    listed = host(
        commands={"ls -l /usr/local/Ascend": "total 4\nlrwxrwxrwx 1 root root 10 cann -> cann-8.5.0\n"}
    )

    fact = place(listed.snapshot, "/usr/local/Ascend/cann-8.9.0/opp")

    assert (fact.value, fact.evidence[0].text) == (False, "no cann-8.9.0")


def test_a_folder_below_one_that_is_listed_is_not_known(host):
    listed = host(
        commands={"ls -l /usr/local/Ascend": "total 4\nlrwxrwxrwx 1 root root 10 cann -> cann-8.5.0\n"}
    )

    assert not place(listed.snapshot, "/usr/local/Ascend/cann/opp").known

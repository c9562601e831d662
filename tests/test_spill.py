"""Things of many hosts that lie on a disk."""

import os
import resource

import pytest

from npudoctor.errors import NpudoctorError
from npudoctor.fact import Unavailable, known, unavailable
from npudoctor.spill import Spill


def filled(places, kept=2):
    spill = Spill(kept)
    for place in places:
        spill.put(place, f"host {place}")
    return spill


def test_things_come_back_in_the_order_of_their_places_as_often_as_is_wanted():
    spill = filled([4, 0, 3, 1, 2])
    assert len(spill) == 5
    assert list(spill) == list(spill) == [f"host {place}" for place in range(5)]
    assert "host 3" in spill


def test_two_readers_do_not_disturb_each_other():
    spill = filled(range(5))
    assert list(zip(spill, spill, strict=True)) == [(thing, thing) for thing in spill]


def test_few_things_cost_no_file_and_many_leave_none_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    open_before = len(os.listdir("/proc/self/fd"))
    few = filled(range(2))
    assert len(os.listdir("/proc/self/fd")) == open_before
    many = filled(range(3))
    assert len(os.listdir("/proc/self/fd")) == open_before + 1
    assert os.listdir(tmp_path) == []
    assert (len(few), len(many)) == (2, 3)


def test_facts_come_back_with_their_evidence_and_their_reasons():
    spill = Spill(0)
    spill.put(0, (known("25.5.0", "version.info"), unavailable("denied", "dmesg", "denied")))
    ((version, log),) = spill
    assert version == known("25.5.0", "version.info")
    assert isinstance(log.content, Unavailable)
    assert (log.content.why, log.content.source, log.content.reason) == ("denied", "dmesg", "denied")


def test_a_full_disk_is_an_error_that_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(NpudoctorError, match=r"does not fit into .*; set TMPDIR to a folder with room"):
            filled(range(9))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_no_folder_for_temporary_files_is_such_an_error_too(monkeypatch):
    monkeypatch.setenv("TMPDIR", "/proc/nowhere")
    monkeypatch.setattr("tempfile.tempdir", "/proc/nowhere")
    with pytest.raises(NpudoctorError, match="set TMPDIR"):
        filled(range(9))

"""The states of one host: what follows on what, beyond what the crash test proves."""

from dataclasses import replace

import pytest

from npudoctor.errors import IncompleteError
from npudoctor.provision.machine import (
    Effect,
    Look,
    State,
    Verb,
    Verdict,
    Wait,
    Write,
    kept,
    next_ops,
    opened,
    reopened,
    turned_back,
    undo_order,
)
from npudoctor.provision.planned import Undo
from npudoctor.provision.record import Phase, Way, as_text, of_text
from tests.provision.world import plan, step

LOOK = Look("boot1", 100.0, drained=True)
WANTED = dict.fromkeys(("firmware", "driver", "toolkit"), State.WANTED)
BEFORE = dict.fromkeys(("firmware", "driver", "toolkit"), State.BEFORE)


def record(phase, **fields):
    return replace(opened("run1", "stack", plan(), LOOK), phase=phase, **fields)


def only(ops):
    assert len(ops) == 1
    return ops[0]


def written(ops):
    found = ops[-1]
    assert isinstance(found, Write)
    return found.record


def test_steps_are_done_in_the_order_of_the_plan_and_intent_comes_first():
    intent, effect = next_ops(record(Phase.APPLY), replace(LOOK, states=BEFORE))
    assert intent.record.tries == {"firmware": 1}
    assert effect == Effect(Verb.APPLY, "firmware")
    _intent, effect = next_ops(
        record(Phase.APPLY), replace(LOOK, states={**BEFORE, "firmware": State.WANTED})
    )
    assert effect == Effect(Verb.APPLY, "driver")


def test_a_service_that_was_waited_for_in_vain_is_not_tried_again():
    tried = record(Phase.APPLY, group=1, tries={"toolkit": 1})
    look = replace(LOOK, states={**WANTED, "toolkit": State.BEFORE}, failures={"toolkit": "not-ready"})
    bundle, back = next_ops(tried, look)
    assert bundle == Effect(Verb.BUNDLE)
    assert (back.record.phase, back.record.reason) == (Phase.UNDO, "not-ready")
    again = next_ops(tried, replace(look, failures={"toolkit": "step-failed:toolkit"}))
    assert again[1] == Effect(Verb.APPLY, "toolkit")


def test_what_the_kernel_needs_is_verified_before_the_rest_is_begun():
    look = replace(LOOK, states={**WANTED, "toolkit": State.BEFORE})
    assert written(next_ops(record(Phase.APPLY), look)).phase is Phase.SETTLE
    verified = replace(look, verdict=Verdict(True, "", "boot1"))
    after = written(next_ops(record(Phase.VERIFY), verified))
    assert (after.phase, after.group) == (Phase.APPLY, 1)
    assert next_ops(after, look)[1] == Effect(Verb.APPLY, "toolkit")


def test_an_installer_that_still_runs_is_waited_for_and_none_is_begun_beside_it():
    look = replace(LOOK, states=BEFORE, installing=("driver",))
    assert isinstance(only(next_ops(record(Phase.APPLY), look)), Wait)
    assert isinstance(only(next_ops(record(Phase.UNDO, tries={"driver": 1}), look)), Wait)


def test_a_reboot_that_only_the_installer_asked_for_is_made():
    look = replace(LOOK, states=WANTED, reboot=("driver: There are some chips not ready",))
    after = written(next_ops(record(Phase.APPLY, group=1), look))
    assert (after.phase, after.boot_before) == (Phase.REBOOT, "boot1")


def test_a_host_that_still_wants_a_reboot_after_one_is_not_verified():
    look = replace(LOOK, reboot=("driver",), states=WANTED, verdict=Verdict(True, "", "boot1"))
    bundle, back = next_ops(record(Phase.VERIFY), look)
    assert bundle == Effect(Verb.BUNDLE)
    assert (back.record.phase, back.record.reason) == (Phase.UNDO, "check:reboot")


def test_a_reboot_under_way_is_waited_for_and_asked_for_again_when_it_evidently_was_not():
    asked = record(Phase.REBOOT, boot_before="boot1", asks=1, asked=100.0)
    assert isinstance(only(next_ops(asked, replace(LOOK, uptime=150.0))), Wait)
    assert isinstance(only(next_ops(asked, replace(LOOK, uptime=9999.0, going_down=True))), Wait)
    again, effect = next_ops(asked, replace(LOOK, uptime=9999.0))
    assert (again.record.asks, effect) == (2, Effect(Verb.REBOOT))


def test_a_host_that_does_not_reboot_when_asked_three_times_is_stuck():
    asked = record(Phase.REBOOT, boot_before="boot1", asks=3, asked=100.0)
    after = written(next_ops(asked, replace(LOOK, uptime=9999.0)))
    assert (after.phase, after.reason) == (Phase.STUCK, "no-reboot")


def test_a_host_that_boots_by_itself_three_times_is_left_alone():
    seen = record(Phase.SETTLE)
    for boot in ("boot2", "boot3"):
        seen = written(next_ops(seen, replace(LOOK, boot=boot)))
        assert seen.phase is Phase.SETTLE
    seen = written(next_ops(seen, replace(LOOK, boot="boot4")))
    assert (seen.phase, seen.reason) == (Phase.STUCK, "boots-by-itself")


def test_a_host_settles_until_it_has_answered_well_or_long_enough():
    settling = record(Phase.SETTLE, since=100.0)
    assert isinstance(only(next_ops(settling, LOOK)), Wait)
    assert written(next_ops(settling, replace(LOOK, settled=True))).phase is Phase.VERIFY
    assert written(next_ops(settling, replace(LOOK, uptime=9999.0))).phase is Phase.VERIFY


def test_a_host_whose_work_does_not_end_is_given_back_unchanged():
    busy = replace(LOOK, idle=False)
    draining = record(Phase.DRAIN, since=100.0)
    assert isinstance(only(next_ops(draining, busy)), Wait)
    back, end = next_ops(draining, replace(busy, uptime=9999.0))
    assert back == Effect(Verb.GIVE_BACK)
    assert (end.record.phase, end.record.reason) == (Phase.BLOCKED, "npu-in-use")


def test_a_host_that_was_out_of_service_before_is_not_given_back():
    look = replace(LOOK, foreign=True)
    assert opened("run1", "stack", plan(), look).foreign
    verified = record(Phase.VERIFIED, foreign=True, verified="boot1")
    assert written(next_ops(verified, LOOK)).phase is Phase.DONE
    assert len(next_ops(verified, LOOK)) == 1


def test_a_verdict_of_another_boot_counts_for_nothing():
    look = replace(LOOK, states=WANTED, verdict=Verdict(True, "", "boot0"))
    assert isinstance(only(next_ops(record(Phase.VERIFY), look)), Wait)


def test_a_step_without_a_way_back_leaves_the_host_stuck_rather_than_half_of_each():
    begun = replace(record(Phase.UNDO, tries={"firmware": 1, "driver": 1}), host=plan(undo=Undo.FORWARD))
    after = written(next_ops(begun, replace(LOOK, states=WANTED)))
    assert (after.phase, after.reason) == (Phase.STUCK, "no-way-back:firmware")


ALL_TRIED = {"firmware": 1, "driver": 1, "toolkit": 2}


def test_where_what_comes_later_fails_what_had_verified_stays():
    failing = record(Phase.APPLY, group=1, tries=ALL_TRIED)
    back = written(next_ops(failing, replace(LOOK, states={**WANTED, "toolkit": State.OTHER})))
    assert [each.component for each in kept(back)] == ["firmware", "driver"]
    assert next_ops(back, replace(LOOK, states={**WANTED, "toolkit": State.OTHER}))[1] == Effect(
        Verb.UNDO, "toolkit"
    )
    undone = replace(LOOK, states={**WANTED, "toolkit": State.BEFORE})
    assert written(next_ops(back, undone)).phase is Phase.SETTLE
    verify = replace(back, phase=Phase.VERIFY)
    good = replace(undone, verdict=Verdict(True, "", "boot1"))
    assert written(next_ops(verify, good)).phase is Phase.VERIFIED


def on_the_way_back(phase, **fields):
    return record(phase, way=Way.DOWN, group=1, reason="step-failed:toolkit", **fields)


def test_what_had_verified_goes_back_too_where_the_host_is_not_right_with_it():
    bad = replace(LOOK, verdict=Verdict(False, "check:driver.cann_pairing", "boot1"))
    further = written(next_ops(on_the_way_back(Phase.VERIFY), bad))
    assert (further.phase, further.group, further.reason) == (Phase.UNDO, 0, "step-failed:toolkit")
    assert further.tries == {"firmware": 1, "driver": 1}
    assert next_ops(further, replace(LOOK, states=WANTED))[1] == Effect(Verb.UNDO, "firmware")


def test_it_stays_out_of_service_where_that_has_no_way_back():
    bad = replace(LOOK, verdict=Verdict(False, "check:driver.cann_pairing", "boot1"))
    forward = replace(on_the_way_back(Phase.VERIFY), host=plan(undo=Undo.FORWARD))
    end = written(next_ops(forward, bad))
    assert (end.phase, end.reason) == (Phase.STUCK, "check:driver.cann_pairing")


def test_what_should_have_stayed_and_is_not_whole_goes_back_too():
    look = replace(LOOK, states={**BEFORE, "firmware": State.WANTED, "driver": State.OTHER})
    further = written(next_ops(on_the_way_back(Phase.UNDO), look))
    assert (further.phase, further.group) == (Phase.UNDO, 0)


def test_what_was_not_begun_is_not_undone():
    begun = record(Phase.UNDO, way=Way.DOWN, tries={"firmware": 1})
    look = replace(LOOK, states={**BEFORE, "driver": State.OTHER})
    assert written(next_ops(begun, look)).phase is Phase.SETTLE


@pytest.mark.parametrize(
    ("order", "back"),
    [
        (("firmware", "driver", "toolkit"), ["toolkit", "firmware", "driver"]),
        (("driver", "firmware", "toolkit"), ["toolkit", "firmware", "driver"]),
        (("host_tuning", "driver", "toolkit", "ops"), ["toolkit", "ops", "driver", "host_tuning"]),
        (("firmware",), ["firmware"]),
    ],
)
def test_the_way_back_is_the_other_way_round_but_for_what_must_be_there_before_the_next(order, back):
    assert [each.component for each in undo_order(map(step, order))] == back


def test_a_retry_counts_anew_and_remembers_who_drained_the_host():
    stuck = record(Phase.STUCK, foreign=True, tries={"driver": 2}, undone={"driver": 2}, reason="x", boots=2)
    again = reopened(stuck, "run2", LOOK)
    assert (again.phase, again.way, again.run) == (Phase.OPEN, Way.UP, "run2")
    assert (again.tries, again.undone, again.boots, again.reason) == ({}, {}, 0, "")
    assert again.foreign
    assert again.host == stuck.host


def test_a_rollback_undoes_every_step_of_the_last_run():
    done = record(Phase.DONE, tries={"firmware": 1})
    back = turned_back(done, "run2", replace(LOOK, foreign=False))
    assert (back.phase, back.way) == (Phase.UNDO, Way.DOWN)
    assert back.tries == {"firmware": 1, "driver": 1, "toolkit": 1}


def test_a_rollback_takes_back_what_had_stayed():
    stayed = on_the_way_back(Phase.ROLLED_BACK, tries=ALL_TRIED)
    back = turned_back(stayed, "run2", LOOK)
    assert (back.group, kept(back)) == (0, [])


# --- the record


def test_a_record_comes_back_from_the_disk_as_it_was():
    whole = record(
        Phase.REBOOT, way=Way.DOWN, tries={"driver": 1}, boot_before="boot1", asks=2, asked=12.5,
        baseline={"npu.health": "pass"}, files={"a" * 64: ("driver.run", 5)},
    )  # fmt: skip
    assert of_text(as_text(whole, 7)) == whole


@pytest.mark.parametrize("damage", [lambda text: text[:-9], lambda text: text.replace("run1", "run9")])
def test_a_record_that_was_cut_off_or_changed_is_not_believed(damage):
    with pytest.raises(IncompleteError, match="record of an earlier run cannot be read"):
        of_text(damage(as_text(record(Phase.OPEN), 1)))

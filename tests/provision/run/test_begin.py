"""With which record a run begins on a host, by what lies there already."""

from dataclasses import replace

import pytest

from npudoctor.provision.machine import Look, opened
from npudoctor.provision.planned import Outcome
from npudoctor.provision.record import Phase, Way
from npudoctor.provision.run.begin import Beginning, Blocked, Converged
from tests.provision.world import plan

LOOK = Look("boot1", 100.0, drained=True, baseline={"npu.health": "pass"})
PLAN = plan()
RUN = Beginning("run2", "stack", files={"a" * 64: ("driver.run", 5)})


def begun(record, beginning=RUN, fresh=PLAN):
    return beginning.of(PLAN, lambda: fresh)(record, LOOK)


def earlier(phase, stack="stack", run="run1"):
    return replace(opened(run, stack, PLAN, LOOK), phase=phase)


def test_a_host_without_a_record_is_opened_with_what_it_is_found_as():
    record = begun(None)
    assert (record.run, record.phase, record.host) == ("run2", Phase.OPEN, PLAN)
    assert record.baseline == {"npu.health": "pass"}
    assert record.files == {"a" * 64: ("driver.run", 5)}


@pytest.mark.parametrize("phase", [Phase.DONE, Phase.ROLLED_BACK, Phase.BLOCKED])
def test_a_host_on_which_an_earlier_run_has_ended_is_opened_anew(phase):
    assert begun(earlier(phase)).run == "run2"


@pytest.mark.parametrize("phase", Phase)
def test_a_run_that_is_resumed_goes_on_with_its_own_record(phase):
    assert begun(earlier(phase, run="run2")) is None


def test_what_another_run_began_towards_the_same_stack_is_brought_to_its_end_by_its_own_plan():
    record = begun(earlier(Phase.REBOOT), fresh=None)
    assert (record.run, record.phase) == ("run2", Phase.REBOOT)


def test_what_another_run_began_towards_another_stack_is_left_alone():
    with pytest.raises(Blocked, match="on its way to other") as blocked:
        begun(earlier(Phase.REBOOT, stack="other"))
    assert blocked.value.key == "unfinished-run"


def test_a_stuck_host_is_left_alone_until_a_person_says_retry():
    with pytest.raises(Blocked) as blocked:
        begun(earlier(Phase.STUCK))
    assert blocked.value.key == "stuck"
    again = begun(replace(earlier(Phase.STUCK), tries={"driver": 2}), replace(RUN, retry=True))
    assert (again.phase, again.tries, again.run) == (Phase.OPEN, {}, "run2")


def test_a_stuck_host_can_be_tried_with_another_stack_and_stays_out_of_service_if_it_was():
    stuck = replace(earlier(Phase.STUCK, stack="bad"), foreign=True)
    again = begun(stuck, replace(RUN, retry=True))
    assert (again.stack, again.foreign) == ("stack", True)


def test_a_host_that_has_changed_since_the_plan_is_left_alone():
    moved = replace(PLAN, fingerprint="e" * 64, basis={"kernel": "6.1"})
    with pytest.raises(Blocked, match="kernel") as blocked:
        begun(None, fresh=moved)
    assert blocked.value.key == "moved"


def test_a_host_that_somebody_else_has_brought_there_is_converged():
    with pytest.raises(Converged):
        begun(None, fresh=replace(PLAN, outcome=Outcome.CONVERGED))


def test_a_host_on_which_an_installer_runs_is_not_begun():
    with pytest.raises(Blocked) as blocked:
        begun(None, fresh=None)
    assert blocked.value.key == "installer-running"


# --- back


BACK = replace(RUN, rollback=True)


@pytest.mark.parametrize("phase", [Phase.DONE, Phase.STUCK, Phase.VERIFY, Phase.APPLY])
def test_a_rollback_turns_a_host_round_wherever_it_is(phase):
    record = begun(earlier(phase), BACK)
    assert (record.phase, record.way, record.run) == (Phase.UNDO, Way.DOWN, "run2")


def test_a_rollback_of_a_host_that_is_back_does_nothing():
    assert begun(earlier(Phase.ROLLED_BACK), BACK) is None


def test_a_rollback_takes_back_what_had_stayed_when_the_rest_failed():
    stayed = replace(earlier(Phase.ROLLED_BACK), way=Way.DOWN, group=1)
    assert begun(stayed, BACK).phase is Phase.UNDO


def test_a_rollback_of_a_host_that_no_run_has_changed_is_refused():
    with pytest.raises(Blocked) as blocked:
        begun(None, BACK)
    assert blocked.value.key == "no-record"

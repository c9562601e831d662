"""The real effects on one host, with an agent, a doctor and Ansible that answer what a test says."""

from dataclasses import replace

import pytest

from npudoctor.collect.inventory import Become, Target
from npudoctor.errors import NpudoctorError
from npudoctor.matrix import load_matrix
from npudoctor.provision.effects import host as module
from npudoctor.provision.effects.doctor import Survey
from npudoctor.provision.effects.drain import Nobody, Service
from npudoctor.provision.effects.host import HostEffects, Tools
from npudoctor.provision.effects.protocol import Fenced, StepFailed
from npudoctor.provision.lease import owner
from npudoctor.provision.machine import Effect, Look, State, Verb, opened
from npudoctor.provision.record import Phase, as_text
from npudoctor.provision.verdict import CORE
from tests.provision.world import plan

STACK = "a2-cann8.5.0-vllm0.13.0"
PLAN = plan("driver")
GOOD = dict.fromkeys(CORE, "pass")


class Scheduler:
    def __init__(self):
        self.service, self.calls = Service(drained=False), []

    def state(self, _host):
        return self.service

    def drain(self, host, run):
        self.calls.append(("drain", host, run))

    def urge(self, host):
        self.calls.append(("urge", host))

    def give_back(self, host):
        self.calls.append(("give-back", host))


class Surroundings:
    """All that effects use, and what was asked of it."""

    def __init__(self, monkeypatch, become=None):
        self.target = Target("node1", "10.0.0.1", become=become)
        self.asked, self.played, self.surveys = [], [], []
        self.statuses, self.left, self.says = dict(GOOD), PLAN, []
        self.seen = {
            "boot": "boot1", "uptime": 60.0, "now": 1000.0, "python": "/usr/bin/python3", "record": "",
            "lease": {}, "half": [], "installing": [], "disk": {"driver": "old", "firmware": ""},
            "aspm": {"written": False, "runs": False}, "reboot": [], "failures": {}, "system": "running",
            "trouble": [], "busy": [],
        }  # fmt: skip
        self.drain, self.roles = Scheduler(), {}
        monkeypatch.setattr(module, "ask", self.ask)

    def ask(self, _way, verb, **request):
        self.asked.append((verb, request))
        return {"look": self.seen, "take": {"fence": 5}}.get(verb, {})

    def survey(self, _target, _domain, record):
        self.surveys.append(record)
        return Survey(self.left, self.statuses, self.seen["boot"])

    def run(self, playbook, _target, variables, _seconds):
        self.played.append((playbook, variables))
        return self.says

    def effects(self, drain=None):
        variables = lambda _record, _step: {"npudoctor_run": "run1"}  # noqa: E731
        tools = Tools(
            "run1", self, self, drain or self.drain, load_matrix(), variables, lambda _way, _name: None
        )
        return HostEffects(self, tools)

    def record(self, phase, **fields):
        record = replace(opened("run1", STACK, PLAN, Look("boot1")), phase=phase, **fields)
        self.seen["record"] = as_text(record, 1)
        return record


@pytest.fixture
def around(monkeypatch):
    return Surroundings(monkeypatch)


def verbs(around):
    return [verb for verb, _request in around.asked]


def test_a_host_without_a_record_is_read_and_what_is_found_is_its_baseline(around):
    record, look = around.effects().look()
    assert record is None
    assert look.baseline == GOOD
    assert around.surveys == [None]
    assert verbs(around) == ["look"]


@pytest.mark.parametrize(
    ("phase", "read"),
    [
        (Phase.APPLY, True),
        (Phase.UNDO, True),
        (Phase.REBOOT, False),
        (Phase.DRAIN, False),
        (Phase.DONE, False),
    ],
)
def test_a_host_is_read_as_a_whole_only_where_what_is_there_decides(around, phase, read):
    around.record(phase)
    around.effects().look()
    assert bool(around.surveys) is read


def test_a_host_on_which_an_installer_runs_is_not_read(around):
    around.record(Phase.APPLY)
    around.seen["installing"] = ["driver"]
    _record, look = around.effects().look()
    assert not around.surveys
    assert look.installing == ("driver",)


def test_what_is_left_to_do_says_where_a_component_is(around):
    around.record(Phase.APPLY)
    assert around.effects().look()[1].states == {"driver": State.BEFORE}
    around.seen["disk"]["driver"], around.left = "new", replace(PLAN, steps=())
    assert around.effects().look()[1].states == {"driver": State.WANTED}


def test_nothing_is_written_before_the_host_is_taken_and_then_with_its_fence_number(around):
    effects = around.effects()
    effects.look()
    effects.write(around.record(Phase.OPEN))
    assert verbs(around) == ["look", "take", "write"]
    assert around.asked[1][1]["seen"] == 0
    assert around.asked[2][1]["fence"] == 5


def test_a_host_that_another_run_works_on_is_left_alone(around):
    around.seen["lease"] = {"run": "run9", "host": "elsewhere", "until": 2000.0, "fence": 3}
    effects = around.effects()
    effects.look()
    with pytest.raises(Fenced, match=r"run9 \(elsewhere\)"):
        effects.write(around.record(Phase.OPEN))


@pytest.mark.parametrize(
    "lease",
    [
        {"run": "run9", "host": "elsewhere", "until": 999.0, "fence": 3},
        {"run": "run1", "host": "elsewhere", "until": 2000.0, "fence": 3},
        {**owner("run9"), "pid": 2**22 + 1, "start": "1", "until": 2000.0, "fence": 3},
    ],
    ids=["ended", "ours", "of a process of this machine that died"],
)
def test_a_host_whose_lease_holds_no_more_is_taken_over(around, lease):
    around.seen["lease"] = lease
    effects = around.effects()
    effects.look()
    effects.write(around.record(Phase.OPEN))
    assert around.asked[1] == ("take", {"seen": 3, "owner": owner("run1"), "seconds": 180.0})


def test_a_host_is_let_go_when_it_has_come_to_its_end(around):
    effects = around.effects()
    effects.look()
    effects.write(around.record(Phase.DONE))
    request = around.asked[-1][1]
    assert request["seconds"] == 0.0
    assert request["receipt"]["components"][0]["component"] == "driver"


@pytest.mark.parametrize("phase", [Phase.OPEN, Phase.DONE, Phase.ROLLED_BACK])
def test_who_logs_in_is_told_of_a_host_that_is_stuck_and_of_no_other(around, phase):
    effects = around.effects()
    effects.look()
    effects.write(around.record(Phase.STUCK, reason="undo-failed:driver"))
    told = around.asked[-1][1]["mark"]
    assert "run run1 left this host stuck (undo-failed:driver)" in told
    assert told.endswith("\nnpudoctor provision retry run1\n")
    effects.write(around.record(phase))
    assert around.asked[-1][1]["mark"] == ""


def test_a_host_is_held_for_as_long_as_its_next_step_may_take(around):
    effects = around.effects()
    effects.look()
    effects.write(around.record(Phase.APPLY))
    assert around.asked[-1][1]["seconds"] > 1800


def test_a_step_is_played_with_the_python_that_is_there_and_the_fence(around):
    around.record(Phase.APPLY)
    effects = around.effects()
    record, _look = effects.look()
    effects.perform(Effect(Verb.APPLY, "driver"), record)
    playbook, variables = around.played[0]
    assert playbook == "step.yml"
    assert variables["npudoctor_component"] == "driver"
    assert variables["npudoctor_verb"] == "apply"
    assert variables["npudoctor_fence"] == "5"
    assert variables["ansible_python_interpreter"] == "/usr/bin/python3"
    assert variables["ansible_become"] is False


def test_a_host_that_is_entered_as_another_user_is_changed_as_root(monkeypatch):
    around = Surroundings(monkeypatch, Become())
    around.record(Phase.APPLY)
    effects = around.effects()
    record, _look = effects.look()
    effects.perform(Effect(Verb.UNDO, "driver"), record)
    assert "ansible_become" not in around.played[0][1]


def test_a_drain_is_not_lifted_by_a_run_that_was_overtaken(around):
    effects = around.effects()
    record, _look = around.record(Phase.VERIFIED), effects.look()
    effects.perform(Effect(Verb.GIVE_BACK), record)
    assert verbs(around)[-1] == "check"
    assert around.drain.calls == [("give-back", "node1")]


@pytest.mark.parametrize(
    ("phase", "service", "asked"),
    [
        (Phase.DRAIN, Service(drained=True, idle=False, ours=True), [("urge", "node1")]),
        (Phase.DRAIN, Service(drained=True, idle=True, ours=True), []),
        (Phase.DRAIN, Service(drained=True, idle=False), []),
        (Phase.APPLY, Service(drained=True, idle=False, ours=True), []),
    ],
)
def test_while_its_work_is_waited_for_the_scheduler_is_asked_again(around, phase, service, asked):
    around.record(phase)
    around.drain.service = service
    assert around.effects().look()[1].idle == service.idle
    assert around.drain.calls == asked
    assert ("check" in verbs(around)) == bool(asked)


def test_a_reboot_is_asked_for_in_the_boot_in_which_it_was_decided(around):
    effects = around.effects()
    effects.look()
    effects.perform(Effect(Verb.REBOOT), around.record(Phase.REBOOT))
    assert around.asked[-1][0] == "reboot"
    assert around.asked[-1][1]["boot"] == "boot1"


def test_without_a_scheduler_a_host_is_out_of_service_and_its_work_is_not_waited_for(around):
    around.seen["busy"] = ["python3 (12)"]
    _record, look = around.effects(Nobody()).look()
    assert look.drained
    assert look.foreign
    assert not look.idle
    assert look.patience == 0.0
    _record, look = around.effects().look()
    assert look.patience > 0


def test_work_that_a_person_let_pass_is_not_waited_for(around):
    around.seen["busy"] = ["python3 (12)"]
    around.record(Phase.DRAIN, host=replace(PLAN, accepted=("npu-in-use",)))
    assert around.effects().look()[1].idle


def test_npus_that_the_service_holds_are_not_in_the_way_of_a_change_of_the_service_alone(around):
    around.seen["busy"] = ["python3 (12)"]
    around.record(Phase.DRAIN, host=plan("serving"))
    assert around.effects(Nobody()).look()[1].idle
    around.record(Phase.DRAIN, host=plan("driver", "serving"))
    assert not around.effects(Nobody()).look()[1].idle


def test_what_went_wrong_with_a_step_is_known_to_the_next_look_until_it_is_tried_again(around):
    effects = around.effects()
    record = around.record(Phase.APPLY)
    effects.look()
    blockers = [{"key": "not-ready", "message": "no answer", "fix": ""}]
    around.says = [{"event": "failed", "result": {"blockers": blockers}}]
    with pytest.raises(StepFailed):
        effects.perform(Effect(Verb.APPLY, "driver"), record)
    assert effects.look()[1].failures == {"driver": "not-ready"}
    around.says = []
    effects.perform(Effect(Verb.APPLY, "driver"), record)
    assert effects.look()[1].failures == {}


def test_only_the_start_of_a_service_waits_as_long_as_the_inventory_says(around):
    around.target = replace(around.target, serving='{"serving_ready_seconds": 90}')
    effects = around.effects()
    assert effects.at_most(Effect(Verb.APPLY, "serving")) == 90.0
    assert effects.at_most(Effect(Verb.UNDO, "serving")) == 0.0
    assert effects.at_most(Effect(Verb.APPLY, "driver")) == 0.0


def settles(around, answers):
    effects = around.effects()
    around.record(Phase.SETTLE)
    return [effects.look()[1].settled for _answer in range(answers)]


def test_a_host_that_has_just_booted_settles_with_its_third_good_answer(around):
    assert settles(around, 4) == [False, False, True, True]


def test_a_host_that_is_long_up_settles_with_its_first(around):
    around.seen["uptime"] = 1e6
    assert settles(around, 1) == [True]


def test_trouble_that_stays_the_same_is_believed_in_the_end(around):
    around.seen["trouble"] = ["NPU 0 is Alarm"]
    assert settles(around, 13) == [False] * 11 + [True, True]


def test_a_host_that_is_still_starting_does_not_settle(around):
    around.seen["system"] = "starting"
    assert settles(around, 20) == [False] * 20


def test_npus_are_tried_when_all_checks_pass(around):
    around.record(Phase.VERIFY)
    around.says = [{"event": "ok", "result": {}}]
    _record, look = around.effects().look()
    assert look.verdict.ok
    assert around.played[0][1]["npudoctor_component"] == "verify"
    assert around.played[0][1]["verify_versions"] == {"driver": "25.5.0"}


def test_npus_that_no_program_gets_are_a_verdict(around):
    around.record(Phase.VERIFY)
    around.says = [{"event": "failed", "result": {"msg": "7 of 8 on PCI are up"}}]
    effects = around.effects()
    _record, look = effects.look()
    assert (look.verdict.ok, look.verdict.key) == (False, "verify")
    assert effects.said == "7 of 8 on PCI are up"


def test_npus_are_not_tried_where_a_check_fails(around):
    around.record(Phase.VERIFY)
    around.statuses["npu.health"] = "fail"
    _record, look = around.effects().look()
    assert look.verdict.key == "check:npu.health"
    assert not around.played


def test_a_bundle_that_cannot_be_had_is_a_failure_of_its_own(around):
    effects = around.effects()
    effects._tools = replace(effects._tools, bundle=lambda _way, _name: _raise(NpudoctorError("disk full")))
    with pytest.raises(StepFailed, match="disk full"):
        effects.perform(Effect(Verb.BUNDLE), around.record(Phase.VERIFY))


def _raise(error):
    raise error

"""Who gives work to a host: what Slurm and Kubernetes say of it, and that only what is ours is given back."""

import json

import pytest

from npudoctor.errors import UsageError
from npudoctor.provision.effects import drain
from npudoctor.provision.effects.drain import Kubernetes, Nobody, Service, Slurm
from npudoctor.provision.effects.protocol import StepFailed


@pytest.fixture
def program(monkeypatch):
    """What `scontrol` and `kubectl` answer, and how they were called."""
    calls, answers = [], {"get pods": '{"items": []}'}

    def said(*command, seconds=60.0):
        calls.append(command)
        return next((text for words, text in answers.items() if words in " ".join(command)), "")

    monkeypatch.setattr(drain, "_said", said)
    return calls, answers


def node(state, reason=""):
    why = f" Reason={reason} [root@2026-11-30T02:00:00]" if reason else ""
    return f"NodeName=node1 Arch=aarch64 CPUAlloc=0 State={state} ThreadsPerCore=1{why}\n"


@pytest.mark.parametrize(
    ("text", "service"),
    [
        (node("IDLE"), Service(drained=False)),
        (node("ALLOCATED"), Service(drained=False, idle=False)),
        (node("IDLE+DRAIN", "bad fan"), Service(drained=True)),
        (node("IDLE+DRAIN", "npudoctor run1"), Service(drained=True, ours=True)),
        (node("MIXED+DRAIN", "npudoctor run1"), Service(drained=True, idle=False, ours=True)),
        (node("COMPLETING+DRAIN", "x"), Service(drained=True, idle=False)),
        (node("DRAINED*"), Service(drained=True)),
        (node("IDLE+CLOUD+POWERED_DOWN~"), Service(drained=False)),
    ],
)
def test_what_slurm_says_of_a_node(program, text, service):
    program[1]["show node"] = text
    assert Slurm().state("node1") == service


def test_who_is_out_of_service_in_slurm_already(program):
    states = {"a": "IDLE", "b": "IDLE+DRAIN", "c": "DOWN*", "d": "ALLOCATED", "e": "DRAINED*"}
    program[1]["show node"] = "".join(node(state).replace("node1", name, 1) for name, state in states.items())
    assert Slurm().out() == {"b", "c", "e"}
    assert program[0] == [("scontrol", "--oneliner", "show", "node")]


def test_who_is_out_of_service_in_kubernetes_already(program):
    ready = {"conditions": [{"type": "Ready", "status": "True"}]}
    silent = {"conditions": [{"type": "Ready", "status": "Unknown"}]}
    nodes = [("a", {}, ready), ("b", {"unschedulable": True}, ready), ("c", {}, silent)]
    items = [{"metadata": {"name": name}, "spec": spec, "status": status} for name, spec, status in nodes]
    program[1]["get nodes"] = json.dumps({"items": items})
    assert Kubernetes().out() == {"b", "c"}


def test_slurm_that_does_not_know_the_node_is_a_failure_of_the_drain(program):
    program[1]["show node"] = "Node node1 not found"
    with pytest.raises(StepFailed):
        Slurm().state("node1")


def test_slurm_drains_in_our_name_and_resumes_only_what_carries_it(program):
    calls, answers = program
    Slurm().drain("node1", "run1")
    assert calls[-1] == ("scontrol", "update", "NodeName=node1", "State=DRAIN", "Reason=npudoctor run1")
    answers["show node"] = node("IDLE+DRAIN", "bad fan")
    Slurm().give_back("node1")
    assert "RESUME" not in " ".join(calls[-1])
    answers["show node"] = node("IDLE+DRAIN", "npudoctor run1")
    Slurm().give_back("node1")
    assert calls[-1] == ("scontrol", "update", "NodeName=node1", "State=RESUME")


def of_kubernetes(unschedulable, **annotations):
    spec = {"unschedulable": True} if unschedulable else {}
    return json.dumps({"metadata": {"annotations": annotations}, "spec": spec})


OURS = {"npudoctor.io/run": "run1"}


@pytest.mark.parametrize(
    ("text", "service"),
    [
        (of_kubernetes(False), Service(drained=False)),
        (of_kubernetes(True), Service(drained=True)),
        (of_kubernetes(True, **OURS), Service(drained=True, ours=True)),
    ],
)
def test_what_kubernetes_says_of_a_node(program, text, service):
    program[1]["get node"] = text
    assert Kubernetes().state("node1") == service


def pod(kind="ReplicaSet", phase="Running", **annotations):
    return {
        "metadata": {"ownerReferences": [{"kind": kind}], "annotations": annotations},
        "status": {"phase": phase},
    }


@pytest.mark.parametrize(
    ("pods", "idle"),
    [
        ([], True),
        (
            [pod("DaemonSet"), pod("Job", "Succeeded"), pod(**{"kubernetes.io/config.mirror": "1"})],
            True,
        ),
        ([pod("DaemonSet"), pod()], False),
        ([pod("Job", "Pending")], False),
        ([{"metadata": {}}], False),
    ],
)
def test_a_node_of_kubernetes_is_idle_when_the_pods_that_a_drain_ends_are_gone(program, pods, idle):
    program[1]["get pods"] = json.dumps({"items": pods})
    program[1]["get node"] = of_kubernetes(True, **OURS)
    assert Kubernetes().state("node1").idle is idle
    program[1]["get node"] = of_kubernetes(True)
    assert Kubernetes().state("node1").idle


TIME_OVER = (
    'error when waiting for pod "a" in namespace "b" to terminate: global timeout reached: 15s',
    "drain did not complete within 15s",
)
ALONE = "cannot delete Pods declare no controller (use --force to override): default/alone"


@pytest.fixture
def refusing(program, monkeypatch):
    """`refusing(text)`: as if `kubectl drain` failed so; in how many seconds it has to answer."""
    answered, allowed = drain._said, []

    def one(text):
        def said(*command, seconds=60.0):
            if command[1] == "drain":
                allowed.append(seconds)
                raise StepFailed("drain", f"kubectl: {text}")
            return answered(*command)

        monkeypatch.setattr(drain, "_said", said)
        return allowed

    return one


@pytest.mark.parametrize("text", TIME_OVER)
def test_pods_that_take_their_time_are_no_failure_and_hold_nobody(program, refusing, text):
    program[1]["get node"] = of_kubernetes(False)
    allowed = refusing(text)
    Kubernetes().drain("node1", "run1")
    Kubernetes().urge("node1")
    assert max(allowed) <= 90


def test_pods_that_nobody_would_start_again_are_told_once(program, refusing):
    program[1]["get node"] = of_kubernetes(False)
    refusing(ALONE)
    with pytest.raises(StepFailed, match="declare no controller"):
        Kubernetes().drain("node1", "run1")
    Kubernetes().urge("node1")


def test_kubernetes_marks_a_node_before_it_is_cordoned(program):
    calls, answers = program
    answers["get node"] = of_kubernetes(False)
    Kubernetes().drain("node1", "run1")
    verbs = [call[1] for call in calls]
    assert verbs == ["get", "annotate", "cordon", "drain"]


def test_kubernetes_leaves_a_cordon_of_somebody_else(program):
    calls, answers = program
    answers["get node"] = of_kubernetes(True)
    Kubernetes().drain("node1", "run1")
    Kubernetes().give_back("node1")
    assert not {"annotate", "cordon", "uncordon"} & {call[1] for call in calls}


def test_kubernetes_gives_back_what_is_ours(program):
    calls, answers = program
    answers["get node"] = of_kubernetes(True, **OURS)
    Kubernetes().give_back("node1")
    assert [call[1] for call in calls] == ["get", "get", "uncordon", "annotate"]


def test_without_a_scheduler_nothing_is_ours_to_give_back():
    assert Nobody().state("node1") == Service(drained=True)


def test_a_scheduler_that_is_not_here_is_wrong_usage(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UsageError, match="scontrol is not on this machine; install it, or give --drain none"):
        Slurm().state("node1")

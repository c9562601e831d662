"""The commands that exist: the name, one line for `npudoctor --help`, and two examples for its own.

`--help` and completion of names read this table and import no command. The command `name` is the function
`name` of the module `npudoctor.cli.name`; where that module has a Typer application `app`, it has commands of
its own (`npudoctor matrix query`). A command returns its exit code (`npudoctor.errors.Exit`), or None for 0.
"""

from __future__ import annotations

from npudoctor.dataclass import dataclass
from npudoctor.words import N_


@dataclass(frozen=True, slots=True)
class Command:
    """What a command is for, and command lines that work."""

    summary: str
    examples: tuple[str, str]


COMMANDS = {
    "check": Command(
        N_("Examine a machine or a bundle: what is wrong, why, and how to mend it."),
        (
            "npudoctor check",
            "npudoctor check --hosts hosts.ini --limit 'npu:!node7' --output json=report.json",
        ),
    ),
    "collect": Command(
        N_("Save what check reads into a redacted bundle."),
        (
            "npudoctor collect --logs 2h --output node1.tgz",
            "npudoctor collect --hosts hosts.ini --map private.json --output bundles",
        ),
    ),
    "facts": Command(
        N_("The parsed facts as JSON, without a judgement."),
        ("npudoctor facts", "npudoctor facts --sample a2-healthy --area driver"),
    ),
    "parse": Command(
        N_("One tool's output to JSON."),
        ("npu-smi info | npudoctor parse npu-smi-info", "npudoctor parse hccn-conf /etc/hccn.conf"),
    ),
    "matrix": Command(
        N_("Ask the compatibility matrix without a host."),
        (
            "npudoctor matrix query driver=25.0.rc1.1 cann=9.1.0 chip=910B3",
            "npudoctor matrix show driver cann",
        ),
    ),
    "triage": Command(
        N_("Name the cause of a failure out of its logs."),
        ("npudoctor triage dump.tgz", "npudoctor triage ~/ascend/log --here"),
    ),
    "diff": Command(
        N_("What differs between two reports, bundles or hosts."),
        ("npudoctor diff before.json after.json", "npudoctor diff --hosts node1,node2, --only driver,cann"),
    ),
    "render": Command(
        N_("An earlier JSON report in another format; several as one."),
        (
            "npudoctor render report.json --format html --output report.html",
            "npudoctor render rack1.json rack2.json --format markdown",
        ),
    ),
    "gate": Command(
        N_("Judge deployment files before anything is deployed, with no NPU at hand."),
        ("npudoctor gate .", "npudoctor gate deploy/ Dockerfile --format sarif --output gate.sarif"),
    ),
    "provision": Command(
        N_("Bring hosts to a named stack: plan, apply, verify, roll back."),
        (
            "npudoctor provision --hosts hosts.ini --stack a2-cann8.5.0-vllm0.13.0 --plan",
            "npudoctor provision --hosts hosts.ini --stack a2-cann8.5.0-vllm0.13.0 --packages /srv/hdk --yes",
        ),
    ),
    "accept": Command(
        N_("Acceptance of what was deployed: profiles, memory, fidelity of output."),
        (
            "npudoctor accept profile PROF_000001_20260101120000000_ABCDEFGHIJKLMNOP",
            "npudoctor accept memory --model /models/Qwen2.5-7B-Instruct --chip 910B3",
        ),
    ),
    "explain": Command(
        N_("What a check, an error code, a matrix row or a variable means."),
        ("npudoctor explain limits.stack", "npudoctor explain 507018"),
    ),
}


def epilog(examples: tuple[str, ...]) -> str:
    """Command lines as the end of a help page, one a line, not wrapped."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in examples)

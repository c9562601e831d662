"""Reports that many formats are tried on."""

from dataclasses import replace

import pytest

from npudoctor.checks.registry import all_checks
from npudoctor.checks.runner import run_checks
from npudoctor.collect.samples import read_sample, samples
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Edit, Fix, Status
from npudoctor.host import Host
from npudoctor.matrix import load_matrix
from npudoctor.report.about import about
from npudoctor.report.report import HostReport, Report, Waiver
from tests.report.findings import failed, finding

HOSTILE = "</script><img src=x onerror=alert(1)> ]]> | `` [a](b) @all \x07\x1b[31m &amp; \"'"


def _judged(sample, matrix):
    host = Host(read_sample(sample))
    return HostReport(
        host.name, "sample", tuple(run_checks(all_checks(), host, matrix)), None, about(host), ""
    )


@pytest.fixture(scope="session")
def of_samples():
    """All recorded hosts as one fleet: a name twice, one unreadable, a finding waived, some of the fleet."""
    matrix = load_matrix(None)
    hosts = [_judged(sample, matrix) for sample in samples()]
    rows = [*hosts[-1].findings]
    worst = next(place for place, row in enumerate(rows) if row.status is Status.FAIL)
    rows[worst] = replace(rows[worst], status=Status.WAIVED, waiver="accepted until Monday")
    hosts[-1] = replace(hosts[-1], findings=tuple(rows))
    hosts.append(HostReport("node9", "ssh", error="connection timed out after 30 s"))
    hosts.append(replace(hosts[0], path="again.tgz", source="bundle"))
    return Report(
        hosts=tuple(hosts),
        fleet=(finding("fleet.version_drift", Status.WARN), failed("fleet.host_names")),
        matrix_updated=matrix.updated,
        matrix_sha256=matrix.sha256,
        when="2026-11-29T10:00:00Z",
        waivers=(Waiver("pcie", "old", "*", "", "2026-01-01", "w.yaml:3", "expired"),),
    )


@pytest.fixture(scope="session")
def of_files():
    """Deployment files, as the gate reports them: lines, edits, a check twice in a file."""
    line = Evidence("deploy/Dockerfile", "RUN pip install torch==2.1.0", 7)
    edit = Edit("deploy/Dockerfile", 7, "RUN pip install torch==2.1.0", "RUN pip install torch==2.5.1")
    fix = Fix(Action.UPGRADE, "Pin the torch that goes with torch_npu.", edits=(edit,))
    again = Evidence("deploy/Dockerfile", "RUN pip install torch==2.0.1", 12)
    rows = (
        failed("torch.torch_npu_pairing", evidence=(line,)),
        failed("torch.torch_npu_pairing", evidence=(again,)),
        finding("limits.stack", Status.UNKNOWN, actual="${STACK} is not set here", evidence=()),
    )
    rows = (replace(rows[0], fix=fix), *rows[1:])
    return Report(
        (HostReport("deploy/Dockerfile", "files", rows),),
        (),
        "2026-11-29",
        "ab" * 32,
        when="2026-11-29T10:00:00Z",
    )


@pytest.fixture(scope="session")
def hostile():
    """A host whose every text wants to be read as something else."""
    row = failed(
        title=HOSTILE,
        actual=HOSTILE,
        expected=HOSTILE,
        evidence=(Evidence(HOSTILE, f"{HOSTILE}\n```\n# heading"),),
        references=(HOSTILE,),
    )
    row = replace(row, fix=Fix(Action.UPGRADE, HOSTILE, (HOSTILE, "```"), HOSTILE))
    one = HostReport(HOSTILE, "bundle", (row,), HOSTILE, {HOSTILE: HOSTILE}, HOSTILE)
    waiver = Waiver("x", HOSTILE, HOSTILE, HOSTILE, "2026-01-01", HOSTILE, "expired")
    return Report((one, HostReport("b", "ssh")), (), "2026-11-29", "ab" * 32, "0", "", (waiver,))

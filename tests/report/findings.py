"""Findings as checks make them, for the tests of reports."""

from npudoctor.fact import Evidence
from npudoctor.finding import Action, Finding, Fix, Status
from npudoctor.report.report import HostReport, Report

VERSION_INFO = "/usr/local/Ascend/driver/version.info"


def finding(id="driver.cann_pairing", status=Status.PASS, **changes):
    row = {
        "title": "Driver and CANN fit together",
        "actual": "driver 6.0.0 with CANN 7.0.0",
        "expected": "driver 6.3 or newer",
        "action": Action.NONE,
        "seconds": 0.001,
        "evidence": (Evidence(VERSION_INFO, "Version=6.0.0"),),
        "fix": None,
        "references": ("hiascend.com/document/x",),
    }
    return Finding(id=id, status=status, **(row | changes))


def failed(id="driver.cann_pairing", **changes):
    fix = Fix(Action.UPGRADE, "Install driver 23.0.3.", ("bash hdk.run --upgrade", "reboot"), role="driver")
    return finding(id, Status.FAIL, fix=fix, action=Action.UPGRADE, **changes)


def unread(id, place):
    why = f"{place}: not collected"
    return finding(id, Status.UNKNOWN, actual=why, expected="", evidence=(Evidence(place, why),))


def report_of(*findings, error=None, fleet=(), **host):
    one = HostReport(host.pop("name", "node1"), "bundle", tuple(findings), error, host.pop("about", {}))
    return Report((one,), tuple(fleet), "2026-11-29", "ab" * 32)

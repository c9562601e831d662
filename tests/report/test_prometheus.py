"""The text format of Prometheus, as its own parser reads it."""

import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from npudoctor.report.prometheus import to_prometheus
from npudoctor.report.style import Style
from tests.report.findings import failed, finding, report_of


def text_of(report):
    return "".join(to_prometheus(report, Style(), ""))


def samples_of(report):
    families = text_string_to_metric_families(text_of(report))
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for family in families for s in family.samples}


def value(report, metric, **labels):
    return samples_of(report)[metric, tuple(sorted(labels.items()))]


def test_findings_of_a_host_are_counted_by_status_the_ones_that_are_none_too():
    report = report_of(failed(), finding("os.clock"))
    assert value(report, "npudoctor_findings", host="node1", status="fail") == 1
    assert value(report, "npudoctor_findings", host="node1", status="warn") == 0


def test_a_failure_is_a_series_of_its_own_and_a_pass_is_not():
    samples = samples_of(report_of(failed(), finding("os.clock")))
    ids = [dict(labels)["id"] for name, labels in samples if name == "npudoctor_finding"]
    assert ids == ["driver.cann_pairing"]
    labels = {"host": "node1", "id": "driver.cann_pairing", "status": "fail", "action": "upgrade"}
    assert value(report_of(failed()), "npudoctor_finding", **labels) == 1


def test_what_was_found_is_no_label_since_it_changes_from_run_to_run():
    one, other = (samples_of(report_of(failed(actual=text))) for text in ("8192 KB", "8193 KB"))
    assert one == other


def test_a_host_that_could_not_be_read_is_0():
    assert value(report_of(error="cut off"), "npudoctor_host_read", host="node1", source="bundle") == 0
    assert value(report_of(), "npudoctor_host_read", host="node1", source="bundle") == 1


def test_the_end_of_the_run_is_a_time_in_seconds(of_samples):
    assert value(of_samples, "npudoctor_run_timestamp_seconds") == 1795946400


def test_findings_of_the_fleet_and_waivers_have_metrics_of_their_own(of_samples):
    assert value(of_samples, "npudoctor_fleet_findings", status="fail") == 1
    labels = {"id": "fleet.version_drift", "status": "warn", "action": "none"}
    assert value(of_samples, "npudoctor_fleet_finding", **labels) == 1
    assert value(of_samples, "npudoctor_waivers", state="expired") == 1


@pytest.mark.parametrize("name", ["of_samples", "of_files", "hostile"])
def test_the_collector_of_textfiles_takes_it(name, request):
    """It refuses a series twice, a metric in two places, and a metric without its type."""
    lines = text_of(request.getfixturevalue(name)).splitlines()
    series = [line.rpartition(" ")[0] for line in lines if not line.startswith("#")]
    assert len(set(series)) == len(series)
    typed = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    met = [re.match(r"\w+", name)[0] for name in series]
    assert [name for place, name in enumerate(met) if met[place - 1 : place] != [name]] == typed
    assert all(name.startswith("npudoctor_") for name in typed)


def test_a_check_that_speaks_of_two_places_of_a_file_counts_them(of_files):
    labels = {"host": "deploy/Dockerfile", "id": "torch.torch_npu_pairing", "status": "fail"}
    assert value(of_files, "npudoctor_finding", action="upgrade", **labels) == 2


def test_series_of_a_fleet_grow_with_hosts_and_troubles_only():
    assert len(samples_of(report_of(*(finding(f"os.c{n}") for n in range(200))))) < 10

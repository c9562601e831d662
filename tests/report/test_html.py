"""The page, as text; `test_page.py` opens it in a browser."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from npudoctor.fact import Evidence
from npudoctor.report.html import to_html
from npudoctor.report.report import HostReport, Report
from npudoctor.report.style import Style
from tests.report.findings import failed, finding, report_of


def page_of(report):
    return "".join(to_html(report, Style(), ""))


class Reader(HTMLParser):
    """What a browser would make of it: the elements, and the texts of scripts and styles."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.texts, self._inside = [], {}, ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._inside = f"{tag}#{dict(attrs).get('id', '')}" if tag in ("script", "style") else ""

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside:
            self.texts[self._inside] = self.texts.get(self._inside, "") + data


def data_of(report):
    lines = Reader(page_of(report)).texts["script#hosts"].strip().splitlines()
    return [json.loads(line) for line in lines]


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


@pytest.mark.parametrize("name", ["of_samples", "of_files", "hostile"])
def test_it_loads_nothing_and_runs_nothing_but_its_own_script(name, request):
    reader = Reader(page_of(request.getfixturevalue(name)))
    tags = {tag for tag, _attributes in reader.elements}
    assert not tags & {"link", "img", "iframe", "object", "base", "form"}
    for tag, attributes in reader.elements:
        assert not {"src", "href", "style", "srcset", "action"} & set(attributes), tag
        assert not [key for key in attributes if key.startswith("on")], tag
    (policy,) = [a["content"] for t, a in reader.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert hash_of(reader.texts["script#"]) in policy
    assert hash_of(reader.texts["style#"]) in policy
    assert "unsafe" not in policy


def test_what_was_read_stays_text(hostile):
    page = page_of(hostile)
    assert page.count("<script") == page.count("</script>") == 3
    assert "<img" not in page
    assert data_of(hostile)[0]["error"].startswith("</script><img src=x")


def test_what_hosts_share_is_written_once():
    rows = tuple(finding(f"os.check{n}") for n in range(150))
    hosts = [HostReport(f"node{n}", "ssh", rows) for n in range(1000)]
    one, many = (len(page_of(Report(tuple(group)))) for group in (hosts[:1], hosts))
    assert (many - one) / 999 < 800  # bytes for each host more


def test_a_host_has_its_own_lines_where_they_differ():
    own = [
        HostReport(name, "ssh", (replace(failed(), evidence=(Evidence("id", name),)),)) for name in ("a", "b")
    ]
    first, second = data_of(Report(tuple(own)))
    assert (first["findings"], second["findings"]) == ([0], [1])
    assert len(first["kinds"]) == 1
    assert second["kinds"] == []


def test_long_evidence_is_cut_and_says_so():
    lines = "\n".join(f"line {n}" for n in range(500))
    (host,) = data_of(report_of(failed(evidence=(Evidence("dmesg", lines),)), finding("os.a")))
    assert len(host["new"][0]["evidence"]) == 60
    assert host["new"][0]["cut"] == 440


def test_the_counts_are_there_without_the_script():
    assert re.search(r"<b>1</b> fail", page_of(report_of(failed())))
    assert "<noscript>" in page_of(report_of())

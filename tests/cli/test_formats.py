"""All formats of one run, as files and on the screen."""

import json
import re
from xml.etree import ElementTree

import pytest

from npudoctor.report.formats import FORMATS

FAILURES = {
    "text": lambda text: re.search(r"(\d+) fail", text)[1],
    "json": lambda text: json.loads(text)["summary"]["fail"],
    "junit": lambda text: ElementTree.fromstring(text).attrib["failures"],
    "sarif": lambda text: len([r for r in json.loads(text)["runs"][0]["results"] if r["level"] == "error"]),
    "html": lambda text: re.search(r"<b>(\d+)</b> fail<", text)[1],
    "markdown": lambda text: re.search(r"(\d+) fail", text)[1],
    "prometheus": lambda text: re.search(r'npudoctor_findings\{.*status="fail"\} (\d+)', text)[1],
}


def test_one_run_writes_every_format_and_all_say_the_same_number_of_failures(npudoctor, tmp_path):
    outputs = [option for name in FORMATS for option in ("--output", f"{name}=r.{name}")]
    done = npudoctor("check", "--sample", "founding-story", *outputs)
    assert done.returncode == 1
    texts = {name: (tmp_path / f"r.{name}").read_text(encoding="utf-8") for name in FORMATS}
    assert {int(FAILURES[name](text)) for name, text in texts.items()} == {
        json.loads(texts["json"])["summary"]["fail"]
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"r.{name}" for name in FORMATS)


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "text"])
def test_what_programs_read_is_utf_8_in_any_locale(npudoctor, tmp_path, format):
    environment = {
        "LC_ALL": "POSIX",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONUTF8": "0",
        "PYTHONIOENCODING": "ascii",
    }
    options = ("--sample", "founding-story", "--format", format, "--lang", "zh", "--only", "pcie.aspm")
    shown = npudoctor("check", *options, env=environment).stdout
    npudoctor("check", *options, "--output", "file", env=environment)
    times = re.compile(r"\d\.\d{3,}|\d{4}-\d\d-\d\dT[\d:]+|seconds \d+")
    assert times.sub("", shown) == times.sub("", (tmp_path / "file").read_text(encoding="utf-8"))
    assert format == "prometheus" or re.search("[一-鿿]", shown)


def test_a_fleet_with_nothing_to_judge_is_a_report_too(npudoctor, tmp_path):
    npudoctor("check", "--sample", "no-npu", "--format", "json", "--output", "r.json")
    empty = {**json.loads((tmp_path / "r.json").read_text()), "hosts": [], "waivers": []}
    (tmp_path / "r.json").write_text(json.dumps(empty))
    for name in FORMATS:
        done = npudoctor("render", "r.json", "--format", name)
        assert (done.returncode, done.stderr) == (0, ""), name

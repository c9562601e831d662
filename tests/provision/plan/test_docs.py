"""What the pages say of plans is what there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

from npudoctor.provision.plan.blockers import answerable, consequence, keys
from npudoctor.provision.plan.canonical import as_json, of_json

DOCS = Path(__file__).parents[3] / "docs"


def test_the_page_lists_every_blocker_with_what_an_answer_does():
    rows = re.findall(r"^\| `([a-z-]+)` \| .+ \| (.+) \|$", (DOCS / "plans.md").read_text(), re.M)
    answers = {key: f"`proceed`: {consequence(key)}" if key in answerable() else "–" for key in keys()}
    assert {key: answer for key, answer in rows if key in answers} == answers


def test_the_example_is_a_plan():
    content = json.loads((DOCS / "plan.example.json").read_text())
    assert as_json(of_json(content)) == content
    assert {host["outcome"] for host in content["hosts"]} == {"change", "converged", "blocked", "not-reached"}

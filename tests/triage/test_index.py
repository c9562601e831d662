from __future__ import annotations

from typing import Any

from npudoctor.triage.index import Index
from npudoctor.triage.pattern import parse
from npudoctor.triage.signatures import signatures


def test_a_condition_is_found_as_line_by_line(sights: Any) -> None:
    conditions = {each for one in signatures() for each in (*one.all, *one.any, *one.none)}
    text = "aclrtSetDevice: ACL_ERROR_RT_FAILED\nCall drvGetDevNum, drvRetCode=87.\nNo space left on device"
    index = Index(seen := sights(text), signatures())
    held = {condition for condition in conditions if index.on(condition)}
    alone = {one for sight in seen for one in conditions if Index([sight], signatures()).on(one)}
    assert held == alone
    assert len(held) > 3


def test_a_star_in_a_code_stands_for_any_rest(sights: Any) -> None:
    index = Index(sights("dcmi failed. ret is -8005\ndcmi failed. ret is -8020"), [])
    assert len(index.on(parse("code: dcmi -80*"))) == 2
    assert index.on(parse("code: drv -80*")) == []

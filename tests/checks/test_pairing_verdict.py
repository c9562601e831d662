"""How answers of the matrix become one verdict."""

from npudoctor.checks.pairing_verdict import Asked, judged
from npudoctor.fact import known
from npudoctor.finding import Action, Status
from npudoctor.matrix import Grade
from npudoctor.matrix import Verdict as Answer
from npudoctor.matrix.query import Member, Pair


def asked(verdict, note="", fix=()):
    left, right = Member("driver", "25.5.0"), Member("cann", "8.5.0")
    pair = Pair(left, right, verdict, Grade.VENDOR, ("https://example.com",), note, fix, ("row",))
    return Asked(pair, (known("25.5.0", "npu-smi info"), known("8.5.0", "install.info")))


def test_the_worst_answer_decides():
    verdict = judged([asked(Answer.SUPPORTED), asked(Answer.UNSUPPORTED, "N."), asked(Answer.CAUTION, "C.")])

    assert verdict.status is Status.FAIL
    assert verdict.actual == "driver 25.5.0 with CANN 8.5.0: N"


def test_silence_is_no_pass():
    assert judged([asked(Answer.SUPPORTED), asked(Answer.UNKNOWN)]).status is Status.UNKNOWN


def test_a_fix_names_the_versions_and_a_command_to_look_further():
    verdict = judged([asked(Answer.UNSUPPORTED, "N.", ("driver>=25.2", "cann 9.0.X"))], "driver")

    assert verdict.fix is not None
    assert verdict.fix.action is Action.UPGRADE
    assert verdict.fix.role == "driver"
    assert verdict.expected == "driver>=25.2 or cann 9.0.X"
    assert verdict.fix.commands == ("npudoctor matrix query driver=25.5.0 cann=8.5.0",)
    assert verdict.references == ("https://example.com",)


def test_what_is_supported_shows_its_evidence():
    verdict = judged([asked(Answer.SUPPORTED)])

    assert verdict.status is Status.PASS
    assert [line.source for line in verdict.evidence] == ["npu-smi info", "install.info"]

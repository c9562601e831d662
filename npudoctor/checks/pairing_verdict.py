"""How an answer of the matrix becomes the verdict of a check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.fact import Fact, Unavailable
from npudoctor.finding import Action, Fix, Verdict, fail, ok, unknown, warn
from npudoctor.host.installed import chip_of
from npudoctor.matrix import Matrix
from npudoctor.matrix import Verdict as Answer
from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.host import Host
    from npudoctor.host.python import Interpreter
    from npudoctor.matrix.query import Member, Pair

Facts = Mapping[str, Fact[str]]
_WORST_FIRST = (Answer.UNSUPPORTED, Answer.UNKNOWN, Answer.CAUTION, Answer.SUPPORTED)
_PIP_NAMES = {"torch_npu": "torch-npu", "vllm_ascend": "vllm-ascend", "triton_ascend": "triton-ascend"}
_NAMES = {
    "cann": "CANN",
    "python": "Python",
    "vllm_ascend": "vllm-ascend",
    "mindie": "MindIE",
    "mindspore": "MindSpore",
    "triton_ascend": "triton-ascend",
}
_PIP = (*_PIP_NAMES, "torch", "vllm", "mindspore")


@dataclass(frozen=True, slots=True)
class Asked:
    """One pair that was asked about.

    Attributes:
        facts: What was read of either side.
        python: The Python that the packages are in, for pairs of packages.
    """

    pair: Pair
    facts: tuple[Fact[str], ...]
    python: Interpreter | None = None


def ask(
    matrix: Matrix,
    host: Host,
    facts: Facts,
    pairs: Sequence[tuple[str, str]],
    python: Interpreter | None = None,
) -> list[Asked]:
    """Ask about these pairs of the facts; pairs that the matrix leaves out are left out.

    Raises:
        Unavailable: A fact could not be read, or is no version that the matrix can place.
    """
    values = {name: fact.value for name, fact in facts.items()}
    chip, arch = chip_of(host), host.system.arch.or_none()
    given = (
        values | ({"chip": chip} if chip else {}) | ({"arch": arch} if arch in ("aarch64", "x86_64") else {})
    )
    try:
        result = matrix.query(given)
    except UsageError as error:
        raise Unavailable(str(error), "compat_matrix.yaml", "unreadable") from None
    found = (result.pair(*names) for names in pairs)
    return [Asked(pair, _of(pair, facts), python) for pair in found if pair is not None]


def _of(pair: Pair, facts: Facts) -> tuple[Fact[str], ...]:
    sides = (pair.left.component, pair.right.component)
    return tuple(facts[name] for name in sides if name in facts)


def judged(asked: Sequence[Asked], role: str | None = None) -> Verdict:
    """The verdict on all pairs that were asked about: the worst decides, and is what the finding shows."""
    worst = min((one.pair.verdict for one in asked), key=_WORST_FIRST.index)
    shown = [one for one in asked if one.pair.verdict is worst]
    proofs = [fact for one in shown for fact in one.facts]
    actual = _("; ").join(_said(shown))
    if worst is Answer.SUPPORTED:
        return ok(*proofs, actual=actual)
    expected = _expected(shown)
    fix = _fix(shown, worst, role)
    references = tuple(dict.fromkeys(source for one in shown for source in one.pair.sources))
    if worst is Answer.UNKNOWN:
        return unknown(*proofs, actual=actual, expected=expected, fix=fix, references=references)
    make = fail if worst is Answer.UNSUPPORTED else warn
    return make(*proofs, actual=actual, expected=expected, fix=fix, references=references)


def _said(shown: Sequence[Asked]) -> Iterator[str]:
    """Each pair once, and the Python where the pairs are of different ones."""
    several = len({one.python.path for one in shown if one.python}) > 1
    for one in shown:
        where = f" ({one.python.path})" if one.python and several else ""
        yield _of_pair(one.pair) + where


def _of_pair(pair: Pair) -> str:
    """`driver 6.0.0 with CANN 7.0.0: what is known of it`, without a full stop: more text follows it."""
    both = _("{left} with {right}").format(left=_named(pair.left), right=_named(pair.right))
    note = pair.note.rstrip(".。")
    if pair.verdict is Answer.SUPPORTED or not note:
        return both
    return _("{what}: {why}").format(what=both, why=note)


def _named(member: Member) -> str:
    return f"{_NAMES.get(member.component, member.component)} {member.version}"


def _expected(shown: Sequence[Asked]) -> str:
    return _(" or ").join(dict.fromkeys(text for one in shown for text in one.pair.fix))


def _fix(shown: Sequence[Asked], worst: Answer, role: str | None) -> Fix | None:
    named = _expected(shown)
    if not named:
        return None
    pips = [command for one in shown for command in _pip(one)] if worst is Answer.UNSUPPORTED else []
    left, right = shown[0].pair.left, shown[0].pair.right
    look = f"npudoctor matrix query {left.component}={left.version} {right.component}={right.version}"
    summary = _("Take versions that go together: {versions}.").format(versions=named)
    return Fix(Action.UPGRADE, summary, tuple(pips[:1]) or (look,), role)


def _pip(one: Asked) -> list[str]:
    """The packages of the fix as pip takes them."""
    if one.python is None:
        return []
    wanted = [text.split() for text in one.pair.fix if text.count(" ") == 1]
    named = [f"{_PIP_NAMES.get(name, name)}=={version}" for name, version in wanted if name in _PIP]
    return [f"{one.python.pip} install {text}" for text in named]

"""The answer file: which blockers a person lets pass, on which hosts, and why.

```yaml
npu-in-use: proceed
kernel-headers: {answer: proceed, hosts: "node[1-3]", reason: the package has modules for this kernel}
```
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.data import read
from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.nodeset import among
from npudoctor.provision.plan.blockers import answerable, keys
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.provision.planned import Blocker

PROCEED = "proceed"


@dataclass(frozen=True, slots=True)
class Answer:
    """One line of the file.

    Attributes:
        hosts: Host names, as a plan writes them or as a glob.
        reason: In the words of who answers; empty where none is given.
    """

    key: str
    hosts: str
    reason: str


@dataclass(frozen=True, slots=True)
class Answers:
    """All lines."""

    lines: tuple[Answer, ...] = ()

    def accepts(self, blocker: Blocker, host: str) -> bool:
        """Whether a host may be changed although this blocks it."""
        if blocker.answer != PROCEED:
            return False
        return any(one.key == blocker.key and among(host, one.hosts) for one in self.lines)


def read_answers(file: Path | None) -> Answers:
    """The answer file, or none; raises `UsageError` for a key that there is not or that nobody may answer."""
    if file is None:
        return Answers()
    content = read(file, _schema()).content or {}
    for key in content:
        _check(file, str(key))
    return Answers(tuple(line for key, value in content.items() for line in _lines(key, value)))


def _check(file: Path, key: str) -> None:
    if key not in keys():
        what = _("{file}: there is no blocker {key}").format(file=file, key=key)
        raise UsageError(what, _nearest(key))
    if key not in answerable():
        what = _("{file}: {key} cannot be answered").format(file=file, key=key)
        raise UsageError(what, _("mend what blocks, and take the line out"))


def _nearest(key: str) -> str:
    from difflib import get_close_matches

    found = get_close_matches(key, answerable(), n=2) or answerable()
    return _("one of {names}").format(names=", ".join(found))


def _lines(key: str, value: Any) -> Iterator[Answer]:
    if isinstance(value, str):
        yield Answer(key, "*", "")
        return
    hosts = value.get("hosts", "*")
    for one in hosts if isinstance(hosts, list) else [hosts]:
        yield Answer(key, one, value.get("reason", ""))


def _schema() -> Path:
    """Beside the package in a wheel, in `docs/` in a checkout."""
    package, name = Path(__file__).parents[2], "answers.schema.json"
    return next(path for path in (package / name, package.parent / "docs" / name) if path.exists())

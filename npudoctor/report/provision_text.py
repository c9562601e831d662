"""What came of a provisioning run, for a person: one screen, one word a host, and what to type next."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from npudoctor.nodeset import fold
from npudoctor.provision.run.result import GOOD, WORST_FIRST, RunResult, Word, counts
from npudoctor.report.packages_text import size_text
from npudoctor.report.width import clip, columns, wrap
from npudoctor.words import _, ngettext

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from npudoctor.provision.run.result import HostResult
    from npudoctor.report.style import Style

_ROWS = 20
"""Lines of hosts that are told in full; more are told by their names."""
_INDENT = "    "


def to_text(result: RunResult, style: Style) -> Iterator[str]:
    """The whole report, line by line."""
    for line in _lines(result, style):
        yield line + "\n"


def _lines(result: RunResult, style: Style) -> Iterator[str]:
    words = ", ".join(f"{number} {word}" for word, number in counts(result.hosts).items())
    head = _head(result).format(hosts=len(result.hosts), stack=result.stack, words=words)
    yield from map(style.bold, wrap(head, style.width, "", _INDENT))
    yield style.dim(_("run {run}, {seconds:.0f} s").format(run=result.run, seconds=result.seconds))
    if staged := {source: size for source, size in result.staged.items() if size}:
        yield style.dim(_staged(staged))
    alike = [list(hosts) for _key, hosts in groupby(sorted(result.hosts, key=_order), key=_likeness)]
    yield ""
    for hosts in alike[:_ROWS]:
        yield from _row(hosts, style)
    if len(alike) > _ROWS:
        left = [host.name for hosts in alike[_ROWS:] for host in hosts]
        more = _("and {names}; --format json tells all").format(names=fold(left))
        yield from map(style.dim, wrap(more, style.width, "", _INDENT))
    yield from _brake(result, style)
    yield from _next(result, style)


def _staged(staged: Mapping[str, int]) -> str:
    """Where the packages came from."""
    told = {
        "controller": _("{size} from here"),
        "rack": _("{size} from neighbours"),
        "mirror": _("{size} from the mirror"),
    }
    parts = [text.format(size=size_text(staged[source])) for source, text in told.items() if source in staged]
    return _("packages: {parts}").format(parts=", ".join(parts))


def _head(result: RunResult) -> str:
    if result.rollback:
        return ngettext(
            "{hosts} host back to what it had: {words}",
            "{hosts} hosts back to what they had: {words}",
            len(result.hosts),
        )
    return ngettext(
        "{hosts} host to {stack}: {words}", "{hosts} hosts to {stack}: {words}", len(result.hosts)
    )


def _order(host: HostResult) -> tuple[int, str, str, str, str]:
    return (WORST_FIRST.index(host.word), *_likeness(host)[1:], host.name)


def _likeness(host: HostResult) -> tuple[str, str, str, str]:
    return (host.word.value, host.key, _moved(host), host.message)


def _row(hosts: Sequence[HostResult], style: Style) -> Iterator[str]:
    first = hosts[0]
    word = first.word.value.ljust(max(len(each.value) for each in Word))
    names = fold(host.name for host in hosts)
    told = style.bold(word) if first.word not in GOOD else word
    what = first.key if first.key else _moved(first)
    *lines, last = wrap(names, style.width, f"{word}  ", " " * (len(word) + 2))
    lines.append(f"{last}  {clip(what, max(20, style.width - columns(last) - 2))}".rstrip())
    yield told + lines[0][len(word) :]
    yield from lines[1:]
    if first.message:
        yield from wrap(first.message, style.width, _INDENT, _INDENT)
    if places := _places(hosts):
        yield from map(style.dim, wrap(places, style.width, _INDENT, _INDENT))


def _places(hosts: Sequence[HostResult]) -> str:
    """Where more is told of what failed, there and here; of several hosts the folders of it."""
    logs, bundles = [host.log for host in hosts if host.log], [host.bundle for host in hosts if host.bundle]
    log = logs[0] if len(logs) == 1 else _folder(logs)
    bundle = bundles[0] if len(bundles) == 1 else _folder(bundles)
    told = [
        _("log on the host: {path}").format(path=log) if log else "",
        _("bundle: {path}").format(path=bundle) if bundle else "",
    ]
    return "; ".join(filter(None, told))


def _folder(paths: Sequence[str]) -> str:
    return paths[0].rpartition("/")[0] if paths else ""


def _moved(host: HostResult) -> str:
    """The versions that are other than they were, or else the settings."""
    return _versions(host) or ", ".join(host.settings)


def _versions(host: HostResult) -> str:
    """What is other than it was."""
    names = dict.fromkeys((*host.before, *host.after)) if host.after else {}
    pairs = {name: (host.before.get(name, ""), host.after.get(name, "")) for name in names}
    moved = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    return ", ".join(f"{name} {before or '–'} → {after or '–'}" for name, (before, after) in moved.items())


def _brake(result: RunResult, style: Style) -> Iterator[str]:
    if result.brake:
        yield ""
        yield style.bold(_brakes()[result.brake])


def _brakes() -> dict[str, str]:
    return {
        "canary-failed": _("all hosts of a kind that went first failed: no other host was begun"),
        "same-failure": _("two hosts that went first failed in the same way: no other host was begun"),
        "failures-in-a-row": _("three hosts failed one after the other: no other host was begun"),
        "too-many-failed": _("too many hosts failed: no other host was begun"),
    }


def _next(result: RunResult, style: Style) -> Iterator[str]:
    commands = list(dict.fromkeys(host.next for host in result.hosts if host.next))
    if not commands:
        return
    yield ""
    yield _("Next:")
    yield from (f"  {command}" for command in commands[:3])
    if len(commands) > 3:
        yield f"  npudoctor provision retry {result.words}"
    yield style.dim(_("all of it: {folder}").format(folder=result.folder))

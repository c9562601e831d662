"""Which hosts `--hosts` names: a comma list, or an Ansible inventory (see `ansible`)."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_RANGE = re.compile(r"\[(?=\d+:\d|[a-z]:[a-z])(\w+):(\w+)(?::(\d+))?\]")
_MOST_IN_RANGE = 100_000
_WORD = re.compile(r"(?:(?P<user>[^@]+)@)?(?P<address>\[[^]]+\]|[^:]+|[^:]*:[^:]*:.*)(?::(?P<port>\d+))?")


@dataclass(frozen=True, slots=True)
class Become:
    """As whom the script runs, where not as the user who logs in.

    Attributes:
        user: The other user, `root` where the inventory does not say.
        password: What `sudo` asks for; None where it must not ask.
        method: `sudo`; another word is the verdict of that host.
    """

    user: str = "root"
    password: str | None = None
    method: str = "sudo"


@dataclass(frozen=True, slots=True)
class Target:
    """One host of an inventory, as it is written there; what it leaves open is for `~/.ssh/config`.

    Attributes:
        name: What the inventory calls it.
        address: Where it is: `ansible_host`, or its name.
        port: None where the inventory does not say; so too `user`, `key` and `password`.
        options: `-o` options of `ansible_ssh_common_args`, in lower case: `proxyjump`, `identityfile`.
        become: None to stay who logs in.
        local: Whether it is this machine, and read without SSH.
        undefined: Variables whose templates name something that is not there: with a default in their
            place another host, or another user, might be meant.
        domain: Rack or supernode, of which provisioning takes no two hosts out of service at a time
            (`npudoctor_domain`); empty where the inventory names none.
        hccn: What it says of the NPUs' own ports (`hccn_ports` and its kin), as JSON; empty where nothing.
        wheels: The index, or the folder on the host, that more wheels come from (`python_env_index_url`,
            `python_env_wheelhouse`); empty where it names none.
        docker: The packages, or the names of packages, that Docker is installed from (`docker_packages`,
            `docker_names`), as JSON; empty where it names none.
        serving: What it says of the container that serves a model (`serving_model` and its kin), as JSON;
            empty where nothing.
        variables: The names of its variables, where they were asked for; not those of Ansible, nor those
            that `npudoctor_known_variables` lets pass.
        empty: Those of them that begin as was asked for and have no value, or an empty text: with that.
    """

    name: str
    address: str
    port: int | None = None
    user: str | None = None
    key: str | None = None
    password: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    become: Become | None = None
    local: bool = False
    undefined: tuple[str, ...] = ()
    domain: str = ""
    hccn: str = ""
    wheels: str = ""
    docker: str = ""
    serving: str = ""
    variables: tuple[str, ...] = ()
    empty: tuple[tuple[str, str | None], ...] = ()


def read_inventory(
    text: str,
    limit: str | None = None,
    *,
    vault: str | None = None,
    unmatched: Callable[[str], None] = lambda _word: None,
    ours: tuple[str, ...] = (),
) -> list[Target]:
    """The hosts that `--hosts TEXT --limit LIMIT` names, in the inventory's order.

    Args:
        text: A comma list (`a,b` or `a,`), or the path of an Ansible inventory.
        limit: An Ansible pattern: `npu:!node7`, `node1*`, `@FILE` with a name a line.
        vault: The password of vaulted values, where one was typed.
        unmatched: Called with each part of the pattern that matches no host.
        ours: What the names of variables begin with that are looked at; none are where it is empty.

    Raises:
        UsageError: It cannot be read, names no host, or Ansible is needed and not there.
    """
    limit = _with_files(limit) if limit else limit
    if _is_file(text):
        targets = _of_file(Path(text), limit, vault, unmatched, ours)
    else:
        targets = _of_list(text, limit, unmatched)
    if not targets:
        where = f"{text} --limit {limit}" if limit else text
        raise UsageError(f"--hosts {where}: " + _("no host is named"), _("see the groups of the inventory"))
    return targets


def _with_files(limit: str) -> str:
    """A pattern with the lines of a file in the place of `@FILE`."""
    words = [word.strip() for word in limit.split(",")]
    return ",".join(line for word in words for line in (_lines(word) if word[:1] == "@" else [word]))


def _lines(word: str) -> list[str]:
    try:
        text = Path(word[1:]).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        what = f"--limit {word}: {getattr(error, 'strerror', None) or error}"
        raise UsageError(what, _("give a file with the name of a host in each line")) from None
    lines = [line.strip() for line in text.splitlines() if line.strip() and line[0] != "#"]
    if not lines:
        raise UsageError(
            f"--limit {word}: " + _("no host is named"), _("write the name of a host in each line")
        )
    return lines


def _is_file(text: str) -> bool:
    if text and Path(text).exists():
        return True
    if "," in text:
        return False
    if not text:
        raise UsageError(
            "--hosts: " + _("no host is named"), _("give an inventory, or a list with a comma: a,b")
        )
    mend = _("give an inventory, or a list with a comma: {name},").format(name=text)
    raise UsageError(f"--hosts {text}: " + _("no such file"), mend)


def _of_file(
    path: Path,
    limit: str | None,
    vault: str | None,
    unmatched: Callable[[str], None],
    ours: tuple[str, ...],
) -> list[Target]:
    from npudoctor.collect.ansible import read_with_ansible

    return read_with_ansible(path, limit or "all", vault, unmatched, ours)


def _of_list(text: str, limit: str | None, unmatched: Callable[[str], None]) -> list[Target]:
    words = [each for word in text.split(",") if word.strip() for each in _expanded(word.strip())]
    targets = [_of_word(word) for word in dict.fromkeys(words)]
    for pattern in _patterns(limit):
        if not any(_any(target.name, (pattern.lstrip("!&"),)) for target in targets):
            unmatched(pattern.lstrip("!&"))
    return [target for target in targets if _within(target.name, limit)]


def _expanded(word: str) -> Iterator[str]:
    """`node[01:12]` and `rack[a:c]`, as Ansible's inventories have them, in full."""
    match = _RANGE.search(word)
    if match is None:
        yield word
        return
    first, last, step = match[1], match[2], int(match[3] or 1)
    if first.isdigit():
        members = [f"{number:0{len(first)}}" for number in range(int(first), int(last) + 1, step or 1)]
    else:
        members = [chr(letter) for letter in range(ord(first), ord(last) + 1, step or 1)]
    if not members or len(members) > _MOST_IN_RANGE:
        raise UsageError(
            f"--hosts {word}: " + _("is no range"), _("write it like {like}").format(like="node[01:12],")
        )
    for member in members:
        yield from _expanded(word[: match.start()] + member + word[match.end() :])


def _of_word(word: str) -> Target:
    """`node1`, `ops@node1`, `ops@node1:2222`, `[fd00::1]:22`."""
    match = _WORD.fullmatch(word)
    if match is None:
        raise UsageError(f"--hosts {word}: " + _("is no host"), _("write NAME, USER@NAME or USER@NAME:PORT"))
    port = match["port"]
    return Target(word, match["address"].strip("[]"), int(port) if port else None, match["user"])


def _within(name: str, limit: str | None) -> bool:
    """Whether the patterns of `--limit` leave a host of a comma list in; there are no groups in one."""
    patterns = _patterns(limit)
    wanted = [pattern for pattern in patterns if pattern[0] not in "!&"] or ["*"]
    return (
        _any(name, wanted)
        and not _any(name, (pattern[1:] for pattern in patterns if pattern[0] == "!"))
        and all(_any(name, (pattern[1:],)) for pattern in patterns if pattern[0] == "&")
    )


def _patterns(limit: str | None) -> list[str]:
    return [word.strip() for word in re.split(r",|:(?!\d)", limit or "") if word.strip()]


def _any(name: str, patterns: Iterable[str]) -> bool:
    return any(pattern == "all" or fnmatchcase(name, pattern) for pattern in patterns)

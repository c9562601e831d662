"""The command line of `docker run`: its options, the image, and what the container starts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from npudoctor.dataclass import dataclass
from npudoctor.gate.shell.wrapped import unwrapped
from npudoctor.regex import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from npudoctor.gate.shell import Word

_ENGINES = ("docker", "podman", "nerdctl", "isula", "docker.io")
_ENGINE_VALUES = (
    "-H",
    "--host",
    "--context",
    "-c",
    "--config",
    "-l",
    "--log-level",
    "-n",
    "--namespace",
    "--root",
)
_SWITCHES = frozenset(
    ("--detach", "--interactive", "--tty", "--rm", "--privileged", "--init", "--publish-all", "--read-only",
     "--no-healthcheck", "--oom-kill-disable", "--sig-proxy", "--disable-content-trust", "--quiet", "--help",
     "--no-hosts", "--replace", "--systemd", "--tls-verify", "--env-host", "--http-proxy", "--rmi",
     "--use-api-socket", "--no-hostname", "--passwd", "--read-only-tmpfs", "--unsetenv-all", "--seccomp")
)  # fmt: skip
_LETTERS = "ditPq"
_LONG = {
    "-e": "--env", "-v": "--volume", "-u": "--user", "-m": "--memory", "-w": "--workdir", "-p": "--publish",
    "-h": "--hostname", "-l": "--label", "-c": "--cpu-shares", "-a": "--attach", "--net": "--network",
    "--dns-opt": "--dns-option",
}  # fmt: skip
_IMAGE_NAME = regex(r"(?i).*(?:image|img|tag|repo).*")
_OPTION = regex(r"--?[A-Za-z][\w-]*(?:=.*)?", 16)  # re.DOTALL
_LONG_OPTION = regex(r"--[a-z][a-z-]*")
_KNOWN_VALUES = frozenset(
    ("--env", "--volume", "--user", "--memory", "--workdir", "--publish", "--hostname", "--label",
     "--cpu-shares", "--attach", "--network", "--device", "--name", "--shm-size", "--ipc", "--pid", "--mount",
     "--ulimit", "--cap-add", "--cap-drop", "--security-opt", "--entrypoint", "--restart", "--runtime",
     "--gpus", "--env-file", "--tmpfs", "--add-host", "--cpus", "--cpuset-cpus", "--group-add", "--userns",
     "--uts", "--volumes-from", "--pull", "--platform", "--log-driver", "--log-opt", "--device-cgroup-rule",
     "--sysctl", "--cgroupns", "--dns", "--link", "--expose", "--stop-signal", "--memory-swap",
     "--cpuset-mems", "--cidfile", "--ip", "--annotation", "--pids-limit", "--volume-driver", "--pod")
)  # fmt: skip
OF_DOCKER = _KNOWN_VALUES - {"--pod"} | frozenset(
    ("--detach", "--interactive", "--tty", "--rm", "--privileged", "--init", "--publish-all", "--read-only",
     "--no-healthcheck", "--oom-kill-disable", "--sig-proxy", "--disable-content-trust", "--quiet", "--help",
     "--use-api-socket", "--blkio-weight", "--blkio-weight-device", "--cgroup-parent", "--cpu-period",
     "--cpu-quota", "--cpu-rt-period", "--cpu-rt-runtime", "--cpu-count", "--cpu-percent", "--credentialspec",
     "--detach-keys", "--device-read-bps", "--device-read-iops", "--device-write-bps", "--device-write-iops",
     "--dns-option", "--dns-search", "--domainname", "--health-cmd", "--health-interval", "--health-retries",
     "--health-start-interval", "--health-start-period", "--health-timeout", "--io-maxbandwidth",
     "--io-maxiops", "--ip6", "--isolation", "--kernel-memory", "--label-file", "--link-local-ip",
     "--mac-address", "--memory-reservation", "--memory-swappiness", "--net-alias", "--network-alias",
     "--oom-score-adj", "--stop-timeout", "--storage-opt")
)  # fmt: skip
"""Long options of `docker run` and `docker create`, hidden ones too (Docker 28.2)."""


@dataclass(frozen=True, slots=True)
class RunLine:
    """A `docker run` line in its parts.

    Attributes:
        options: Long name and value; the value of a switch is a word `true`.
        image: None where it cannot be told from the options that are not known.
        arguments: What follows the image.
        open: Words that may stand for any number of options.
        refused: Options that docker does not have; none of other engines.
    """

    options: tuple[tuple[str, Word], ...]
    image: Word | None
    arguments: tuple[Word, ...]
    open: tuple[Word, ...]
    refused: tuple[str, ...] = ()

    def all(self, name: str) -> list[Word]:
        """The values of an option, in order."""
        return [value for option, value in self.options if option == name]

    def last(self, *names: str) -> Word | None:
        """The value that counts where an option is given several times."""
        found = [value for option, value in self.options if option in names]
        return found[-1] if found else None


def run_line(words: Sequence[Word]) -> RunLine | None:
    """Take a command apart; None where it does not start a container."""
    rest = list(unwrapped(words))
    if not rest or rest[0].raw.rpartition("/")[2] not in _ENGINES:
        return None
    index = _behind_engine_options(rest)
    if index < len(rest) and rest[index].raw == "container":
        index += 1
    if index >= len(rest) or rest[index].raw not in ("run", "create"):
        return None
    line = _parts(rest[index + 1 :])
    return replace(line, refused=_refused(line)) if rest[0].raw.endswith("docker") else line


def _refused(line: RunLine) -> tuple[str, ...]:
    """Options that docker does not have, where it is sure that the image is the image."""
    if line.open or line.image is None or not _looks_like_image(line.image):
        return ()
    long = (name for name, _value in line.options if _LONG_OPTION.fullmatch(name))
    return tuple(name for name in long if name not in OF_DOCKER)


def _behind_engine_options(words: list[Word]) -> int:
    index = 1
    while index < len(words) and words[index].raw.startswith("-"):
        index += 2 if words[index].raw in _ENGINE_VALUES else 1
    return index


def _parts(words: list[Word]) -> RunLine:
    options: list[tuple[str, Word]] = []
    unclear: list[Word] = []
    index = 0
    while index < len(words):
        word = words[index]
        if word.raw == "--":
            index += 1
            break
        if word.spread and _stands_for_options(words, index):
            unclear.append(word)
            index += 1
        elif not word.spread and word.raw.startswith("-") and len(word.raw) > 1:
            index = _option(words, index, options)
        else:
            break
    image = words[index] if index < len(words) else None
    return RunLine(tuple(options), image, tuple(words[index + 1 :]), tuple(unclear))


def _stands_for_options(words: list[Word], index: int) -> bool:
    """Whether an open word is a list of options and not the image: an option of docker follows it."""
    if _is_named_image(words[index]):
        return False
    behind = words[index + 1 :]
    following = next((word for word in behind if not word.spread or _is_named_image(word)), None)
    return following is not None and (_is_option(following) or _looks_like_image(following))


def _is_option(word: Word) -> bool:
    name = word.raw.partition("=")[0]
    long = _LONG.get(name, name)
    return long in _SWITCHES or long in _KNOWN_VALUES or (name[:1] == "-" and set(name[1:]) <= set(_LETTERS))


def _is_named_image(word: Word) -> bool:
    return any(_IMAGE_NAME.fullmatch(name) for name in word.open)


def _looks_like_image(word: Word) -> bool:
    return _is_named_image(word) or ("/" in word.raw and ":" in word.raw and not word.raw.startswith("/"))


def _option(words: list[Word], index: int, options: list[tuple[str, Word]]) -> int:
    """Take the option at `index`; the index behind it and its value."""
    from npudoctor.gate.shell import Word

    word = words[index]
    name, equals, value = word.raw.partition("=")
    if name.startswith("--"):
        long = _LONG.get(name, name)
        if equals or long in _SWITCHES:
            options.append((long, Word(value if equals else "true", word.line)))
            return index + 1
        options.append((long, _next(words, index)))
        return index + 2
    return _short(words, index, options)


def _short(words: list[Word], index: int, options: list[tuple[str, Word]]) -> int:
    from npudoctor.gate.shell import Word

    word = words[index]
    for at, letter in enumerate(word.raw[1:], start=1):
        if letter in _LETTERS:
            continue
        name = _LONG.get(f"-{letter}", f"-{letter}")
        rest = word.raw[at + 1 :]
        if rest:
            options.append((name, Word(rest.removeprefix("="), word.line)))
            return index + 1
        options.append((name, _next(words, index)))
        return index + 2
    return index + 1


def _next(words: list[Word], index: int) -> Word:
    from npudoctor.gate.shell import Word

    return words[index + 1] if index + 1 < len(words) else Word("", words[index].line)


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """`type=bind,source=/a,target=/b` as names and values."""
    for part in text.split(","):
        name, _equals, value = part.strip().partition("=")
        yield name, value

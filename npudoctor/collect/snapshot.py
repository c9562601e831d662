"""A snapshot: the raw outputs of one host, under the names that the bundle layout gives them."""

from __future__ import annotations

from dataclasses import field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal

from npudoctor.dataclass import dataclass
from npudoctor.fact import Fact, Reason, Unavailable, known, unavailable
from npudoctor.regex import regex
from npudoctor.text import decode
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

State = Literal["complete", "absent", "denied", "failed", "timeout", "cut-off"]
"""`absent`: the file or tool is not on the host. `cut-off`: a size cap or a broken bundle ended it."""

CLOCK = "npudoctor clock"
"""As a command: what the clock of the machine that read a host said before and after, and which that was."""
_WILD = regex(r"[*?\[]")
_NOT_IN_SLUG = regex(r"[^A-Za-z0-9.-]+")


def slug(command: str) -> str:
    """The file name of a command's output: every run of other characters becomes one `_`."""
    return _NOT_IN_SLUG.sub("_", command)


@dataclass(frozen=True, slots=True)
class Entry:
    """One raw output.

    Attributes:
        path: Where it lies in a bundle: `files/etc/os-release`, `commands/npu-smi_info`, `environment`.
        origin: What a person calls it: the absolute path or the command line.
        stdout: The bytes of the file, or of the command's standard output.
        stderr: The command's standard error.
        exit_code: Of the command; 0 for a file.
        seconds: How long it took.
        state: Whether it is whole, and why not.
    """

    path: str
    origin: str
    stdout: bytes = b""
    stderr: bytes = b""
    exit_code: int = 0
    seconds: float = 0.0
    state: State = "complete"

    @property
    def text(self) -> str:
        """Standard output as clean text."""
        return decode(self.stdout)

    @property
    def error_text(self) -> str:
        """Standard error as clean text."""
        return decode(self.stderr)

    @property
    def all_text(self) -> str:
        """Standard error, then standard output: for tools that print their errors on either."""
        return "\n".join(part for part in (self.error_text, self.text) if part)


@dataclass(frozen=True)
class Snapshot:
    """All raw outputs of one host, by their path in a bundle.

    Attributes:
        name: The host's name, or the token that stands for it.
        source: `local`, `ssh`, `container`, `bundle` or `sample`.
        entries: By path.
        problems: What is wrong with the snapshot as a whole (a bundle that is cut off).
        outside: Of a container: its host, as far as that was read. Of anything else None.
    """

    name: str
    source: str
    entries: Mapping[str, Entry]
    problems: tuple[str, ...] = field(default=())
    outside: Snapshot | None = None

    def entry(self, path: str) -> Entry | None:
        """The entry at a bundle path, whatever its state; None where nobody collected it."""
        return self.entries.get(path.lstrip("/"))

    def file(self, path: str) -> Fact[str]:
        """The clean text of the file at an absolute path of the host; unavailable where it is not whole."""
        return self._text("files/" + path.lstrip("/"), path)

    def command(self, line: str) -> Fact[str]:
        """The clean standard output of a command that ran and exited with 0."""
        entry = self.entry("commands/" + slug(line))
        if entry and entry.state == "complete" and entry.exit_code != 0:
            return unavailable(_failure(entry), line, "failed")
        return self._text("commands/" + slug(line), line)

    def output(self, line: str) -> Fact[Entry]:
        """The whole output of a command, whatever its exit code; unavailable where it did not run or end."""
        entry = self.entry("commands/" + slug(line))
        if entry is None or entry.state != "complete":
            return Fact(self._reason(entry, line))
        return known(entry, entry.origin or line, entry.all_text[:200])

    def partial_output(self, line: str) -> Fact[Entry]:
        """Likewise, and what there is of an output that is not whole: its `state` says which."""
        entry = self.entry("commands/" + slug(line))
        if entry is None or entry.state in ("absent", "denied"):
            return Fact(self._reason(entry, line))
        return known(entry, entry.origin or line, entry.all_text[:200])

    def exists(self, path: str) -> Fact[bool]:
        """Whether a file is there; unavailable where nobody looked, or nothing came back."""
        entry = self.entry("files/" + path.lstrip("/"))
        if entry is None or (entry.state not in ("complete", "absent") and not entry.stdout):
            return Fact(self._reason(entry, path))
        return known(entry.state != "absent", path, "not there" if entry.state == "absent" else "there")

    def matching(self, pattern: str) -> Iterator[Entry]:
        """Entries whose bundle path matches a shell pattern, by path: all that are not known to be absent.

        Not all of them are whole; `state` says which.
        """
        start = _WILD.split(pattern, maxsplit=1)[0]
        for path in sorted(path for path in self.entries if path.startswith(start)):
            if fnmatchcase(path, pattern) and self.entries[path].state != "absent":
                yield self.entries[path]

    def files(self, pattern: str) -> Iterator[tuple[str, Fact[str]]]:
        """Absolute path and text of each file that matches a shell pattern (`*` crosses `/`)."""
        for entry in self.matching("files" + pattern):
            yield entry.origin, self.file(entry.origin)

    def _text(self, path: str, origin: str) -> Fact[str]:
        entry = self.entry(path)
        if entry is None or entry.state != "complete":
            return Fact(self._reason(entry, origin))
        return known(entry.text, origin, entry.text[:200])

    def _reason(self, entry: Entry | None, origin: str) -> Unavailable:
        if entry is None and self.outside and self.problems:  # nobody could look inside, and this is why
            return Unavailable(f"{origin}: {self.problems[0]}", origin, "not-collected")
        return _reason(entry, origin)


def snapshot_of(
    files: Mapping[str, str | bytes] = {},
    commands: Mapping[str, str | bytes] = {},
    *,
    environment: str | None = None,
    packages: str | None = None,
    absent: Iterable[str] = (),
    name: str = "node1",
    source: str = "bundle",
) -> Snapshot:
    """A snapshot from texts: `files` by absolute path, `commands` by command line.

    `absent` names files (absolute paths) or commands that were looked for and are not on the host.
    """
    entries = [Entry("files" + path, path, _bytes(text)) for path, text in files.items()]
    entries += [Entry("commands/" + slug(line), line, _bytes(text)) for line, text in commands.items()]
    for missing in absent:
        path = "files" + missing if missing.startswith("/") else "commands/" + slug(missing)
        entries.append(Entry(path, missing, exit_code=127, state="absent"))
    if environment is not None:
        entries.append(Entry("environment", "environment", _bytes(environment)))
    if packages is not None:
        entries.append(Entry("python-packages", "python-packages", _bytes(packages)))
    return Snapshot(name, source, {entry.path: entry for entry in entries})


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _reason(entry: Entry | None, origin: str) -> Unavailable:
    if entry is None:
        return Unavailable(f"{origin}: not collected", origin, "not-collected")
    words: dict[State, tuple[str, Reason]] = {
        "absent": (N_("not there"), "absent"),
        "denied": (N_("permission denied; run it again as root"), "denied"),
        "failed": (N_("could not be read"), "failed"),
        "timeout": (unanswered(entry), "timeout"),
    }
    why, reason = words.get(entry.state, (N_("incomplete"), "cut-off"))
    return Unavailable(f"{origin}: {why}", origin, reason)


def unanswered(entry: Entry) -> str:
    """What is said of a command that was ended; how long it had is not known where all was ended with it."""
    if entry.seconds < 1:
        return _("gave no answer before time was over")
    return _("gave no answer within {n} s").format(n=f"{entry.seconds:.0f}")


def _failure(entry: Entry) -> str:
    first = next((line for line in entry.all_text.splitlines() if line.strip()), "no message")
    return f"{entry.origin}: exit code {entry.exit_code}: {first.strip()}"

"""Places where settings stand in files: own files, lines of files, files of the kernel, entries of a JSON file."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils import files
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Failure
from ansible_collections.npudoctor.ascend.plugins.module_utils.settings import Place
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_json, read_text, write_json

HEADER = "# Written by npudoctor provision; `undo` takes it out again.\n"


class OwnFile(Place):
    """A whole file."""

    def __init__(self, state, run: str, path: str, mode: int = 0o644) -> None:
        self.state = state
        self.run = run
        self.path = path
        self.mode = mode

    def read(self):
        real = self.state.host(self.path)
        return read_text(real) if os.path.isfile(real) else None

    def write(self, text) -> None:
        if text is None:
            files.remove(self.state, self.run, self.path)
            self._leave_no_folder()
        else:
            files.write(self.state, self.run, self.path, text, self.mode)

    def _leave_no_folder(self) -> None:
        """A folder that is ours, or a unit's, goes with its last file."""
        folder = os.path.dirname(self.path)
        if folder == "/etc/npudoctor" or folder.endswith(".service.d"):
            with contextlib.suppress(OSError):
                os.rmdir(self.state.host(folder))


class Line(Place):
    """One line of a file that may have others: `pattern` finds it and its text (group 1), `form` makes it.

    The file goes when nothing but our header is left in it.
    """

    def __init__(self, state, run: str, path: str, pattern: str, form: str) -> None:
        self.file = OwnFile(state, run, path)
        self.pattern = re.compile(pattern)
        self.form = form

    def read(self):
        found = [match.group(1) for match in map(self.pattern.match, self._lines()) if match]
        return found[-1] if found else None

    def write(self, text) -> None:
        lines = self._lines()
        at = [number for number, line in enumerate(lines) if self.pattern.match(line)]
        kept = [line for number, line in enumerate(lines) if number not in at]
        if text is not None:
            kept.insert(at[0] if at else len(kept), self.form.format(text) + "\n")
        body = "".join(kept)
        if body.strip() in ("", HEADER.strip()):
            self.file.write(None)
        else:
            self.file.write(body if lines else HEADER + body)

    def _lines(self) -> list:
        text = self.file.read() or ""
        return (text if text.endswith("\n") or not text else text + "\n").splitlines(True)


class KernelFile(Place):
    """A file under /proc/sys or /sys. Of a choice (`always [madvise] never`) the text is the one in brackets."""

    def __init__(self, state, path: str) -> None:
        self.state = state
        self.path = path

    def there(self) -> bool:
        """Whether this kernel has it."""
        return bool(glob.glob(self.state.host(self.path)))

    def read(self):
        texts = sorted({_chosen(read_text(path)) for path in glob.glob(self.state.host(self.path))})
        return ", ".join(texts) if texts else None

    def write(self, text) -> None:
        # Files that differed before (governors) cannot all be put back: the last text stands for them.
        value = (text or "").split(", ")[-1]
        for path in sorted(glob.glob(self.state.host(self.path))):
            with open(path, "w", encoding="ascii") as file:
                file.write(value + "\n")


class JsonEntry(Place):
    """An entry of a JSON file, by the names that lead to it; its text is JSON. All others stay as they are."""

    def __init__(self, state, run: str, path: str, *names: str) -> None:
        self.file = OwnFile(state, run, path)
        self.names = names

    def read(self):
        found = self.whole()
        for name in self.names:
            if not isinstance(found, dict) or name not in found:
                return None
            found = found[name]
        return json_text(found)

    def write(self, text) -> None:
        whole = self.whole()
        first = self._first_text()
        _put(whole, self.names, None if text is None else json.loads(text))
        if json_text(whole) == json_text(_object(first)):
            self.file.write(first)
        else:
            self.file.write(json.dumps(whole, indent=2, ensure_ascii=False) + "\n")

    def _first_text(self):
        """The file as it was before the first change of ours, to be put back with its own blanks; None: no file."""
        path = os.path.join(self.file.state.folder("originals"), self.file.path.strip("/").replace("/", "-"))
        known = read_json(path)
        if "text" not in known:
            known = {"text": self.file.read()}
            write_json(path, known)
        return known["text"]

    def whole(self) -> dict:
        """All of the file, in its order. Raises Failure (`invalid-json`): it is then never written."""
        try:
            found = _object(self.file.read())
        except ValueError as error:
            raise Failure("invalid-json", "{0} is no valid JSON ({1})".format(self.file.path, error), _MEND) from error
        if not isinstance(found, dict):
            raise Failure("invalid-json", "{0} holds no JSON object".format(self.file.path), _MEND)
        return found


_MEND = "mend it by hand; `python3 -m json.tool` shows where"


def json_text(value) -> str:
    """JSON in one way of writing."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _object(text):
    return json.loads(text) if text and text.strip() else {}


def _put(found: dict, names, value) -> None:
    """Set an entry, or (None) take it out with the objects that it leaves empty."""
    first, rest = names[0], names[1:]
    if rest:
        inner = found.get(first)
        inner = dict(inner) if isinstance(inner, dict) else {}
        _put(inner, rest, value)
        value = inner or None
    if value is None:
        found.pop(first, None)
    else:
        found[first] = value


def _chosen(text: str) -> str:
    found = re.search(r"\[([^\]]+)\]", text)
    return found.group(1) if found else " ".join(text.split())

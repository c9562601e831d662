"""What a person sees on standard error while hosts are provisioned: a line for each host and step."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from threading import Lock
from typing import Any, TextIO

from npudoctor.report.packages_text import size_text
from npudoctor.words import _, ngettext

_LONGEST = 120
"""Characters of an error that are printed while hosts are at it."""


class ProvisionProgress:
    """Tells of each event; waiting is told once for each thing that is waited for."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._lock = Lock()
        self._began = time.monotonic()
        self._waiting: dict[str, str] = {}
        self._phases: dict[str, str] = {}

    def tell(self, host: str, event: str, what: dict[str, Any]) -> None:
        """One event of a host, or of the run where `host` is empty; from any thread."""
        line = self._line(host, event, what)
        if not line:
            return
        minutes, seconds = divmod(int(time.monotonic() - self._began), 60)
        with self._lock:
            self._stream.write(f"{minutes:3}:{seconds:02} {host or 'npudoctor'}: {line}\n")
            self._stream.flush()

    def _line(self, host: str, event: str, what: dict[str, Any]) -> str:
        if event == "wait":
            return self._wait(host, what["for"])
        self._waiting.pop(host, None)
        if event == "phase":
            return self._phase(host, what)
        return _LINES[event](what) if event in _LINES else ""

    def _wait(self, host: str, reason: str) -> str:
        before, self._waiting[host] = self._waiting.get(host), reason
        words = {
            "drain": _("waits until its work has ended"),
            "install": _("waits for the installer that runs there"),
            "reboot": _("waits for the reboot"),
            "settle": _("waits until all NPUs have come up"),
            "verify": _("waits for the checks"),
        }
        return words.get(reason, "") if reason != before else ""

    def _phase(self, host: str, what: dict[str, Any]) -> str:
        """A phase is told of when it is entered, not at each writing of it."""
        before, self._phases[host] = self._phases.get(host), what["phase"]
        words = {
            "reboot": _("reboots"),
            "verify": _("is checked"),
            "undo": _("goes back: {reason}").format(reason=what["reason"]),
        }
        return words.get(what["phase"], "") if what["phase"] != before else ""


def _does(what: dict[str, Any]) -> str:
    """The begin of what can take minutes."""
    return " ".join(filter(None, (what["verb"], what["component"], what.get("version"), "…")))


def _did(what: dict[str, Any]) -> str:
    name = " ".join(filter(None, (what["verb"], what["component"])))
    if failed := what.get("failed"):
        return _("{step} failed: {why}").format(step=name, why=_clipped(failed))
    if what["verb"] in ("apply", "undo"):
        return _("{step}: ended after {seconds:.0f} s").format(step=name, seconds=what["seconds"])
    return name if what["verb"] in ("drain", "give-back") else ""


def _clipped(text: str) -> str:
    """One line; the whole of it is in the journal and in the report."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"


def _still(what: dict[str, Any]) -> str:
    if not what["seconds"]:
        line = _("starts the service and waits up to {most:.0f} s until it answers")
    elif what["seconds"] > what["at_most"]:  # an image was loaded first, or the service before starts again
        line = _("is still at the service, after {seconds} s")
    else:
        line = _("waits until the service answers: {seconds} of {most:.0f} s")
    return line.format(seconds=what["seconds"], most=what["at_most"])


_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "does": _does,
    "did": _did,
    "still": _still,
    "back-already": lambda what: _("as before already: {components}").format(
        components=", ".join(what["components"])
    ),
    "silent": lambda what: _("does not answer: {why}").format(why=what["why"]),
    "near": lambda what: ngettext(
        "takes {files} file from {giver}", "takes {files} files from {giver}", what["files"]
    ).format(files=what["files"], giver=what["from"]),
    "no-mirror": lambda what: _("has its packages sent from here: {why}").format(why=what["why"]),
    "set-aside": lambda what: _("gives its packages to no other host any more: {why}").format(
        why=what["why"]
    ),
    "packages": lambda what: ngettext(
        "takes {files} package, {size}", "takes {files} packages, {size}", what["files"]
    ).format(files=what["files"], size=size_text(what["bytes"])),
    "brake": lambda what: _("no other host is begun: {key}").format(key=what["key"]),
    "end": lambda what: " ".join(filter(None, (what.get("word"), what.get("key")))),
}

"""Talk to the agent: a program of the collection that is sent to a host with each request, and runs there."""

from __future__ import annotations

import base64
import errno
import json
import re
import shlex
import zlib
from functools import cache
from typing import TYPE_CHECKING, Any

from npudoctor.errors import NpudoctorError
from npudoctor.provision.effects.protocol import Fenced
from npudoctor.provision.playbooks import module_utils
from npudoctor.words import _

if TYPE_CHECKING:
    from npudoctor.collect.remote import Way

SECONDS = 90.0
"""That one request may take."""
_PLACE = "ansible_collections.npudoctor.ascend.plugins.module_utils"
_IMPORT = re.compile(rf"^from {re.escape(_PLACE)}(?:\.(\w+) import| import ([\w, ]+)$)", re.MULTILINE)
_FULL = f"[Errno {errno.ENOSPC}]"
_START = """\
import base64, importlib.abc, importlib.util, json, sys, zlib
unpack = lambda text: zlib.decompress(base64.b64decode(text)).decode()
sources = json.loads(unpack(sys.argv[1]))
class Sent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name in sources:
            return importlib.util.spec_from_loader(name, self, is_package=not sources[name])
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        exec(compile(sources[module.__name__], module.__name__, "exec"), module.__dict__)
sys.meta_path.insert(0, Sent())
from PLACE import agent
agent.main(unpack(sys.argv[2]))
""".replace("PLACE", _PLACE)
_PYTHONS = (
    "/usr/bin/python3 python3 python3.13 python3.12 python3.11 python3.10 python3.9 python3.8 "
    "/usr/libexec/platform-python python3.7"
)
_SCRIPT = """\
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
for oldest in 8 7; do
for python in PYTHONS; do
  if "$python" -c "import sys; sys.exit(sys.version_info < (3, $oldest))" 2>/dev/null; then
    "$python" -c START SOURCES REQUEST
    exit_code=$?; break 2
  fi
  exit_code=127
done
done
(exit $exit_code)"""


def ask(way: Way, verb: str, within: float = SECONDS, **request: Any) -> dict[str, Any]:
    """What the agent answers.

    Raises:
        IncompleteError: The host cannot be reached.
        NpudoctorError: It has no Python, or the agent failed.
        Fenced: Another run has the host.
    """
    output = way.run(_script(json.dumps({"verb": verb, **request})), within)
    if output.exit_code == 127:
        what = _("there is no Python 3.7 or later")
        raise NpudoctorError(what, _("install python3 on the host"))
    try:
        answer: dict[str, Any] = json.loads(output.stdout)
    except ValueError:
        lines = output.stderr.decode("utf-8", "replace").strip().splitlines() or ["no answer"]
        what = _("the agent failed there: {why}").format(why=lines[-1][:200])
        raise NpudoctorError(
            what, _("make room in /var/lib/npudoctor") if _FULL in lines[-1] else ""
        ) from None
    if "refused" in answer:
        raise Fenced(_("it belongs to {whose}").format(whose=answer["refused"]))
    return answer


def _script(request: str) -> str:
    words = {"PYTHONS": _PYTHONS, "START": shlex.quote(_START), "SOURCES": _sources()}
    script = _SCRIPT
    for word, value in {**words, "REQUEST": _packed(request)}.items():
        script = script.replace(word, value, 1)
    return script


@cache
def _sources() -> str:
    """The agent and what it needs, by module; the packages around them are empty."""
    words = _PLACE.split(".")
    found = {".".join(words[: n + 1]): "" for n in range(len(words))}
    left = ["agent"]
    while left:
        name = left.pop()
        text = (module_utils() / f"{name}.py").read_text(encoding="utf-8")
        found[f"{_PLACE}.{name}"] = text
        needed = [
            word.split()[0] for pair in _IMPORT.findall(text) for word in f"{pair[0]}{pair[1]}".split(",")
        ]
        left += [each for each in needed if f"{_PLACE}.{each}" not in found]
    return _packed(json.dumps(found))


def _packed(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()

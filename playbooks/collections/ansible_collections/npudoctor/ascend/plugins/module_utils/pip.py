"""Makes a virtual environment out of wheels that were looked at first.

pip never chooses where from: it sees a private folder of verified wheels and no index. Where some come from a folder
of the host or from an index that is named, it fetches them into the private folder before, without installing.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import time

from ansible_collections.npudoctor.ascend.plugins.module_utils import package, wheels
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Failure
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import write_whole

# No configuration of the host and no variable of the caller's adds an index.
_ENVIRONMENT = {"PIP_CONFIG_FILE": "/dev/null"}
_QUIET = ["--isolated", "--disable-pip-version-check", "--no-input", "--no-cache-dir"]
_MISSING = re.compile(
    r"(?:No matching distribution found for|Could not find a version that satisfies the requirement)\s+(\S+)"
)


class Maker:
    """Makes one environment. `params` are those of the module `python_env`; `log` is the file with all that was said."""

    def __init__(self, state, tools, params: dict) -> None:
        self.state = state
        self.tools = tools
        self.params = params
        self.log = os.path.join(
            state.folder("logs"), "python_env-{0}.log".format(time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()))
        )
        self.said = []
        self.pip = []

    def make(self, folder: str, python: str, wanted: list) -> None:
        """The environment in `folder`, whole and consistent: with what is wanted, or with all wheels where nothing is.

        Raises Failure where that cannot be.
        """
        try:
            with self._private(self.params["packages"]) as private:
                self._create(folder, python, private)
                asked = wanted or sorted(map(self._inside, _wheels(private)))
                inside = os.path.join(self._inside(folder), "bin", "python")
                self._fetch(inside, private, asked)
                for path in _wheels(private):
                    wheels.inspect(path)
                self._pip(inside, "install", "--no-index", "--find-links", self._inside(private), *asked)
            self._check(inside)
        finally:
            write_whole(self.log, "".join(self.said).encode())

    @contextlib.contextmanager
    def _private(self, given: list):
        """A folder with the given wheels, each verified by its digest and looked into."""
        folder = tempfile.mkdtemp(prefix="wheels-", dir=self.state.folder("packages"))
        try:
            for each in given:
                package.verify(self.state, each)
                path = os.path.join(folder, os.path.basename(each["name"]))
                with contextlib.suppress(FileExistsError):
                    os.link(self.state.stored(each["sha256"]), path)
                wheels.inspect(path)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _create(self, folder: str, python: str, private: str) -> None:
        os.makedirs(os.path.dirname(folder), mode=0o755, exist_ok=True)
        pip = next((path for path in _wheels(private) if os.path.basename(path).startswith("pip-")), "")
        if self._run(python, "-I", "-c", "import ensurepip, venv").rc == 0:
            answer = self._run(python, "-I", "-m", "venv", self._inside(folder))
        elif pip:
            answer = self._run(python, "-I", "-m", "venv", "--without-pip", self._inside(folder))
        else:
            words = "{0} cannot make an environment: it has no ensurepip".format(python)
            raise Failure(
                "python-venv-missing", words, "install python3-venv, or give the wheel of pip among the packages"
            )
        if answer.rc:
            raise Failure("python-venv-failed", answer.last, "read " + self.log, rc=answer.rc, log=self.log)
        own = os.path.exists(os.path.join(folder, "bin", "pip"))
        self.pip = ["-I", "-m", "pip"] if own else [os.path.join(self._inside(pip), "pip")]

    def _fetch(self, python: str, private: str, asked: list) -> None:
        """What the given wheels and the requirements need, from the sources that are named; nothing where none is."""
        house, index = self.params["wheelhouse"], self.params["index_url"]
        if not (house or index):
            return
        sources = ["--index-url", index] if index else ["--no-index"]
        sources += ["--find-links", house] if house else []
        flags = ["--only-binary", ":all:", "--find-links", self._inside(private), "--dest", self._inside(private)]
        self._pip(python, "download", *flags, *sources, *asked)

    def _pip(self, python: str, verb: str, *argv: str) -> None:
        answer = self._run(python, *self.pip, verb, *_QUIET, *argv)
        if answer.rc == 0:
            return
        missing = _MISSING.search(answer.text)
        if missing:
            words = "no wheel of {0} is among those given".format(missing.group(1))
            raise Failure(
                "wheel-missing", words, "add it, or name a wheelhouse or an index", rc=answer.rc, log=self.log
            )
        raise Failure("pip-failed", "pip says: {0}".format(answer.last), "read " + self.log, rc=answer.rc, log=self.log)

    def _check(self, python: str) -> None:
        answer = self._run(python, "-I", "-m", "pip", "check", "--disable-pip-version-check")
        if answer.rc:
            words = "the packages do not fit each other: {0}".format(answer.last)
            raise Failure("packages-do-not-fit", words, "give versions that fit", rc=answer.rc, log=self.log)

    def _run(self, *argv: str):
        answer = self.tools.run(*argv, environment=_ENVIRONMENT, seconds=self.params["seconds"])
        self.said.append("$ {0}\n{1}\n".format(" ".join(argv), answer.text))
        return answer

    def _inside(self, path: str) -> str:
        root = self.state.root.rstrip("/")
        return path[len(root) :] if root and path.startswith(root + "/") else path


def _wheels(folder: str) -> list:
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".whl"))

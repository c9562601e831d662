"""Programs of the host: found in its own folders, called by an argument list, in English."""

from __future__ import annotations

import os
import subprocess

_FOLDERS = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
_SECONDS = 600


class Answer:
    """What a program ended with (`rc`) and printed (`text`, both streams). 127: it is not there."""

    def __init__(self, rc: int, text: str) -> None:
        self.rc = rc
        self.text = text

    @property
    def last(self) -> str:
        """The last line that says something."""
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        return lines[-1] if lines else "it ended with {0}".format(self.rc)


class Tools:
    """The programs of one host; those of an image that is mounted run inside it (chroot)."""

    def __init__(self, state) -> None:
        self.state = state
        self.live = state.root == "/"

    def has(self, name: str) -> bool:
        """Whether the host has a program of this name, or at this path."""
        return any(os.access(self.state.host(path), os.X_OK) for path in _places(name))

    def run(self, *argv: str, **more: object) -> Answer:
        """Call a program. `seconds` (600) is how long it may take, `environment` what is set beside the usual."""
        command = list(argv) if self.live else ["chroot", self.state.root] + list(argv)
        environment = dict(os.environ, LC_ALL="C", LANG="C", **(more.get("environment") or {}))
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment,
                timeout=more.get("seconds", _SECONDS),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Answer(124, "{0} did not end in time".format(argv[0]))
        except OSError as error:
            return Answer(127, str(error))
        return Answer(done.returncode, done.stdout.decode(errors="replace"))

    def systemd(self) -> bool:
        """Whether systemd runs the host."""
        return os.path.isdir(self.state.host("/run/systemd/system"))


def _places(name: str) -> list:
    return [name] if name.startswith("/") else [os.path.join(folder, name) for folder in _FOLDERS]

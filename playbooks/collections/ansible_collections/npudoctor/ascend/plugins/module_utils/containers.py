"""Docker's client on the host: one container by its name, as the engine tells of it."""

from __future__ import annotations

import json
import subprocess

from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Failure

_SECONDS = 300


class Docker:
    """The engine of the host that the module runs on."""

    def call(self, *argv: str, **more: object) -> str:
        """What the client prints. Raises Failure (`docker`) with its last line where it fails."""
        done = self._run(argv, more.get("seconds", _SECONDS))
        if done.returncode:
            said = done.stdout.decode("utf-8", "replace").strip().splitlines()
            raise Failure(
                "docker", "docker {0}: {1}".format(argv[0], said[-1] if said else done.returncode), "see docker info"
            )
        return done.stdout.decode("utf-8", "replace")

    def works(self) -> bool:
        """Whether there is a client, and an engine that answers it."""
        try:
            return self._run(("version", "--format", "{{.Server.Version}}"), 30).returncode == 0
        except Failure:
            return False

    def container(self, name: str) -> dict:
        """A container as `docker inspect` tells of it; empty where there is none of this name."""
        return self._inspected("container", name)

    def image(self, name: str) -> str:
        """The id of an image; empty where it is not on the host."""
        return self._inspected("image", name).get("Id", "")

    def logs(self, name: str, lines: int) -> str:
        """The last lines of a container; empty where they cannot be had."""
        return self._run(("logs", "--tail", str(lines), name), _SECONDS).stdout.decode("utf-8", "replace")

    def _inspected(self, kind: str, name: str) -> dict:
        done = self._run((kind, "inspect", name), _SECONDS)
        if done.returncode:
            return {}
        return json.loads(done.stdout.decode("utf-8", "replace"))[0]

    def _run(self, argv: tuple, seconds: int):
        try:
            return subprocess.run(
                ("docker",) + tuple(argv),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failure("docker", "docker {0}: {1}".format(argv[0], error), "see whether Docker runs") from error

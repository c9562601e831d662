"""Where npudoctor keeps what must outlive a run, on the host that is changed.

```
/var/lib/npudoctor/            0700, root
  steps/<component>.json       the last run of an installer: see `installer.Step`
  logs/<component>-<when>.log  all that it printed
  backup/<run>/<path>          files as they were before the first change of a run
  packages/<name>              a verified package under its own name, while it runs
  store/sha256/ab/abcd…        packages by their digest
```
"""

from __future__ import annotations

import json
import os
import tempfile


class State:
    """The paths of one host. `root` is `/`, or the place where an image of a host is mounted."""

    def __init__(self, root: str = "/") -> None:
        self.root = root
        self.home = self.host("/var/lib/npudoctor")

    def host(self, path: str) -> str:
        """A path of the host, as it is to be opened from here."""
        return path if self.root == "/" else os.path.join(self.root, path.lstrip("/"))

    def folder(self, name: str) -> str:
        """A folder of the state, made where it is missing."""
        os.makedirs(self.home, mode=0o700, exist_ok=True)
        path = os.path.join(self.home, name)
        os.makedirs(path, mode=0o700, exist_ok=True)
        return path

    def stored(self, sha256: str) -> str:
        """Where the package with this digest lies (or would)."""
        return os.path.join(self.home, "store", "sha256", sha256[:2], sha256)

    def step_path(self, component: str) -> str:
        """Where the last run of a component's installer is told of."""
        return os.path.join(self.home, "steps", component + ".json")

    def step(self, component: str) -> dict:
        """What is known of the last run of an installer; empty where there is none, or nothing that can be read."""
        return read_json(self.step_path(component))

    def steps(self) -> dict:
        """Every step by its component."""
        try:
            names = sorted(os.listdir(os.path.join(self.home, "steps")))
        except FileNotFoundError:
            return {}
        return {name[:-5]: self.step(name[:-5]) for name in names if name.endswith(".json")}

    def boot_id(self) -> str:
        """The kernel's own name of this boot; a reboot is proved by another one."""
        return read_text("/proc/sys/kernel/random/boot_id").strip()


def read_text(path: str) -> str:
    """A file's text; empty where there is no such file."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return ""


def read_json(path: str) -> dict:
    """A JSON object; empty where the file is missing or was cut off."""
    try:
        found = json.loads(read_text(path))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def write_whole(path: str, data: bytes, mode: int = 0o600) -> None:
    """Write so that a power loss leaves the old or the new file, never a part: temporary, fsync, rename, fsync."""
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix="." + os.path.basename(path) + ".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    sync_folder(folder)


def write_json(path: str, value: dict) -> None:
    """A JSON object, written whole."""
    write_whole(path, (json.dumps(value, indent=1, sort_keys=True) + "\n").encode())


def sync_folder(path: str) -> None:
    """Make a rename in a folder last through a power loss."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

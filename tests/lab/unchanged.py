"""Whether a simulated host is bit for bit as it was: each file, link and folder, with mode and owner."""

from __future__ import annotations

import json

from tests.lab.provisioned import ProvisionedHost

PLACES = ("/etc", "/usr", "/var/lib", "/opt", "/home", "/root", "/lib", "/boot", "/srv")
EXCEPT = (
    "/var/lib/systemd",  # the random seed, the stamps of timers
    "/root/.ansible",  # where Ansible keeps what it runs, if nobody tells it another place
)
_WALK = """
import hashlib, json, os, stat, sys
places, spared = json.load(sys.stdin)
found = {}
def note(path):
    seen = os.lstat(path)
    words = [oct(seen.st_mode), seen.st_uid, seen.st_gid]
    if stat.S_ISLNK(seen.st_mode):
        words.append(os.readlink(path))
    elif stat.S_ISREG(seen.st_mode):
        with open(path, 'rb') as file:
            words += [seen.st_mtime_ns, hashlib.blake2b(file.read()).hexdigest()]
    found[path] = ' '.join(map(str, words))
for place in places:
    if not os.path.isdir(place) or os.path.islink(place):
        continue
    for folder, folders, files in os.walk(place):
        folders[:] = [one for one in folders if os.path.join(folder, one) not in spared]
        for name in [*folders, *files]:
            path = os.path.join(folder, name)
            if path not in spared:
                note(path)
json.dump(found, sys.stdout)
"""


def snapshot(host: ProvisionedHost, besides: tuple[str, ...] = ()) -> dict[str, str]:
    """By path: mode, owner, group, and the time and the digest of a file or the target of a link.

    Args:
        besides: Files and folders to leave out, besides `EXCEPT`.
    """
    done = host.run("python3", "-c", _WALK, text=json.dumps([PLACES, [*EXCEPT, *besides]]))
    found: dict[str, str] = json.loads(done.stdout)
    return found


def changes(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """The paths that are new (`+`), gone (`-`) or other (`~`)."""
    rows = [(path, "+") for path in after.keys() - before.keys()]
    rows += [(path, "-") for path in before.keys() - after.keys()]
    rows += [(path, "~") for path in before.keys() & after.keys() if before[path] != after[path]]
    return [f"{mark} {path}" for path, mark in sorted(rows)]

import os as _os


def _said():
    with open("/lab/host.yaml", encoding="utf-8") as file:
        said = dict(line.rstrip("\n").split(": ", 1) for line in file if ": " in line)
    real = _uname()
    release, machine = said.get("kernel", real.release), said.get("arch", real.machine)
    return _os.uname_result((real.sysname, real.nodename, release, real.version, machine))


_uname, _os.uname = _os.uname, _said

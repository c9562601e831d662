"""Hosts as trees of files with a simulated npu-smi, and driver and firmware packages that really run."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from tests.lab.host import build
from tests.provision.collection import calling
from tests.provision.collection.calling import call, lay

ARCH = os.uname().machine
NAMES = {
    "driver": "Ascend-hdk-{chip}-npu-driver_{version}_linux-{spelled}.run",
    "firmware": "Ascend-hdk-{chip}-npu-firmware_{version}.run",
}
# A package knows its host by where it lies. A file `fault` there says what happens half-way through.
_PACKAGE = """\
#!/bin/sh
root=${{0%/var/lib/npudoctor/*}} kind={kind} version={version}
echo "$kind $version $*" >>"$root/ran"
folder=$root/usr/local/Ascend/$kind
fault=$(cat "$root/fault" 2>/dev/null)
rm -f "$root/fault"
[ "$fault" != busy ] || {{ echo "[ERROR]The davinci nodes are occupied by some processes"; exit 1; }}
mkdir -p "$folder/script"
rm -f "$folder/version.info"
case $fault in
die) kill -9 $$ ;;
fail) echo "[ERROR]Dkms install failed, details in : /var/log/x"; exit 1 ;;
slow) sleep 3 ;;
silent) exit 0 ;;
esac
echo "Version=$version" >"$folder/version.info"
printf '#!/bin/bash\\nrm -rf "%s"\\necho "Reboot needed for uninstallation to take effect"\\n' "$folder" \\
  >"$folder/script/uninstall.sh"
[ -z "$fault" ] || [ "$fault" != error ] || {{ echo "ERR_NO:0x0094;ERR_DES:all in vain"; exit 0; }}
echo "{words}"
exit {code}
"""
WORDS = {
    "driver": r"[INFO]\033[32mDriver package installed successfully! \033[0m"
    "Reboot needed for installation/upgrade to take effect!",
    "firmware": "[INFO]Firmware package installed successfully! "
    "Reboot now or after driver installation for the installation/upgrade to take effect",
}


class Host:
    """One host. Its npu-smi says what runs: `run` changes that, as a reboot would."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, **state: object) -> None:
        self.root = folder / "root"
        self.root.mkdir()
        self.tools = folder / "tools"
        self.tools.mkdir()
        self.monkeypatch = monkeypatch
        lab = build(self.tools, **{"npus": 2, "driver": "none", "firmware": "none"} | state)
        monkeypatch.setenv("PATH", lab.variables["PATH"])
        monkeypatch.setattr(calling, "STANDINS", self.tools / "bin")  # its tools stand before all others

    def installed(self, **versions: str) -> Host:
        """Lay what was installed before this test, and let it run."""
        lay(
            self.root,
            {f"/usr/local/Ascend/{kind}/version.info": f"Version={v}\n" for kind, v in versions.items()},
        )
        return self.runs(**versions)

    def runs(self, **versions: str) -> Host:
        """Let the NPUs say that these run."""
        path = self.tools / "host.yaml"
        rows = dict(line.split(": ", 1) for line in path.read_text().splitlines())
        path.write_text("".join(f"{key}: {value}\n" for key, value in {**rows, **versions}.items()))
        return self

    def package(
        self, kind: str, version: str, chip: str = "910b", arch: str = ARCH, words: str = "", code: int = 2
    ) -> dict[str, Any]:
        """A package in the store of the host."""
        name = NAMES[kind].format(chip=chip, version=version, spelled=arch.replace("_", "-"))
        text = _PACKAGE.format(kind=kind, version=version, words=words or WORDS[kind], code=code)
        return self.keep(name, text.encode())

    def keep(self, name: str, data: bytes) -> dict[str, Any]:
        """Any file in the store of the host."""
        sha256 = hashlib.sha256(data).hexdigest()
        path = self.stored(sha256)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return {"name": name, "sha256": sha256, "size": len(data)}

    def stored(self, sha256: str) -> Path:
        """Where a package lies."""
        return self.root / "var/lib/npudoctor/store/sha256" / sha256[:2] / sha256

    def fault(self, word: str) -> None:
        """What befalls the next package that runs."""
        (self.root / "fault").write_text(word)

    def call(self, module: str, **parameters: Any) -> dict[str, Any]:
        """What a module answers."""
        return call(module, self.root, **parameters)

    @property
    def ran(self) -> list[str]:
        """The packages that ran, with their flags."""
        path = self.root / "ran"
        return path.read_text().splitlines() if path.exists() else []

    def version(self, kind: str) -> str:
        """What is on disk; empty where nothing is."""
        path = self.root / "usr/local/Ascend" / kind / "version.info"
        return path.read_text().strip().partition("=")[2] if path.exists() else ""

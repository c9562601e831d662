"""Hosts as trees of files, and packages of CANN that run: they lay, say and remove what the vendor's do."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from tests.provision.collection.calling import call, lay

ARCH = os.uname().machine
ASCEND = "usr/local/Ascend"
_BASH = """\
#!/bin/sh
# In place of bash: paths of the image are opened where it is mounted.
[ "$1" = -c ] || { file=$1; shift; exec /bin/bash "$ROOT$file" "$@"; }
script=$2 name=$3
shift 3
for file in "$@"; do set -- "$@" "$ROOT$file"; shift; done
exec /bin/bash -c "$script" "$name" "$@"
"""
_HEAD = """\
#!/bin/bash
# {name}
V={version} A={arch} CHIP={chip} ASCEND=$ROOT/usr/local/Ascend
echo "$0 $*" >>"$ROOT/ran"
[ ! -e "$ROOT/break" ] || {{ rm "$ROOT/break"; eval "$half"; exit 1; }}
"""
_TOOLKIT = """\
install_in() { # FOLDER SET_ENV
  mkdir -p "$1/$A-linux/script" "$1/runtime"
  echo "Version=7.8.0.1" >"$1/runtime/version.info"
  [ "$2" = half ] && return
  printf 'package_name=Ascend-cann-toolkit\\nversion=%s\\n' "$V" >"$1/$A-linux/ascend_toolkit_install.info"
  {
    printf '#!/bin/bash\\nrm -rf "%s" "%s"\\n' "$1" "$3"
    printf 'rmdir "%s" 2>/dev/null\\necho "[INFO] toolkit uninstall success"\\n' "$ASCEND/ascend-toolkit"
  } >"$1/$A-linux/script/uninstall.sh"
  echo "export ASCEND_TOOLKIT_HOME=$3" >"$2"
}
place() { # WHAT
  case $V in
    8.[0-4]*|7.*)
      install_in "$ASCEND/ascend-toolkit/$V" "$1" "$ASCEND/ascend-toolkit/latest"
      [ "$1" = half ] || ln -sfn "$V" "$ASCEND/ascend-toolkit/latest" ;;
    *)
      install_in "$ASCEND/cann-$V" "$1" "$ASCEND/cann"
      [ "$1" = half ] || ln -sfn "cann-$V" "$ASCEND/cann" ;;
  esac
}
env_file() {
  case $V in
    8.[0-4]*|7.*) echo "$ASCEND/ascend-toolkit/set_env.sh" ;;
    *) echo "$ASCEND/cann-$V/set_env.sh" ;;
  esac
}
case " $* " in
  *" --upgrade "*)
    rm -rf "$ASCEND"/ascend-toolkit/[0-9]* "$ASCEND"/ascend-toolkit/latest "$ASCEND"/cann-*
    place "$(env_file)" && echo "Ascend-cann-toolkit upgrade success" ;;
  *" --install "*) place "$(env_file)" && echo "[INFO] Ascend-cann-toolkit install success" ;;
esac
"""
_OPS = """\
for now in "$ASCEND/cann" "$ASCEND/ascend-toolkit/latest"; do [ ! -d "$now" ] || break; done
[ -d "$now" ] || { echo "[ERROR] no toolkit"; exit 1; }
now=$(readlink -f "$now")
mkdir -p "$now/opp/built-in/op_impl/ai_core/tbe/kernel/config/ascend$CHIP" "$now/opp_kernel/script"
echo '{}' >"$now/opp/built-in/op_impl/ai_core/tbe/kernel/config/ascend$CHIP/abs.json"
printf 'package_name=Ascend-cann-%s-ops\\nversion=%s\\n' "$CHIP" "$V" >"$now/$A-linux/ascend_ops_install.info"
printf '#!/bin/bash\\nrm -rf "%s" "%s"\\necho "[INFO] ops uninstall success"\\n' \\
  "$now/opp" "$now/$A-linux/ascend_ops_install.info" >"$now/$A-linux/script/ops_uninstall.sh"
echo "[INFO] Ascend-cann-$CHIP-ops install success"
"""
_NNAL = """\
[ -n "$ASCEND_TOOLKIT_HOME" ] || { echo "Check owner failed, please check env ASCEND_TOOLKIT_HOME"; exit 1; }
base=$ASCEND/nnal/atb
mkdir -p "$base/$V/atb/cxx_abi_0" "$base/$V/atb/cxx_abi_1" "$base/$V/scripts"
printf '    Ascend-cann-atb : %s\\n' "$V" >"$base/$V/version.info"
echo 'export ATB_HOME_PATH=x' >"$base/set_env.sh"
ln -sfn "$V" "$base/latest"
printf '#!/bin/bash\\nrm -rf "%s"\\necho "Ascend-cann-atb uninstall success!"\\n' "$ASCEND/nnal" \\
  >"$base/$V/scripts/uninstall.sh"
echo "Ascend-cann-atb install success!"
"""
_KINDS = {
    "toolkit": ("Ascend-cann-toolkit_{version}_linux-{arch}.run", _TOOLKIT, "place half"),
    "ops": ("Ascend-cann-{chip}-ops_{version}_linux-{arch}.run", _OPS, ""),
    "kernels": ("Ascend-cann-kernels-{chip}_{version}_linux-{arch}.run", _OPS, ""),
    "nnal": ("Ascend-cann-nnal_{version}_linux-{arch}.run", _NNAL, ""),
}


class Host:
    """One host whose files lie under `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        lay(root, {"/usr/bin/bash": _BASH, "/proc/sys/kernel/random/boot_id": "1-2-3\n"})
        (root / "usr/bin/bash").chmod(0o755)

    def store(self, kind: str, version: str, chip: str = "910b", arch: str = ARCH) -> dict[str, Any]:
        """A package in the store of the host, as modules take it."""
        pattern, body, half = _KINDS[kind]
        name = pattern.format(version=version, arch=arch, chip=chip)
        head = _HEAD.format(name=name, version=version, arch=arch, chip=chip)
        place, _case, rest = body.partition('case " $* " in')
        text = f"half='{half}'\n{place}" if half else ""
        whole = (
            head.split("\n", 1)[0] + "\n" + text + head.split("\n", 1)[1] + (_case + rest if half else body)
        )
        return self.keep(name, whole.encode())

    def keep(self, name: str, data: bytes) -> dict[str, Any]:
        """Any file in the store of the host."""
        sha256 = hashlib.sha256(data).hexdigest()
        path = self.root / "var/lib/npudoctor/store/sha256" / sha256[:2] / sha256
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return {"name": name, "sha256": sha256, "size": len(data)}

    def call(self, module: str, **parameters: Any) -> dict[str, Any]:
        """What a module answers."""
        return call(module, self.root, **parameters)

    def have(self, module: str, *packages: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Apply packages; it must work."""
        answer = self.call(module, packages=list(packages), **more)
        assert not answer.get("failed"), answer
        return answer

    @property
    def ran(self) -> list[str]:
        """How packages were called, the flags alone."""
        path = self.root / "ran"
        rows = path.read_text().splitlines() if path.exists() else []
        return [row.split(" ", 1)[1] if " " in row else "" for row in rows]

    def path(self, below: str) -> Path:
        """A path below the folder of the installations."""
        return self.root / ASCEND / below

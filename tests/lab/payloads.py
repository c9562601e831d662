"""What lies in the packages of the lab: the files by which the vendor's are known, and nothing in them."""

from __future__ import annotations

from pathlib import Path

_TOOL = '#!/bin/sh\nexec {tool} "$@"\n'
_MODELS = {
    "310P": ("310P1", "310P3"),
    "910": ("910A", "910ProB"),
    "910B": ("910B1", "910B2", "910B3", "910B4"),
    "A3": ("910_9391", "910_9392", "910_9382"),
    "950": ("950PR_9589",),
}
_FOLDERS = {
    "310P": "ascend310p",
    "910": "ascend910",
    "910B": "ascend910b",
    "A3": "ascend910_93",
    "950": "ascend910_95",
}
_KERNELS = "opp/built-in/op_impl/ai_core/tbe/kernel"
_PARTS = ("runtime", "compiler", "hccl", "opp", "toolkit")
_VERSION_INFO = "Version={version}\nversion_dir={version}\n"
_ACL = Path(__file__).parent / "python" / "acl.py"
_DRIVER = "Version=VERSION\nascendhal_version=7.35.23\npackage_version=VERSION\n"
_FIRMWARE = "Version=VERSION\nfirmware_version=1.0\npackage_version=VERSION\n"


def payload(kind: str, version: str, chip: str, arch: str) -> dict[str, str]:
    """The files of a package by their path in it; what gets installed is below `payload`."""
    if kind == "driver":
        return {**_below("driver", _driver(arch)), "version.info": _DRIVER}
    if kind == "firmware":
        return {**_below("firmware", {"script/upgrade.conf": ""}), "version.info": _FIRMWARE}
    if kind == "toolkit":
        return _below("", _toolkit(version, arch))
    if kind in ("ops", "kernels"):
        return _below("", _operators(kind, version, chip))
    if kind == "nnal":
        return _below("", {f"atb/cxx_abi_{abi}/lib/libatb.so": "" for abi in (0, 1)})
    return _below("", _runtime())


def write(path: Path, text: str) -> None:
    """A file with its folders; a script can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755 if text.startswith("#!") else 0o644)


def _below(folder: str, files: dict[str, str]) -> dict[str, str]:
    return {str(Path("payload") / folder / path): text for path, text in files.items()}


def _driver(arch: str) -> dict[str, str]:
    tools = {"npu-smi": "/lab/bin/npu-smi"}
    tools |= {name: f"/system/driver/{name}" for name in ("hccn_tool", "upgrade-tool")}
    libraries = ("common/libc_sec.so", "driver/libdcmi.so", "driver/libascend_hal.so")
    return {
        **{f"tools/{name}": _TOOL.format(tool=tool) for name, tool in tools.items()},
        **{f"lib64/{path}": "" for path in libraries},
        "bin/setenv.bash": "# Sourced by logins.\n",
        "scene.info": f"os=linux\narch={arch}\n",
    }


def _toolkit(version: str, arch: str) -> dict[str, str]:
    models = [model for several in _MODELS.values() for model in several]
    info = f"Version={_part_version(version)}\nversion_dir={version}\n"
    places = [f"share/info/{part}" for part in _PARTS] if is_new(version) else list(_PARTS)
    return {
        **{f"{arch}-linux/data/platform_config/Ascend{model}.ini": "" for model in models},
        **{f"{place}/version.info": info for place in places},
        "lib64/libascendcl.so": "",
        "lib64/libhccl.so": "",
        "python/site-packages/acl.py": _ACL.read_text(),
        "python/site-packages/te/__init__.py": "",
        "bin/msprof": "#!/bin/sh\n",
        "bin/atc": "#!/bin/sh\n",
    }


def _part_version(version: str) -> str:
    """Up to 8.3 the parts of CANN count for themselves: those of 8.0 are 7.6.0.1.220."""
    minor = int(version.split(".")[1])
    return version if is_new(version) else f"7.{6 + minor}.0.1.220"


def is_new(version: str) -> bool:
    """Whether a CANN has the layout that came with 8.5."""
    major, minor = version.split(".")[:2]
    return (int(major), int(minor)) >= (8, 5)


def _operators(kind: str, version: str, chip: str) -> dict[str, str]:
    folder = _FOLDERS[chip]
    files = {f"{_KERNELS}/{folder}/abs.o": "", f"{_KERNELS}/config/{folder}/abs.json": "{}\n"}
    if kind == "ops":
        files["share/info/ops_nn/version.info"] = _VERSION_INFO.format(version=version)
    return files


def _runtime() -> dict[str, str]:
    return {
        "ascend-docker-runtime": '#!/bin/sh\nexec runc "$@"\n',
        "ascend-docker-hook": "#!/bin/sh\n",
        "ascend-docker-cli": "#!/bin/sh\n",
        "assets/base.list": "/usr/local/Ascend/driver/lib64\n/usr/local/dcmi\n/usr/local/bin/npu-smi\n",
    }

"""Install files of CANN: what each package says it is, and what its installer noted about itself."""

from __future__ import annotations

import re

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.registry import parser
from npudoctor.parse.version_info import key_values
from npudoctor.regex import regex
from npudoctor.versions import Cann, VersionError

_GROUP = regex(r"\[([^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class CannInstall:
    """One `ascend_*_install.info` of a toolkit, nnae, nnrt, kernels or ops package.

    Attributes:
        package: `Ascend-cann-toolkit`, `Ascend-cann-910b-ops`; None where the file does not say.
        version: `8.1.RC1`.
        inner: `V100R001C21SPC001B238`.
        compatible: Inner versions it knew when it was built, a group a bracket: one alone, or two ends.
        arch: `aarch64` or `x86_64`.
        path: The folder it was installed to.
    """

    package: str | None
    version: str
    inner: str | None
    compatible: tuple[tuple[str, ...], ...]
    arch: str | None
    path: str | None


@parser("cann-install-info", origin="<CANN>/<arch>-linux/ascend_toolkit_install.info and its kin")
def parse_cann_install(text: str) -> CannInstall:
    """The install file of one CANN package, as toolkit, nnae, nnrt, kernels and ops leave it.

    Raises:
        ParseError: There is no `version=` line, or its value is no CANN version.
    """
    values = {name.lower(): value for name, value in key_values(text).items() if value}
    version = values.get("version")
    if not version:
        raise ParseError("no version= line")
    return CannInstall(
        package=values.get("package_name"),
        version=cann_version(version),
        inner=values.get("innerversion"),
        compatible=_groups(values.get("compatible_version", "")),
        arch=values.get("arch"),
        path=values["path"].rstrip("/") if "path" in values else None,
    )


def cann_version(text: str) -> str:
    """`text` itself where it is a CANN version; raises `ParseError` where it is none."""
    if text.startswith("."):  # its first number is gone
        raise ParseError(f"{text!r} is no version of CANN")
    try:
        return Cann(text).text
    except VersionError as error:
        raise ParseError(str(error)) from None


@dataclass(frozen=True, slots=True)
class ComponentInstall:
    """One component's own `ascend_install.info`, in whatever case it writes its keys.

    Attributes:
        component: `opp`, `opp_kernel`, `runtime`, … as the keys name it; None where they name none.
        user: Who installed it.
        group: The group it belongs to.
        type: `full`, `run`, `devel`, `docker`.
        path: The folder it was installed to.
        version: Its component number, `7.7.0.1.238`; None where the file does not say.
        chip: The chip it was installed for; None for all.
    """

    component: str | None
    user: str | None
    group: str | None
    type: str | None
    path: str | None
    version: str | None
    chip: str | None


@parser("cann-component-install", origin="<CANN>/<component>/ascend_install.info")
def parse_component_install(text: str) -> ComponentInstall:
    """The install record of one CANN component (`opp/ascend_install.info` writes upper-case keys).

    Raises:
        ParseError: Neither a user nor an install type nor a path is in the text.
    """
    values = {name.lower(): value for name, value in key_values(text).items()}
    found = ComponentInstall(
        component=_component(values),
        user=_ending(values, "username"),
        group=_ending(values, "usergroup"),
        type=_ending(values, "install_type"),
        path=_ending(values, "install_path_val", "install_path_param", "install_path"),
        version=_ending(values, "_version"),
        chip=_ending(values, "install_chip"),
    )
    if not (found.user or found.type or found.path):
        raise ParseError("no USERNAME, …_INSTALL_TYPE or …_INSTALL_PATH… line")
    return found


def _groups(text: str) -> tuple[tuple[str, ...], ...]:
    groups = (tuple(end.strip() for end in group.split(",") if end.strip()) for group in _GROUP.findall(text))
    return tuple(group for group in groups if group)


def _component(values: dict[str, str]) -> str | None:
    names = (re.fullmatch(r"(.+)_install_type", key) for key in values)
    return next((name[1] for name in names if name), None)


def _ending(values: dict[str, str], *ends: str) -> str | None:
    hits = (value for end in ends for key, value in values.items() if key.endswith(end) and value)
    return next(hits, None)

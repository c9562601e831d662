"""The environment of CANN for logins and for services, and what others left in it.

Logins source the vendor's own scripts, through one file in /etc/profile.d. Services cannot: they get a file of
`NAME=value` lines, which is what those scripts set when they are sourced once on this host, and a drop-in for each
unit that shall read it. Scripts: `ascend-toolkit/set_env.sh` up to CANN 8.3, `cann/set_env.sh` from 8.5 on, and
`nnal/atb/set_env.sh --cxx_abi=N` behind it (CANN 8.5 installation guide; images of Ascend/cann-container-image).
"""

from __future__ import annotations

import os
import re

from ansible_collections.npudoctor.ascend.plugins.module_utils.cann_versions import has_new_layout, is_version
from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Failure, blocker, component_spec
from ansible_collections.npudoctor.ascend.plugins.module_utils.left_over import left_over
from ansible_collections.npudoctor.ascend.plugins.module_utils.places import HEADER, OwnFile
from ansible_collections.npudoctor.ascend.plugins.module_utils.settings import Setting, SettingsComponent
from ansible_collections.npudoctor.ascend.plugins.module_utils.tools import Tools

PROFILE = "/etc/profile.d/npudoctor-ascend.sh"
SERVICES = "/etc/npudoctor/ascend.env"
_DROP_IN = "/etc/systemd/system/{0}.service.d/90-ascend-environment.conf"
_UNIT = re.compile(r"[A-Za-z0-9][A-Za-z0-9:_.@-]*$")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*$")
_UNSAFE = re.compile(r"[\"$`\\\n}]")
_OF_THE_SHELL = ("PWD", "OLDPWD", "SHLVL", "_", "HOME", "LC_ALL", "LANG")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def environment_spec() -> dict:
    """The parameters of the module `environment`."""
    return component_spec(
        run={"type": "str", "default": ""},
        install_path={"type": "path", "default": "/usr/local/Ascend"},
        cann_version={"type": "str", "default": ""},
        nnal_abi={"type": "str", "default": "", "choices": ["", "0", "1"]},
        variables={"type": "dict", "default": {"PYTORCH_NPU_ALLOC_CONF": "expandable_segments:True"}},
        logins={"type": "bool", "default": True},
        services={"type": "bool", "default": True},
        units={"type": "list", "elements": "str", "default": []},
    )


class DropIn(OwnFile):
    """A file that systemd reads when it is told to."""

    def settle(self) -> None:
        tools = Tools(self.state)
        if tools.systemd() and tools.has("systemctl"):
            tools.run("systemctl", "daemon-reload")


class Environment(SettingsComponent):
    """The files through which logins and services get the environment of CANN."""

    name = "environment"

    def __init__(self, module) -> None:
        super().__init__(module)
        self.run = self.params["run"]
        self.tools = Tools(self.state)
        self.sourced = None

    def look(self) -> dict:
        _refuse_bad_names(self.params)
        shown = {setting.key: _summary(setting.place.read()) for setting in self.settings()}
        left = left_over(self.state, PROFILE, self.params["logins"])
        for line in left:
            self.module.warn(line)
        return dict(shown, scripts=self.scripts(), left_over=left)

    def settings(self) -> list:
        wanted = []
        if self.params["logins"]:
            wanted.append(self._setting("logins", self._profile(), "logins need the paths of CANN"))
        if self.params["services"]:
            wanted.append(self._setting("services", self._for_services(), "services source no scripts"))
            for unit in self.params["units"]:
                wanted.append(self._setting("unit-" + unit, _drop_in(), "this service shall have the environment"))
        return wanted

    def place(self, key: str):
        if key.startswith("unit-"):
            return DropIn(self.state, self.run, _DROP_IN.format(key[len("unit-") :]))
        path = {"logins": PROFILE, "services": SERVICES}.get(key)
        return OwnFile(self.state, self.run, path) if path else None

    def blockers(self, now: dict, back: bool) -> list:
        if back or self.scripts():
            return []
        where = ", ".join(self._candidates())
        words = "no set_env.sh of CANN is there ({0})".format(where)
        return self.unless_to_come(blocker("no-cann", words, "install the toolkit first"))

    def scripts(self) -> list:
        """The vendor's scripts that are there, in the order in which they are sourced."""
        toolkit = [path for path in self._candidates() if self._is_file(path)][:1]
        nnal = os.path.join(self.params["install_path"], "nnal/atb/set_env.sh")
        return toolkit + ([nnal] if toolkit and self._is_file(nnal) else [])

    def problems(self, now: dict) -> list:
        """A login must end with the paths of CANN; asked of bash itself."""
        if not self.params["logins"]:
            return []
        said = self._in_bash("bash", "--login", "-c", "env")
        return [] if "\nASCEND_HOME_PATH=" in "\n" + said.text else ["a login shell has no ASCEND_HOME_PATH"]

    def _setting(self, key: str, text: str, why: str) -> Setting:
        return Setting(key, self.place(key), text, why)

    def _difference(self, setting: Setting) -> dict:
        """How long a file is, rather than its text."""
        found = super()._difference(setting)
        return dict(found, before=_summary(setting.place.read()), after=_summary(setting.wanted))

    def _candidates(self) -> list:
        names = ("cann/set_env.sh", "ascend-toolkit/set_env.sh")
        new, old = (os.path.join(self.params["install_path"], name) for name in names)
        version = self.params["cann_version"]
        if not is_version(version):
            return [new, old]
        return [new] if has_new_layout(version) else [old]

    def _profile(self) -> str:
        lines = [HEADER.rstrip("\n")]
        scripts = self.scripts()
        if scripts:
            # The vendor's scripts are for bash and zsh, and put their folders in front each time.
            lines.append('if [ -n "${BASH_VERSION:-}${ZSH_VERSION:-}" ] && [ -z "${ASCEND_HOME_PATH:-}" ]; then')
            lines += ["    [ -r {0} ] && . {1}".format(path, self._call(path)) for path in scripts]
            lines.append("fi")
        for name, value in sorted(self._variables().items()):
            lines.append('export {0}="${{{0}:-{1}}}"'.format(name, value))
        return "\n".join(lines) + "\n"

    def _call(self, path: str) -> str:
        abi = self.params["nnal_abi"]
        return "{0} --cxx_abi={1}".format(path, abi) if abi and "/nnal/" in path else path

    def _for_services(self) -> str:
        variables = dict(self._sourced(), **self._variables())
        lines = ["{0}={1}".format(name, _quoted(value)) for name, value in sorted(variables.items())]
        return HEADER + "".join(line + "\n" for line in lines)

    def _sourced(self) -> dict:
        """What the scripts set, sourced once in an empty environment."""
        if self.sourced is None:
            self.sourced = self._source(self.scripts())
        return self.sourced

    def _source(self, scripts: list) -> dict:
        if not scripts:
            return {}
        calls = "; ".join(". " + self._call(path) for path in scripts)
        answer = self._in_bash("bash", "--noprofile", "--norc", "-c", "{ " + calls + "; } > /dev/null 2>&1; env -0")
        pairs = (each.partition("=") for each in answer.text.split("\0") if "=" in each)
        found = {name: value for name, _equals, value in pairs if name not in _OF_THE_SHELL and "\n" not in value}
        if not {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"} & set(found):
            words = "{0} sets no ASCEND_HOME_PATH".format(" and ".join(scripts))
            raise Failure("set-env", words, "source it in bash by hand and see why")
        return found

    def _in_bash(self, *argv: str):
        return self.tools.run("env", "-i", "PATH=" + _PATH, "HOME=/root", *argv, seconds=60)

    def _variables(self) -> dict:
        return {name: str(value) for name, value in self.params["variables"].items()}

    def _is_file(self, path: str) -> bool:
        return os.path.isfile(self.state.host(path))


def _refuse_bad_names(params: dict) -> None:
    for name, value in params["variables"].items():
        if not _NAME.match(name) or _UNSAFE.search(str(value)):
            words = "{0}={1} cannot be written to a file of variables".format(name, value)
            raise Failure("bad-variable", words, "leave it out, or set it in the service")
    for unit in params["units"]:
        if not _UNIT.match(unit) or unit.endswith(".service"):
            raise Failure("bad-unit", "{0} is no name of a service".format(unit), "give it without .service")


def _drop_in() -> str:
    return "{0}[Service]\nEnvironmentFile=-{1}\n".format(HEADER, SERVICES)


def _quoted(value: str) -> str:
    """As systemd reads it (EnvironmentFile=, systemd.exec(5))."""
    return '"{0}"'.format(re.sub(r"([\"\\$`])", r"\\\1", value))


def _summary(text) -> str:
    return "(no file)" if text is None else "{0} lines".format(len(text.splitlines()))

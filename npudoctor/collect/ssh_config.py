"""How a host is reached: what the inventory says, and for what it leaves open `~/.ssh/config`."""

from __future__ import annotations

import getpass
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

from npudoctor.collect.known_hosts import USUAL, KnownKey, name_in_known_hosts, read_known_hosts
from npudoctor.dataclass import dataclass
from npudoctor.errors import IncompleteError, UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from paramiko import SSHConfig

    from npudoctor.collect.inventory import Target

_INCLUDE = re.compile(r"^\s*include[\s=]+(.+)$", re.I)
_OF_PROXY = re.compile(r"^\s*proxycommand.*", re.I)
_PERCENT = "\0"
"""Stands for `%` in a ProxyCommand: paramiko would fill in the port of the file, not of the inventory."""
_JUMP = re.compile(r"(?:ssh://)?(?:([^@]+)@)?(\[[^]]+\]|[^:]+)(?::(\d+))?")
_USUAL = ("id_ed25519", "id_ecdsa", "id_rsa")
_DEPTH = 16
"""Includes within includes, and jumps behind jumps: OpenSSH's own limit for the former."""


@dataclass(frozen=True, slots=True)
class Route:
    """How a host is reached.

    Attributes:
        host: The name or address to connect to; `known_hosts` knows the host by it too.
        keys: Private key files to try.
        agent: Whether the keys of the agent may be tried.
        password: None where there is none.
        proxy_command: A command that stands in for the connection.
        jump: The host that stands between.
        known: The host keys that are known of it.
        known_file: Where a new one is to be written, as a person types it.
        alias: HostKeyAlias, under which `known_hosts` has it; empty where it is called as usual.
    """

    host: str
    port: int
    user: str
    keys: tuple[str, ...] = ()
    agent: bool = True
    password: str | None = None
    proxy_command: str | None = None
    jump: Route | None = None
    known: tuple[KnownKey, ...] = ()
    known_file: str = USUAL
    alias: str = ""

    @property
    def name(self) -> str:
        """What `known_hosts` calls it."""
        return self.alias or name_in_known_hosts(self.host, self.port)

    @property
    def place(self) -> str:
        """`user@host`, and the port where it is not 22: what a person gives to ssh."""
        return f"{self.user}@{self.host}" + ("" if self.port == 22 else f" -p {self.port}")


class SshConfig:
    """`~/.ssh/config` and `/etc/ssh/ssh_config`, read once for all hosts."""

    def __init__(self, home: Path | None = None, system: Path = Path("/etc/ssh")) -> None:
        """Read both; raises `UsageError` with the line that cannot be understood."""
        self._folder = (home or Path.home()) / ".ssh"
        self._system = system
        self._known: dict[tuple[Path, ...], tuple[KnownKey, ...]] = {}
        self._config = _parsed(self._folder / "config", system / "ssh_config")

    def route(self, target: Target) -> Route:
        """The way to a host of the inventory; what stands there wins over the configuration."""
        said = dict(target.options)
        return self._route(target.address, target.user, target.port, said, target.key, target.password)

    def _route(
        self,
        alias: str,
        user: str | None = None,
        port: int | None = None,
        said: Mapping[str, str] = {},
        key: str | None = None,
        password: str | None = None,
        depth: int = 0,
    ) -> Route:
        if depth > _DEPTH:
            raise IncompleteError(f"ProxyJump {alias}: " + _("leads in a circle"), _("see ~/.ssh/config"))
        found = {**self._lookup(alias), **said}
        host, number = str(found.get("hostname", alias)), port or _number(found.get("port", 22))
        name = user or str(found.get("user", "")) or getpass.getuser()
        jump, command = _between(found, said, (host, number, name))
        called = str(found.get("hostkeyalias", "")).lower()
        files = _known_files(str(found.get("userknownhostsfile", "")))
        return Route(
            host=host,
            port=number,
            user=name,
            keys=(str(Path(key).expanduser()),) if key else self._identities(found.get("identityfile")),
            agent=str(found.get("identitiesonly", "no")) != "yes",
            password=password,
            proxy_command=command,
            jump=self._jump(jump, depth),
            known=self._keys(files, called or name_in_known_hosts(host, number)),
            known_file=files[0] if files else USUAL,
            alias=called,
        )

    def _lookup(self, alias: str) -> dict[str, object]:
        try:
            return dict(self._config.lookup(alias))
        except ImportError:  # of `Match exec`: see `without_invoke`
            _add_invoke()
            return dict(self._config.lookup(alias))

    def _jump(self, chain: str, depth: int) -> Route | None:
        """The last host of `a,b`; each is reached through the one before it."""
        route = None
        for word in filter(None, chain.split(",")):
            match = _JUMP.fullmatch(word.strip())
            if match is None:
                raise IncompleteError(f"ProxyJump {word}: " + _("is no host"), _("write USER@HOST:PORT"))
            port = int(match[3]) if match[3] else None
            hop = self._route(match[2].strip("[]"), match[1], port, depth=depth + 1)
            route = _behind(hop, route) if route else hop
        return route

    def _identities(self, files: object) -> tuple[str, ...]:
        """Those that are configured, or those in their usual places; like ssh, only what is there."""
        if isinstance(files, str):
            return (
                str(Path(files).expanduser()),
            )  # the inventory names it: where it is not there, that is said
        listed = files if isinstance(files, list) else [self._folder / name for name in _USUAL]
        return tuple(str(path) for file in listed if (path := Path(file).expanduser()).exists())

    def _keys(self, files: list[str], name: str) -> tuple[KnownKey, ...]:
        home = str(self._folder.parent)
        paths = [Path(home + file[1:] if file.startswith("~/") else file) for file in files]
        usual = [self._folder / "known_hosts", self._folder / "known_hosts2"]
        wanted = (*(paths or usual), self._system / "ssh_known_hosts")
        if wanted not in self._known:
            self._known[wanted] = read_known_hosts(wanted)
        return tuple(key for key in self._known[wanted] if key.belongs_to(name))


def _known_files(said: str) -> list[str]:
    """UserKnownHostsFile. One that keeps nothing, to be asked nothing, would leave every host unknown."""
    return [file for file in said.split() if file not in ("/dev/null", "none")]


def _add_invoke() -> None:
    import paramiko.config

    try:
        import invoke
    except ImportError:
        what = "~/.ssh/config: " + _("`Match exec` needs the package invoke")
        raise UsageError(what, _("type: pip install invoke")) from None
    vars(paramiko.config)["invoke"] = invoke


def _number(port: object) -> int:
    if not str(port).isdigit():
        raise UsageError(f"~/.ssh/config: Port {port}: " + _("is no number"), _("mend that line"))
    return int(str(port))


def _parsed(*files: Path) -> SSHConfig:
    from paramiko import ConfigParseError, SSHConfig

    config = SSHConfig()
    for file in files:
        try:
            config.parse(io.StringIO("\n".join(_lines(file, file.parent))))
        except ConfigParseError as error:
            raise UsageError(f"{file}: {error}", _("mend that line")) from None
    return config


def _lines(file: Path, folder: Path, depth: int = 0) -> Iterator[str]:
    """A configuration with the files that it includes in their places."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        match = _INCLUDE.match(line)
        if match is None:
            yield _OF_PROXY.sub(lambda found: found[0].replace("%", _PERCENT), line)
        elif depth < _DEPTH:
            for pattern in match[1].replace('"', "").split():
                yield from _included(pattern, folder, depth)


def _included(pattern: str, folder: Path, depth: int) -> Iterator[str]:
    path = folder / Path(pattern).expanduser()
    for file in sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor)))):
        yield from _lines(file, folder, depth + 1)


def _between(
    found: Mapping[str, object], said: Mapping[str, str], place: tuple[str, int, str]
) -> tuple[str, str | None]:
    """ProxyJump and ProxyCommand; one that the inventory names leaves out both of the configuration."""
    options = said if {"proxyjump", "proxycommand"} & set(said) else found
    jump, command = str(options.get("proxyjump") or ""), str(options.get("proxycommand") or "")
    command = command.replace(_PERCENT, "%")
    for token, value in zip(("%h", "%p", "%r"), place, strict=True):
        command = command.replace(token, str(value))
    jump = "" if jump.lower() == "none" else jump
    return jump, None if jump or command.lower() in ("", "none") else command


def _behind(hop: Route, before: Route) -> Route:
    from dataclasses import replace

    return replace(hop, jump=before)

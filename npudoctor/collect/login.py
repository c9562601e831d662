"""Whether a host is the one that we know, and whether it knows us."""

from __future__ import annotations

import shlex
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import paramiko
from paramiko.pkey import UnknownKeyType

from npudoctor.collect.known_hosts import USUAL, fingerprint
from npudoctor.errors import IncompleteError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.collect.ssh_config import Route


def prefer_known(transport: paramiko.Transport, route: Route) -> None:
    """Ask first for the kinds of keys that are known, or a known host would look like a changed one."""
    known = [key.kind for key in route.known if not key.authority]
    options = transport.get_security_options()
    options.key_types = sorted(options.key_types, key=lambda kind: _plain(kind) not in known)


def check_key(transport: paramiko.Transport, route: Route) -> None:
    """Raise `IncompleteError` where the host shows another key than those that are known of it."""
    key = transport.get_remote_server_key()
    name, data = route.name, key.get_base64()
    shown = f"{key.get_name()} {fingerprint(data)}"
    scan = _scan(route)
    if any(each.revoked and each.data == data for each in route.known):
        what = _("its host key is revoked: {key}").format(key=shown)
        raise IncompleteError(f"{name}: {what}", _("give the host a new key"))
    trusted = [each.data for each in route.known if not each.revoked and not each.authority]
    if data in trusted:
        return
    if trusted:
        what = _("its host key is not the one in known_hosts, but {key}").format(key=shown)
        mend = _("if the host was set up anew: {forget}; {scan}")
        forget = f"ssh-keygen -R {shlex.quote(name)}{_in_file(route)}"
        raise IncompleteError(f"{name}: {what}", mend.format(forget=forget, scan=scan))
    what = _("its host key is not known: {key}").format(key=shown)
    if any(each.authority for each in route.known):
        what = _("only an authority is known of it, and npudoctor reads no certificates: {key}").format(
            key=shown
        )
    raise IncompleteError(f"{name}: {what}", _("if that is its key: {scan}").format(scan=scan))


def _scan(route: Route) -> str:
    """The command that notes the key of a host, from where the host can be reached."""
    file = _typed(route.known_file)
    if route.proxy_command:  # ssh-keyscan knows no way but the straight one; ssh shows the key and asks
        alias = [f"HostKeyAlias={route.alias}"] if route.alias else []
        options = [f"ProxyCommand={route.proxy_command}", *alias, f"UserKnownHostsFile={route.known_file}"]
        given = "".join(f" -o {shlex.quote(option)}" for option in (*options, "StrictHostKeyChecking=ask"))
        return f"ssh{given} {route.place} true"
    through = f"ssh {_way(route.jump)} " if route.jump else ""
    renamed = f" | sed {shlex.quote(f's/^[^ ]*/{route.name}/')}" if route.alias else ""
    return f"{through}ssh-keyscan -p {route.port} {shlex.quote(route.host)}{renamed} >> {file}"


def _way(jump: Route) -> str:
    """The host that stands between as ssh takes it, with those before it."""
    before, hops = jump.jump, list[str]()
    while before is not None:
        hops.insert(0, f"{before.user}@{before.host}:{before.port}")
        before = before.jump
    return (f"-J {','.join(hops)} " if hops else "") + jump.place


def _in_file(route: Route) -> str:
    return "" if route.known_file == USUAL else f" -f {_typed(route.known_file)}"


def _typed(file: str) -> str:
    """A path for a shell, which is to know the home by its tilde."""
    return "~/" + shlex.quote(file[2:]) if file.startswith("~/") else shlex.quote(file)


def _plain(kind: str) -> str:
    """Under which name `known_hosts` lists the keys of a signature's kind."""
    return "ssh-rsa" if kind.startswith("rsa-sha2-") else kind


def log_in(transport: paramiko.Transport, route: Route) -> None:
    """Try the keys that were asked for, those of the agent, then the password.

    Raises:
        IncompleteError: None of them is let in.
    """
    troubles: list[IncompleteError] = []
    if _with_keys(transport, route, troubles):
        return
    if route.password is not None:
        with suppress(paramiko.AuthenticationException):
            transport.auth_password(route.user, route.password)
            return
    if troubles:
        raise troubles[0]
    what = _("{user} is not let in").format(user=route.user)
    mend = _("see: ssh {place}; a key: ansible_ssh_private_key_file or IdentityFile; a password: --ask-pass")
    raise IncompleteError(what, mend.format(place=route.place))


def _with_keys(transport: paramiko.Transport, route: Route, troubles: list[IncompleteError]) -> bool:
    """Whether a key was enough; what is wrong with key files joins `troubles`."""
    for key in _keys(route, troubles):
        if not transport.is_active():
            return False  # too many keys: the server hung up
        try:
            return not transport.auth_publickey(route.user, key)  # else it wants a password as well
        except paramiko.BadAuthenticationType:
            return False
        except paramiko.AuthenticationException:
            continue
    return False


def _keys(route: Route, troubles: list[IncompleteError]) -> Iterator[paramiko.PKey]:
    for file in route.keys:
        try:
            key = _key(file)
        except IncompleteError as error:
            troubles.append(error)
        else:
            yield key
    if route.agent:
        with closing(paramiko.Agent()) as agent:
            yield from agent.get_keys()


def _key(file: str) -> paramiko.PKey:
    """The key in a file, with its certificate where one lies beside it."""
    try:
        return paramiko.PKey.from_path(file)
    except (TypeError, paramiko.PasswordRequiredException):  # how cryptography says that it is encrypted
        what = _("the key {file} has a passphrase").format(file=file)
        mend = _("type: ssh-add {file}").format(file=shlex.quote(file))
    except OSError as error:
        what = _("the key {file} cannot be read: {why}").format(file=file, why=error.strerror)
        mend = _("see ansible_ssh_private_key_file and IdentityFile")
    except (ValueError, paramiko.SSHException, UnknownKeyType):
        what = _("{file} is no private key").format(file=file)
        mend = _("see ansible_ssh_private_key_file and IdentityFile")
    raise IncompleteError(what, mend)

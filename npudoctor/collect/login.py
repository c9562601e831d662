"""Whether a host is the one that we know, and whether it knows us."""

from __future__ import annotations

import shlex
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import paramiko
from paramiko.pkey import UnknownKeyType

from npudoctor.collect.known_hosts import KnownKey, fingerprint, name_in_known_hosts
from npudoctor.errors import IncompleteError
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.collect.ssh_config import Route

_USUAL = ("id_ed25519", "id_ecdsa", "id_rsa")


def prefer_known(transport: paramiko.Transport, route: Route) -> None:
    """Ask first for the kinds of keys that are known, or a known host would look like a changed one."""
    known = [key.kind for key in _known(route)]
    options = transport.get_security_options()
    options.key_types = sorted(options.key_types, key=lambda kind: _plain(kind) not in known)


def check_key(transport: paramiko.Transport, route: Route) -> None:
    """Raise `IncompleteError` where the host shows another key than those that are known of it."""
    key = transport.get_remote_server_key()
    name, data = name_in_known_hosts(route.host, route.port), key.get_base64()
    shown = f"{key.get_name()} {fingerprint(data)}"
    scan = f"ssh-keyscan -p {route.port} {shlex.quote(route.host)} >> ~/.ssh/known_hosts"
    known = _known(route)
    if any(each.revoked and each.data == data for each in known):
        what = _("its host key is revoked: {key}").format(key=shown)
        raise IncompleteError(f"{name}: {what}", _("give the host a new key"))
    trusted = [each.data for each in known if not each.revoked]
    if data in trusted:
        return
    if trusted:
        what = _("its host key is not the one in known_hosts, but {key}").format(key=shown)
        mend = _("if the host was set up anew: {forget}; {scan}")
        forget = f"ssh-keygen -R {shlex.quote(name)}"
        raise IncompleteError(f"{name}: {what}", mend.format(forget=forget, scan=scan))
    what = _("its host key is not known: {key}").format(key=shown)
    raise IncompleteError(f"{name}: {what}", _("if that is its key: {scan}").format(scan=scan))


def _known(route: Route) -> list[KnownKey]:
    name = name_in_known_hosts(route.host, route.port)
    return [key for key in route.known if key.belongs_to(name)]


def _plain(kind: str) -> str:
    """Under which name `known_hosts` lists the keys of a signature's kind."""
    return "ssh-rsa" if kind.startswith("rsa-sha2-") else kind


def log_in(transport: paramiko.Transport, route: Route) -> None:
    """Try the keys that were asked for, those of the agent, those in their usual places, then the password.

    Raises:
        IncompleteError: None of them is let in.
    """
    locked: list[str] = []
    if _with_keys(transport, route, locked):
        return
    if route.password is not None:
        with suppress(paramiko.AuthenticationException):
            transport.auth_password(route.user, route.password)
            return
    what = _("{user} is not let in").format(user=route.user)
    if locked:
        what += ": " + _("the key {file} has a passphrase").format(file=locked[0])
        raise IncompleteError(what, _("type: ssh-add {file}").format(file=shlex.quote(locked[0])))
    mend = _("see: ssh {place}; a key: ansible_ssh_private_key_file or IdentityFile; a password: --ask-pass")
    raise IncompleteError(what, mend.format(place=route.place))


def _with_keys(transport: paramiko.Transport, route: Route, locked: list[str]) -> bool:
    """Whether a key was enough; names of files with a passphrase join `locked`."""
    for key in _keys(route, locked):
        if not transport.is_active():
            return False  # too many keys: the server hung up
        try:
            return not transport.auth_publickey(route.user, key)  # else it wants a password as well
        except paramiko.BadAuthenticationType:
            return False
        except paramiko.AuthenticationException:
            continue
    return False


def _keys(route: Route, locked: list[str]) -> Iterator[paramiko.PKey]:
    for file in route.keys:
        yield from _key(file, locked)
    if route.agent:
        with closing(paramiko.Agent()) as agent:
            yield from agent.get_keys()
    if not route.keys:
        for name in _USUAL:
            yield from _key(str(Path.home() / ".ssh" / name), locked)


def _key(file: str, locked: list[str]) -> Iterator[paramiko.PKey]:
    """The key in a file, with its certificate where one lies beside it."""
    try:
        key = paramiko.PKey.from_path(file)
    except (TypeError, paramiko.PasswordRequiredException):  # how cryptography says that it is encrypted
        locked.append(file)
    except (OSError, ValueError, paramiko.SSHException, UnknownKeyType):
        return  # as ssh does: what is no key is passed over
    else:
        yield key

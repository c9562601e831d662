"""The private map: the key of the tokens and what each stands for, in a file of the operator's own."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from errno import EACCES
from typing import TYPE_CHECKING, Any

from npudoctor.collect.redact.tokens import KEY_BYTES, Tokens
from npudoctor.errors import UsageError, write_error
from npudoctor.words import _

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = "npudoctor.map/1"


def read_map(path: Path) -> Tokens:
    """The tokens of earlier runs. Where there is no such file it is begun, so that runs at once share a key.

    Raises:
        UsageError: It cannot be read, is no map, or its folder is not there.
    """
    if not path.parent.is_dir():
        raise UsageError(f"--map {path}: " + _("its folder is not there"), _("make it first"))
    if not os.access(path.resolve().parent, os.W_OK):  # before a bundle is made that nobody can read back
        error = PermissionError(EACCES, os.strerror(EACCES))
        raise write_error(path, error, _("nothing was written there"))
    try:
        return _tokens(json.loads(path.read_bytes()))
    except FileNotFoundError:
        write_map(Tokens(), path)
        return _tokens(json.loads(path.read_bytes()))
    except OSError as error:
        raise UsageError(f"--map {path}: {error.strerror}", _("give a file that can be read")) from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UsageError(f"--map {path}: " + _("is no map of tokens"), _("give a new name")) from None


def write_map(tokens: Tokens, path: Path) -> None:
    """Write it, whole or not at all, so that its owner alone can read it; raises `UsageError`.

    What another run with the same key wrote meanwhile stays in it.
    """
    path = path.resolve()  # a link stays one
    originals = {**_originals_of_others(tokens, path), **tokens.originals}
    document = {"schema": SCHEMA, "key": tokens.key.hex(), "tokens": dict(sorted(originals.items()))}
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "w", encoding="utf-8") as file:
            json.dump(document, file, ensure_ascii=False, indent=1)
        scratch.replace(path)
    except OSError as error:
        raise write_error(path, error, _("nothing was written there")) from None
    finally:
        with suppress(OSError):  # also where nothing can be written, nor taken away
            scratch.unlink()


def _originals_of_others(tokens: Tokens, path: Path) -> dict[str, str]:
    try:
        there = _tokens(json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}
    return there.originals if there.key == tokens.key else {}


def _tokens(document: dict[str, Any]) -> Tokens:
    key, originals = bytes.fromhex(document["key"]), document["tokens"]
    if document["schema"] != SCHEMA or len(key) != KEY_BYTES:
        raise ValueError
    return Tokens(key, {str(token): str(text) for token, text in originals.items()})

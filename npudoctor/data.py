"""The data files that ship with npudoctor: YAML that a person edits, JSON that start-up reads.

Every YAML file has a JSON Schema beside it (`probes.yaml`, `probes.schema.json`). It is validated when it
is compiled: in the build of the wheel, in the tests, and on the first run from a checkout after an edit.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PACKAGE = Path(__file__).parent
COMPILED = PACKAGE / "_compiled"
_LONGEST = 32 * 1024 * 1024
"""Bytes of a file of the user's: many times the compatibility matrix."""


@dataclass(frozen=True, slots=True)
class Data:
    """The content of one data file and the SHA-256 of its YAML text."""

    content: Any
    sha256: str


def load(file: Path, schema: Path | None = None) -> Data:
    """A shipped data file, from its compiled form where that is current.

    The schema lies beside the file (`X.yaml`, `X.schema.json`) or is given.
    """
    text = file.read_bytes()
    compiled = _compiled(file, text)
    try:
        return Data(**json.loads(compiled.read_bytes()))
    except (OSError, ValueError, TypeError):
        return _compile(file, text, compiled, schema or file.with_suffix(".schema.json"))


def compile_all() -> list[Path]:
    """Validate every shipped data file and compile it; the files that were looked at.

    A schema names its data: `X.schema.json` is for `X.yaml` beside it, for all of a folder `X` beside it or,
    of the compatibility matrix, for the file at the root of the repository. Compiled forms of earlier
    contents are removed.

    Raises:
        UsageError: A data file does not hold what its schema says.
    """
    schemas = sorted(PACKAGE.rglob("*.schema.json"))
    files = {file: schema for schema in schemas for file in _data_files(schema)}
    for file, schema in files.items():
        load(file, schema)
    current = {_compiled(file, file.read_bytes()) for file in files}
    for compiled in COMPILED.glob("*.json"):
        if compiled not in current:
            compiled.unlink()
    return list(files)


def read(file: Path, schema: Path) -> Data:
    """A data file of the user's, validated; raises `UsageError` with file, line and column."""
    try:
        with file.open("rb") as opened:
            text = opened.read(_LONGEST + 1)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", "give a file that can be read") from None
    if len(text) > _LONGEST:
        raise UsageError(
            f"{file}: more than {_LONGEST >> 20} MiB", "give a file of the size that a person writes"
        )
    return Data(parse(text, str(file), schema), _sha256(text))


def parse(text: bytes, name: str, schema: Path) -> Any:
    """YAML text to plain Python, held against a JSON Schema.

    Raises:
        UsageError: `name:line:column: what is wrong there`, for the first thing that is wrong.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        root = yaml.compose(text, loader)
        content = yaml.load(text, loader)  # noqa: S506 (a safe loader, libyaml's where it is there)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        raise UsageError(f"{where}: {error.problem}", "mend the YAML there") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{name}: {error}", "the file must be YAML in UTF-8") from None
    if (twice := _twice(root)) is not None:
        raise UsageError(
            f"{name}:{_mark(twice)}: the key {twice.value} is there twice", "leave one of them out"
        )
    _validate(content, root, name, schema)
    return content


def _twice(root: Any) -> Any:
    """A key that stands in its mapping for the second time, where a loader takes the last; None for none."""
    for node in _nodes(root):
        keys: set[str] = set()
        for key in _keys(node):
            if key.value in keys:
                return key
            keys.add(key.value)
    return None


def _keys(node: Any) -> list[Any]:
    return [key for key, _value in node.value if key.id == "scalar"] if node.id == "mapping" else []


def _nodes(root: Any) -> Iterator[Any]:
    """All nodes, each once: an alias leads to one again, even to one that it lies in."""
    waiting, seen = [root], set()
    while waiting:
        node = waiting.pop()
        if node is not None and id(node) not in seen:
            seen.add(id(node))
            yield node
            waiting += _children(node)


def _children(node: Any) -> list[Any]:
    if node.id == "scalar":
        return []
    return [value for _key, value in node.value] if node.id == "mapping" else node.value


def place(root: Any, path: Iterable[str | int]) -> str:
    """`line:column` of the value at `path` (keys and indexes) below a composed YAML node."""
    return _mark(_node(root, path))


def _node(root: Any, path: Iterable[str | int]) -> Any:
    node = root
    for step in path:
        child = _child(node, step)
        if child is None:
            break
        node = child
    return node


def _mark(node: Any) -> str:
    return f"{node.start_mark.line + 1}:{node.start_mark.column + 1}"


def _validate(content: Any, root: Any, name: str, schema: Path) -> None:
    import fastjsonschema

    check = fastjsonschema.compile(json.loads(schema.read_text(encoding="utf-8")))
    try:
        check(content)
    except fastjsonschema.JsonSchemaValueException as error:
        where, what = _told(error, root)
        raise UsageError(f"{name}:{where}: {what}", f"{schema.name} says what may stand there") from None


def _told(error: Any, root: Any) -> tuple[str, str]:
    """Where the schema is not kept, as `line:column`, and what is wrong there."""
    if root is None:
        return "1:1", "the file is empty"
    node = _node(root, error.path[1:])
    at = error.name.removeprefix("data").removeprefix(".")
    name = f"{at}: " if at else ""
    if error.rule == "additionalProperties":
        odd = next(key for key in error.value if key not in error.definition.get("properties", {}))
        key = next((key for key, _value in node.value if key.value == str(odd)), node)
        return _mark(key), f"{name}there is no key {odd} here"
    if error.rule == "required":
        missing = [key for key in error.rule_definition if key not in error.value]
        return _mark(node), f"{name}{', '.join(missing)} is missing"
    if error.rule == "pattern":
        return _mark(node), f"{name}{error.value!r} is not of the form that is wanted here"
    if error.rule == "anyOf":
        return _mark(node), f"{name}{repr(error.value)[:60]} may not stand here"
    return _mark(node), error.message.removeprefix("data.").removeprefix("data ")


def _data_files(schema: Path) -> list[Path]:
    stem = schema.name.removesuffix(".schema.json")
    folder = schema.with_name(stem)
    if folder.is_dir():
        return sorted(folder.glob("*.yaml"))
    name = f"{stem}.yaml"
    places = (schema.with_name(name), PACKAGE / name, PACKAGE.parent / name)
    return [next((place for place in places if place.is_file()), places[0])]


def _child(node: Any, step: str | int) -> Any:
    if node.id == "sequence":  # the path of a schema error writes indexes as text
        return node.value[int(step)] if int(step) < len(node.value) else None
    pairs = node.value if isinstance(node.value, list) else []
    return next((value for key, value in pairs if key.value == str(step)), None)


def _compiled(file: Path, text: bytes) -> Path:
    """The compiled form of just this text: a checksum tells an edited file, and costs no OpenSSL to load."""
    return COMPILED / f"{file.stem}-{zlib.crc32(text):08x}{len(text):x}.json"


def _sha256(text: bytes) -> str:
    from hashlib import sha256

    return sha256(text).hexdigest()


def _compile(file: Path, text: bytes, compiled: Path, schema: Path) -> Data:
    data = {"content": parse(text, file.name, schema), "sha256": _sha256(text)}
    written = json.dumps(data, default=str, separators=(",", ":"))
    scratch = compiled.with_suffix(f".{os.getpid()}")
    try:
        compiled.parent.mkdir(exist_ok=True)
        scratch.write_text(written, encoding="utf-8")
        scratch.replace(compiled)
    except OSError:  # a read-only installation runs from the YAML
        pass
    return Data(**json.loads(written))

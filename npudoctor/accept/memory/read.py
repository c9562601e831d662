"""A model's folder or `config.json` on disk."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from npudoctor.dataclass import dataclass
from npudoctor.errors import UsageError
from npudoctor.words import _

if TYPE_CHECKING:
    from pathlib import Path

_LARGEST = 64 << 20
_MOST = 1 << 60  # bytes of a model: no index is right above it
_INDEXES = (
    "model.safetensors.index.json",
    "quant_model_weights.safetensors.index.json",
    "pytorch_model.bin.index.json",
)


@dataclass(frozen=True, slots=True)
class Model:
    """What lies on disk of a model.

    Attributes:
        name: Path of the config.
        config: Its content.
        stored: Bytes of the weights, by their index or the size of their files; None where there are none.
        quantisation: What msModelSlim's description says (`W8A8`), if it is there.
    """

    name: str
    config: dict[str, Any]
    stored: int | None
    quantisation: str | None


def read_model(path: Path) -> Model:
    """Read the config of a model, and the index of its weights where it is there.

    Raises:
        UsageError: There is no config, or it is no JSON object.
    """
    file = path / "config.json" if path.is_dir() else path
    config = _object(file)
    if not path.is_dir():
        return Model(str(file), config, None, None)
    description = path / "quant_model_description.json"
    told = _object(description).get("model_quant_type") if description.is_file() else None
    return Model(str(file), config, _stored(path), str(told) if told else None)


def _object(file: Path) -> dict[str, Any]:
    try:
        with file.open("rb") as opened:
            text = opened.read(_LARGEST + 1)
        if len(text) > _LARGEST:
            raise UsageError(_("{file}: is too large for a config").format(file=file))
        content = json.loads(text)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", _("give a model's folder or its config.json")) from None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise UsageError(_("{file}: is no JSON object").format(file=file), _("give a model's config.json"))
    return content


def _stored(folder: Path) -> int | None:
    """Bytes of all tensors; a file of a few hundred bytes is a pointer of Git LFS and says nothing."""
    for name in _INDEXES:
        if (folder / name).is_file():
            metadata = _object(folder / name).get("metadata")
            size = metadata.get("total_size") if isinstance(metadata, dict) else None
            if isinstance(size, (int, float)) and 0 < size < _MOST:
                return int(size)
    sizes = [file.stat().st_size for file in folder.glob("*.safetensors")]
    return sum(sizes) if sizes and min(sizes) > 1024 else None

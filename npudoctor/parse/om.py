"""An offline model (`.om`): its header, and what `atc` wrote into it about itself.

The layout is that of the graph engine (hicann/ge, `struct ModelFileHeader` and `message ModelDef`): 256 bytes
of header, then partitions, of which the first is a protobuf message whose attributes say chip and versions.
Such a file comes from anywhere, so nothing in it is believed: lengths are compared, and text is taken only
where it is as long as it says.
"""

from __future__ import annotations

from struct import Struct

from npudoctor.dataclass import dataclass
from npudoctor.fact import ParseError
from npudoctor.parse.folder import parse_folder
from npudoctor.parse.registry import parser
from npudoctor.regex import regex

HEADER_BYTES = 256
_HEADER = Struct("<4s8x64xI4B32s4x32s8x20sx3xQ")
"""magic, headsize and version, checksum, length, is_encrypt and three more, name, ops, userdefineinfo,
om_ir_version and model_num, platform_version, platform_type and padding, model_length."""
_MAGIC = b"IMOD"
_ZIP = b"PK\x03\x04"
_HEX = regex(r"(?:[ \t\r\n]*[0-9a-f]{2})*[ \t\r\n]*")
_ATTRIBUTE = regex(r"([a-z_]+)\x12([^\x12])\x12([^\x12])([ -~]+)")
_ADDED = 2
"""Bytes that an attribute has beside its text: a tag and a length."""


@dataclass(frozen=True, slots=True)
class OfflineModel:
    """What one `.om` file says of itself.

    Attributes:
        name: Of the network, as far as the header keeps it.
        bytes: Of the file.
        stated_bytes: That the file should have by its header.
        encrypted: Whether what follows the header is encrypted.
        soc_version: The chip that it was compiled for, `Ascend910B3`; None where it does not say.
        atc_version: Of the compiler, `7.7.0.1.238`; None where it does not say.
        opp_version: Of the operators, likewise.
        framework: `Onnx`, `TensorFlow`, …; None where it does not say.
    """

    name: str
    bytes: int
    stated_bytes: int
    encrypted: bool
    soc_version: str | None
    atc_version: str | None
    opp_version: str | None
    framework: str | None


@parser(
    "om", origin="an offline model: ls -lLn FILE, od -tx1 of its header, and of the attributes after `--`"
)
def parse_om(text: str) -> OfflineModel:
    """What the probe of offline models prints of one file.

    Raises:
        ParseError: It is no offline model, or the text is cut off.
    """
    listed, _newline, dumped = text.partition("\n")
    header, separator, attributes = dumped.partition("--")
    data = _bytes(header)
    if data.startswith(_ZIP):
        raise ParseError("an archive (OM2), not the OM that is read here")
    if not data.startswith(_MAGIC):
        raise ParseError("no offline model: it does not begin with IMOD")
    if len(data) < HEADER_BYTES or not separator:
        raise ParseError("its header is cut off")
    _magic, length, encrypted, *_kinds, name, _info, _platform, model_length = _HEADER.unpack_from(data)
    said = _attributes(_bytes(attributes))
    return OfflineModel(
        name=name.split(b"\0")[0].decode("ascii", "replace"),
        bytes=parse_folder(listed)[0].size,
        stated_bytes=HEADER_BYTES + (model_length or length),
        encrypted=encrypted != 0,
        soc_version=said.get("soc_version"),
        atc_version=said.get("atc_version"),
        opp_version=said.get("opp_version"),
        framework=said.get("framework_type"),
    )


def _bytes(dump: str) -> bytes:
    if not _HEX.fullmatch(dump):
        raise ParseError("no dump of od -tx1")
    return bytes.fromhex(dump)


def _attributes(data: bytes) -> dict[str, str]:
    """Key, tag, length, tag, length, text; the probe writes a line end as 0xff, as grep stops at one.

    Operators may have attributes of the same name; those of the model stand last.
    """
    found: dict[str, str] = {}
    for line in data.decode("latin-1").split("\n"):
        match = _ATTRIBUTE.match(line)
        if match and _length(match[2]) == _length(match[3]) + _ADDED and _length(match[3]) <= len(match[4]):
            found[match[1]] = match[4][: _length(match[3])]
    return found


def _length(byte: str) -> int:
    return 10 if byte == "\xff" else ord(byte)

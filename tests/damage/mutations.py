"""Kinds of damage that texts of tools and files meet in the field, each a function of a seeded chance.

The same seed gives the same damage on every machine. A kind takes the bytes of a good text and returns bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

Damage = Callable[[Random, bytes], bytes]

OTHER_OUTPUTS = (
    b"bash: npu-smi: command not found\n",
    b"dcmi module initialize failed. ret is -8005\n",
    b"<html><head><title>502 Bad Gateway</title></head>\n<body>nginx</body></html>\n",
    b"Segmentation fault (core dumped)\n",
    b"error while loading shared libraries: libdrvdsmi_host.so: cannot open shared object file\n",
    b'{"auths": {"registry.local": {}}, "proxies": null}\n',
    b"Usage: tool [OPTION]...\n  -h, --help   show this\n",
    b"total 4\ndrwxr-xr-x 2 root root 4096 Nov 12 08:29 bin\n",
    b"Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda1 100 50 50 50% /\n",
    b"PID USER PR NI VIRT RES SHR S %CPU %MEM TIME+ COMMAND\n1 root 20 0 1 1 1 S 0.0 0.0 0:01 init\n",
)
_LOG_LINES = (
    b"root@node1:~# ",
    b"[root@node1 ~]# npu-smi info",
    b"[ 1234.567890] igb 0000:01:00.0 eth0: link is up",
    b"2026-11-12 08:29:01,123 - WARNING - retry 3 of 5",
    b"DrvMngGetConsoleLogLevel failed. (g_conLogLevel=3)",
    b"[ERROR] DRV(4321,python3):2026-11-12-08:29:01.123.456 [devdrv.c:88]ioctl failed, ret=-1",
    b"-bash: warning: setlocale: LC_ALL: cannot change locale (zh_CN.UTF-8)",
    b"Last login: Thu Nov 12 08:29:01 2026 from 192.0.2.7",
)
_FULLWIDTH = {b":": "\uff1a", b"|": "\uff5c", b"=": "\uff1d", b",": "\uff0c", b"(": "\uff08", b"-": "\u2014"}
_COLOURS = (b"\x1b[0m", b"\x1b[1;31m", b"\x1b[K", b"\x1b]0;title\x07", b"\x1b[", b"\x1b")
_NUMBERS = (
    b"9" * 30,
    b"-1",
    b"0",
    b"1e999",
    b"0x1F",
    b"4294967296",
    b"1.2.3.4.5.6",
    b"9" * 5000,
    b"\xd9\xa3",
)
_WIDE = 20_000
"""Characters of a very long line."""


def cut(chance: Random, data: bytes) -> bytes:
    """Only the first bytes arrived."""
    return data[: chance.randint(0, len(data))]


def cut_front(chance: Random, data: bytes) -> bytes:
    """Only the last bytes arrived."""
    return data[chance.randint(0, len(data)) :]


def cut_columns(chance: Random, data: bytes) -> bytes:
    """A narrow terminal cut every line."""
    width = chance.randint(1, 100)
    return b"\n".join(line[:width] for line in data.split(b"\n"))


def drop_lines(chance: Random, data: bytes) -> bytes:
    """Some lines are gone."""
    share = chance.choice((0.05, 0.3, 0.7))
    return b"\n".join(line for line in data.split(b"\n") if chance.random() > share)


def double_lines(chance: Random, data: bytes) -> bytes:
    """Some lines stand there twice."""
    return b"\n".join(line for line in data.split(b"\n") for _ in range(chance.choice((1, 1, 2))))


def shuffle_lines(chance: Random, data: bytes) -> bytes:
    """The lines are out of order."""
    lines = data.split(b"\n")
    chance.shuffle(lines)
    return b"\n".join(lines)


def join_lines(chance: Random, data: bytes) -> bytes:
    """Some line ends became blanks."""
    return b"".join(part + chance.choice((b"\n", b" ")) for part in data.split(b"\n"))


def break_lines(chance: Random, data: bytes) -> bytes:
    """Lines are wrapped at a narrow width."""
    width = chance.randint(5, 60)
    return b"\n".join(data[at : at + width] for at in range(0, len(data), width))


def flip_bits(chance: Random, data: bytes) -> bytes:
    """Single bits are flipped."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 8) if changed else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def random_bytes(chance: Random, data: bytes) -> bytes:
    """Single bytes are something else."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 8) if changed else 0):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def drop_bytes(chance: Random, data: bytes) -> bytes:
    """Single bytes are gone."""
    share = chance.choice((0.005, 0.05))
    return bytes(byte for byte in data if chance.random() > share)


def nul_bytes(chance: Random, data: bytes) -> bytes:
    """NUL bytes stand between."""
    return _strewn(chance, data, (b"\0", b"\0\0\0\0"))


def invalid_bytes(chance: Random, data: bytes) -> bytes:
    """Bytes that are no text in any encoding stand in the place of others."""
    changed = bytearray(data)
    for _ in range(max(1, len(changed) // 20) if changed else 0):
        changed[chance.randrange(len(changed))] = 0xFF
    return bytes(changed)


def carriage_returns(chance: Random, data: bytes) -> bytes:
    """Lines end as on other systems, or twice."""
    return data.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\r\r\n", b"\n\r")))


def colours(chance: Random, data: bytes) -> bytes:
    """Terminal codes, whole and broken ones, stand between."""
    return _strewn(chance, data, _COLOURS)


def gbk_pieces(chance: Random, data: bytes) -> bytes:
    """Pieces of Chinese text in the encoding of an old terminal stand between, whole or halved."""
    return _strewn(chance, data, ("\u5065\u5eb7".encode("gbk"), "\u8b66\u544a".encode("gbk")[:1]))


def utf16(chance: Random, data: bytes) -> bytes:
    """The text, or its rest from somewhere on, was saved as UTF-16."""
    at = chance.choice((0, chance.randint(0, len(data))))
    return data[:at] + data[at:].decode("latin-1").encode(chance.choice(("utf-16", "utf-16-be")))


def fullwidth(chance: Random, data: bytes) -> bytes:
    """A chat program made punctuation wide."""
    for sign in chance.sample(sorted(_FULLWIDTH), 2):
        data = data.replace(sign, _FULLWIDTH[sign].encode())
    return data


def blank_numbers(chance: Random, data: bytes) -> bytes:
    """Digits became blanks or other signs."""
    sign = chance.choice(b" -?*xN")
    share = chance.choice((0.1, 1.0))
    return bytes(sign if 48 <= byte <= 57 and chance.random() < share else byte for byte in data)


def strange_numbers(chance: Random, data: bytes) -> bytes:
    """Some numbers became huge, negative, or numbers of another kind."""
    pieces = _digits(data)
    return b"".join(
        chance.choice(_NUMBERS) if piece.isdigit() and chance.random() < 0.2 else piece for piece in pieces
    )


def long_line(chance: Random, data: bytes) -> bytes:
    """A very long line stands between: one sign, digits, blanks, or the text itself over and over."""
    piece = chance.choice(
        (b"=", b"9", b" ", b"[", b"| ", b"a:", b"- ", data.replace(b"\n", b" ")[:200] or b".")
    )
    lines = data.split(b"\n")
    lines.insert(chance.randint(0, len(lines)), (piece * (_WIDE // len(piece)))[:_WIDE])
    return b"\n".join(lines)


def swap_words(chance: Random, data: bytes) -> bytes:
    """Words changed places."""
    words = data.split(b" ")
    for _ in range(chance.randint(1, 5)):
        one, other = chance.randrange(len(words)), chance.randrange(len(words))
        words[one], words[other] = words[other], words[one]
    return b" ".join(words)


def empty_fields(chance: Random, data: bytes) -> bytes:
    """What stood behind some separators is gone."""
    separator = chance.choice((b":", b"=", b"|", b",", b" ", b"\t", b'"'))
    parts = data.split(separator)
    return separator.join(part if chance.random() < 0.7 else b"" for part in parts)


def mixed_with_logs(chance: Random, data: bytes) -> bytes:
    """Prompts and lines of other programs stand between the lines, or inside of them."""
    lines = data.split(b"\n")
    for _ in range(chance.randint(1, 5)):
        at, noise = chance.randrange(len(lines)), chance.choice(_LOG_LINES)
        lines[at] = chance.choice((noise + b"\n" + lines[at], noise + lines[at], lines[at] + noise))
    return b"\n".join(lines)


def doubled(chance: Random, data: bytes) -> bytes:
    """The output stands there twice, the second time perhaps cut."""
    return data + data[: chance.choice((len(data), chance.randint(0, len(data))))]


def other_output(chance: Random, data: bytes) -> bytes:
    """Another command's output stands in its place, or before it."""
    return chance.choice(OTHER_OUTPUTS) + chance.choice((b"", b"", data))


def garbage(chance: Random, data: bytes) -> bytes:
    """Bytes of no meaning stand in its place."""
    return chance.randbytes(chance.randint(1, 200))


def emptied(chance: Random, data: bytes) -> bytes:
    """Nothing but blanks is left."""
    return chance.choice((b"", b"\n", b" ", b"\r\n\t\n"))


DAMAGES: tuple[Damage, ...] = (
    cut, cut_front, cut_columns, drop_lines, double_lines, shuffle_lines, join_lines, break_lines,
    flip_bits, random_bytes, drop_bytes, nul_bytes, invalid_bytes, carriage_returns, colours, gbk_pieces,
    utf16, fullwidth, blank_numbers, strange_numbers, long_line, swap_words, empty_fields, mixed_with_logs,
    doubled, other_output, garbage, emptied,
)  # fmt: skip


def in_turn(chance: Random, data: bytes, damages: Sequence[Damage] = DAMAGES) -> bytes:
    """Two kinds of damage, one after the other."""
    for damage in chance.sample(damages, 2):
        data = damage(chance, data)
    return data


def _strewn(chance: Random, data: bytes, pieces: Sequence[bytes]) -> bytes:
    for _ in range(chance.randint(1, 8)):
        at = chance.randint(0, len(data))
        data = data[:at] + chance.choice(pieces) + data[at:]
    return data


def _digits(data: bytes) -> list[bytes]:
    """The data in runs of digits and runs of anything else."""
    runs: list[bytearray] = []
    for byte in data:
        digit = 48 <= byte <= 57
        if runs and (48 <= runs[-1][-1] <= 57) == digit:
            runs[-1].append(byte)
        else:
            runs.append(bytearray((byte,)))
    return [bytes(run) for run in runs]

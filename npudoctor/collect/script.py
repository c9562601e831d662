"""Render the probes to one POSIX sh script, which returns all outputs in one stream (see `stream`)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from npudoctor.data import load
from npudoctor.regex import regex

if TYPE_CHECKING:
    from npudoctor.collect.since import Since

FOLDER = Path(__file__).parent
DEADLINE = 120
"""Seconds after which a run ends with what it has."""
_PLAIN = regex(r"[A-Za-z0-9_./@%+=:,*?\[\]-]+")
_PARTS = regex(r"\{([a-z][a-z0-9_]*)\}|\$([A-Z][A-Z0-9_]*)")
_NPU_LISTS = ("npu", "sick", "a3")
_FILE_LISTS = ("om",)
_LIMITS = {
    "s": ("Max stack size", 1024),
    "n": ("Max open files", 1),
    "Hn": ("Max open files", 1),
    "l": ("Max locked memory", 1024),
    "u": ("Max processes", 1),
}
_IN_HOMES = regex(r"[{$]|^/home")

Row = Mapping[str, Any]


def render(
    *,
    everything: bool = False,
    provisioning: bool = False,
    pid: int | None = None,
    timeout: float | None = None,
    since: Since | None = None,
    model: str | None = None,
) -> str:
    """The script, with a nonce of its own.

    Args:
        everything: Also what only `collect` wants.
        provisioning: Also what only a plan of `provision` wants.
        pid: The process whose environment and limits are read, not those of the shell that runs the script.
        timeout: The most seconds that one command may take; None: what its row says.
        since: Error logs too, those that changed since then.
        model: The folder of a model that is looked at; None: what NPUDOCTOR_MODEL names there, if anything.
    """
    probes: dict[str, Any] = load(FOLDER / "probes.yaml").content
    sets = {"collect" if everything else "check", *(["provision"] if provisioning else [])}
    rows = [
        _within(row, timeout) for row in probes["probes"] if "set" not in row or sets & {*_list(row["set"])}
    ]
    library = (FOLDER / "probe.sh").read_text(encoding="utf-8")
    parts = [
        *_settings(probes, pid, rows),
        *([f"NPUDOCTOR_MODEL={_literal(model)}"] if model else []),
        _logs(probes, since),
        library,
        *_functions(rows, probes),
        "main",
        "",
    ]
    return "\n".join(parts)


def nonce_of(script: str) -> str:
    """The nonce that frames the stream of a rendered script."""
    return script.partition("N=@")[2].partition("\n")[0]


def with_deadline(script: str, seconds: float) -> str:
    """A rendered script that ends with what it has after so many seconds, at most `DEADLINE`."""
    return script.replace(f" DEADLINE={DEADLINE}\n", f" DEADLINE={max(1, min(DEADLINE, int(seconds)))}\n", 1)


def _settings(probes: Row, pid: int | None, rows: Iterable[Row]) -> Iterator[str]:
    yield "#!/bin/sh"
    yield "# What `npudoctor check` reads on a host. Changes nothing. Run: sh FILE > host.stream"
    yield "# and judge the stream elsewhere: npudoctor check --from host.stream"
    yield "set +aefuvxC"  # whatever the shell was started with
    yield f"N=@{os.urandom(16).hex()}"
    yield f"PID={pid or ''} DEADLINE={DEADLINE}"
    for tool, pool in probes["pools"].items():
        yield f"{tool.replace('-', '_').upper()}_WIDTH={pool['width']}"
    first = sum(len(_list(row["command"])) for row in rows if _is_first(row))
    yield f"NPU_SMI_FIRST={min(first, probes['pools']['npu-smi']['width'])}"


def _logs(probes: Row, since: Since | None) -> str:
    """The settings and the function for error logs, or a setting that says that nobody wants them."""
    if since is None:
        return "LOGS="
    row = probes["logs"]
    minutes = since.minutes if since.moment is None else f"$((($(date +%s) - {since.moment}) / 60 + 1))"
    moment = "@$(($(date +%s) - 60 * SINCE))"
    folders = " ".join(_word(pattern) for pattern in row["folders"])
    lines = [
        f"SINCE={minutes}",
        '[ "$SINCE" -gt 0 ] || SINCE=1',
        "seen=$NL",
        "set --",
        f'for d in {folders}; do [ -d "$d" ] && once "$d" && set -- "$@" "$d"; done',
        f'log_files {row["cap"]} {row["cap_in_all"]} "$@"',
        f"log_command {row['cap']} 'dmesg -T' kernel_log",
        f'log_command {row["cap"]} "journalctl -k" journalctl -k --no-pager -o short-iso --since "{moment}"',
    ]
    return f"LOGS={row['timeout']}\n" + _function("read_logs", lines)


def _within(row: Row, timeout: float | None) -> Row:
    if timeout is None:
        return row
    return {**row, "most": max(1, round(timeout))}


def _functions(rows: list[Row], probes: Row) -> Iterator[str]:
    calls = [row for row in rows if "command" in row or "shell" in row]
    files = [row for row in rows if _paths(row)]
    homes = [row for row in files if _in_homes(row)]
    of_npu_smi = [row for row in calls if _tool(row) == "npu-smi"]
    first = [row for row in of_npu_smi if _is_first(row)]
    each = [row for row in of_npu_smi if not _is_first(row)]
    hccn = [row for row in calls if _tool(row) == "hccn_tool"]
    host = [row for row in calls if _tool(row) not in probes["pools"]]
    limits = [line for row in rows for line in _limits(row)]
    here = [*limits, *_loops([row for row in files if not _in_homes(row)], probes)]
    of_homes = [*_absent_lists(homes, probes), *_loops(homes, probes), "read_lines", *_packages(rows)]
    yield _function("read_here", [*here, "read_lines"])
    yield _function("read_homes", of_homes)
    yield from _package_functions(rows)
    yield _function("npu_smi_info", _loops(first, probes))
    yield _function("npu_smi_each", _loops(each, probes))
    yield _function("hccn_tool_calls", _loops(hccn, probes))
    yield _function("host_calls", _loops(host, probes))
    for index, row in enumerate(row for row in calls if "shell" in row):
        yield f"{_shell_name(row)}() {{ {row['shell']}\n}}  # {index}"


def _is_first(row: Row) -> bool:
    """Whether it is asked of npu-smi before anybody knows which NPUs there are."""
    return _tool(row) == "npu-smi" and row.get("each") not in _NPU_LISTS


def _paths(row: Row) -> list[str]:
    """The files or folders that the shell itself looks at."""
    return _list(row.get("file", row.get("line", row.get("names", []))))


def _function(name: str, lines: Iterable[str]) -> str:
    return "\n".join([f"{name}() {{", "  :", *(f"  {line}" for line in lines), "}"])


def _loops(rows: Iterable[Row], probes: Row) -> Iterator[str]:
    for each, group in groupby(rows, lambda row: row.get("each")):
        head, tail = _loop(each, probes)
        yield from head
        for row in group:
            yield from _body(row, probes)
        yield from tail


def _loop(each: str | None, probes: Row) -> tuple[list[str], list[str]]:
    if each is None:
        return [], []
    if each in _NPU_LISTS:
        return [f"for {each} in $all_{each}; do"], ["done"]
    if each == "device":
        number = 'case $device in "" | *[!0-9]*) continue ;; esac'
        return ["for device in /dev/davinci[0-9]*; do", f"device=${{device#/dev/davinci}}; {number}"], [
            "done"
        ]
    folders = " ".join(_word(pattern) for pattern in probes["lists"][each])
    there = "-f" if each in _FILE_LISTS else "-d"
    head = f'for {each} in {folders}; do [ {there} "${each}" ] && once "${each}" || continue'
    # What is noted is read before a folder is looked into that may be on a dead file server.
    return ["seen=$NL", head, f"case ${each} in /usr/local/*) ;; *) read_lines ;; esac"], ["done"]


def _body(row: Row, probes: Row) -> Iterator[str]:
    if "file" in row:
        end = "tail" if "keep" in row else "head"
        yield f"file {end} {_cap(row, probes)} {_words(row['file'])}"
    elif "line" in row:
        yield f"line {_words(row['line'])}"
    elif "names" in row:
        yield f"names {_words(row['names'])}"
    else:
        for command in _list(row.get("command", row.get("shell"))):
            yield from _call(row, command, probes)


def _call(row: Row, command: str, probes: Row) -> Iterator[str]:
    how = "shell" if "shell" in row else _how(row, probes)
    words = _shell_name(row) if how == "shell" else " ".join(_word(word) for word in command.split())
    title = _title(row.get("as", command))
    call = f"q {how} {_cap(row, probes)} {_limit(row, probes)} {title} {words}"
    if "when" not in row:
        yield call
    else:
        there = " && ".join(f"[ -e {_word(path)} ]" for path in _list(row["when"]))
        yield f"if {there}; then {call}; else q_unrun {title} absent; fi"


def _how(row: Row, probes: Row) -> str:
    if "keep" in row:
        return "tail"
    return "roomy" if _tool(row) in probes["pools"] or _list(row["command"])[0].startswith("/") else "plain"


def _tool(row: Row) -> str:
    return _list(row["command"])[0].split()[0] if "command" in row else ""


def _cap(row: Row, probes: Row) -> int:
    return int(row.get("cap", probes["defaults"]["cap"]))


def _limit(row: Row, probes: Row) -> int:
    default = probes["pools"].get(_tool(row), probes["defaults"])["timeout"]
    limit = int(row.get("timeout", default))
    return min(limit, int(row.get("most", limit)))


def _limits(row: Row) -> Iterator[str]:
    for letter in row.get("limits", ()):
        label, unit = _LIMITS[letter]
        yield f"limit {letter} '{label}' {unit}"


def _in_homes(row: Row) -> bool:
    return any(_IN_HOMES.search(path) for path in _paths(row))


def _absent_lists(rows: Iterable[Row], probes: Row) -> Iterator[str]:
    """Say of each pattern of a list that nothing matches it: looked for, not there."""
    for name in sorted({row["each"] for row in rows if "each" in row}):
        folders = " ".join(_word(pattern) for pattern in probes["lists"][name])
        yield f'for d in {folders}; do [ -e "$d" ] || unseen "$d"; done'


def _packages(rows: Iterable[Row]) -> list[str]:
    return ["python_packages"] if any("python-packages" in row for row in rows) else []


def _package_functions(rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        if "python-packages" in row:
            yield f"wanted() {{\n  case $1 in {_any_case(row['python-packages'])}) ;; *) return 1 ;; esac\n}}"
            prefixes = " ".join(_word(prefix) for prefix in row["prefixes"])
            yield f'prefixes() {{\n  for p in {prefixes}; do python_at "$p" "$p/bin/python3"; done\n}}'
            yield _function("inside", map(_look_inside, row.get("inside", ())))


def _look_inside(path: str) -> str:
    """List a folder within a package, in the site that has the package."""
    return f'[ ! -d "$1/{path.partition("/")[0]}" ] || names "$1/{path}"'


def _any_case(names: Iterable[str]) -> str:
    """Shell patterns that match each name in either case, with `-`, `_` or `.` between its words."""
    return " | ".join("".join(_letter(letter) for letter in name) for name in names)


def _letter(letter: str) -> str:
    if letter == "_":
        return "[-_.]"
    return f"[{letter}{letter.upper()}]" if letter.isalpha() else letter


def _shell_name(row: Row) -> str:
    return "sh_" + re.sub(r"[^a-z0-9]+", "_", row["as"].lower())


def _list(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def _words(value: Any) -> str:
    return " ".join(_word(word) for word in _list(value))


def _word(text: str) -> str:
    """One word of sh: `{name}` and `$NAME` are filled in, globs are live, everything else is literal."""
    parts = _PARTS.split(text)
    words = [_literal(parts[0])]
    variable = ""
    for member, name, rest in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        variable = variable or name or ""
        words.append((f'"${member}"' if member else f"${name}") + _literal(rest))
    return f"${{{variable}:+{''.join(words)}}}" if variable else "".join(words)


def _literal(text: str) -> str:
    return text if not text or _PLAIN.fullmatch(text) else "'" + text.replace("'", "'\\''") + "'"


def _title(text: str) -> str:
    """A command line in double quotes, with `{name}` filled in."""
    quoted = re.sub(r'([\\"`$])', r"\\\1", text)
    return '"' + _PARTS.sub(lambda match: f"${match[1]}" if match[1] else match[0], quoted) + '"'

"""Whether a text only quotes errors, as source code, manuals and change logs do, or is the log of a run."""

from __future__ import annotations

from npudoctor.regex import regex

HEAD = 32 << 10
"""Bytes of a text that are looked at."""
_FEWEST = 20
"""Lines that it takes to tell; what somebody pasted of a log is often shorter."""
_QUOTING, _LOGGING = 0.6, 0.05
_MOST_LETTERS = 300

_LOGGED = regex(
    r"^(?! -- |Date: ).*?\d\d:\d\d(?::\d\d|\])"
    r"|^\s*\[?(?:ERROR|FATAL|CRITICAL|WARNING|WARN|INFO|DEBUG|EVENT|TRACE)\b[\]:( ]"
    r'|Traceback \(most|^\s*File "|^\s*#\d+ +0x|^\s*at [\w.$]+\(|^[\w.]{1,80}(?:Error|Exception)(?:: |$)'
    r"|^\s*\w{1,40}\[\d+\]: |\bpid=\d|^\[\d+[./]\d+\]|^\{\"|\d+%\|"
)
_CODE = regex(
    r"[;{}\\]\s*$|[(,]$|^\s*(?://|/\*|\*/|#\w|@\w|\}|\{|</?[A-Za-z!]|-- [a-z])"
    r"|^\s*(?:import|from|def|class|return|raise|if|elif|else|for|while|try|except|case|const|func|function|let"
    r"|var|using|namespace|public|private|static|void|export|assert|with|yield|echo|fi|then|done|local"
    r"|esac|exit)\b"
    r"|^\s*(?:\$\{|[A-Z_]+\)?$)|^\s*[\w.\[\]]+(?:: [\w\[\], |]+)? [+-]?=[ (]|^\s*[\w.]+\(.*\)\s*$"
    r"|(?:>|/>)$|^\s*\|.*\|$"
)
_PROSE = regex(
    r"^[ \t]*(?:[-*+#>]+ |\d+[.)] |[(\"'`])?[A-Za-z][A-Za-z,.;:'\"`()/-]*"
    r"(?: +[A-Za-z0-9`'\"(#*_<&-][^ ]*){3,}|[\u4e00-\u9fff]{4}"
)
_HISTORY = regex(r"commit [0-9a-f]{40}$")


def quotes(head: bytes) -> bool:
    """Whether the start of a text reads as source code or as prose."""
    text = head[:HEAD].decode("utf-8", "replace")
    lines = [line[:_MOST_LETTERS] for line in text.splitlines() if line.strip()]
    if len(lines) < _FEWEST or _LOGGED.search(lines[0]):
        return False
    if _HISTORY.match(lines[0]):
        return True
    logged = sum(1 for line in lines if _LOGGED.search(line))
    if logged > _LOGGING * len(lines):
        return False
    quoting = sum(1 for line in lines if _CODE.search(line) or _PROSE.search(line))
    return quoting >= _QUOTING * len(lines)

"""Raw environments: /proc/PID/environ parts its variables with NUL."""

from __future__ import annotations

import pytest

from npudoctor.fact import ParseError
from npudoctor.parse.environ import parse_environ_bytes


def test_nul_parts_variables_whose_values_hold_line_ends():
    data = b"PS1=a\nB=no name\0HCCL_IF_IP=10.0.0.1\0EMPTY=\0no variable\0"

    assert parse_environ_bytes(data) == {"PS1": "a\nB=no name", "HCCL_IF_IP": "10.0.0.1", "EMPTY": ""}


def test_without_nul_it_is_lines_in_any_encoding_and_with_any_line_end():
    assert parse_environ_bytes("名=1\r\nA=\u4e2d\r\n".encode("gbk") + b"B=2") == {"A": "中", "B": "2"}


def test_text_that_sets_nothing_is_no_environment():
    with pytest.raises(ParseError, match="NAME=value"):
        parse_environ_bytes(b"Permission denied\n")

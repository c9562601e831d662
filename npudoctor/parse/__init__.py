"""Raw text of one tool to facts: pure functions, one module a tool, registered by the decorator `parser`."""

from npudoctor.parse.registry import Parser, all_parsers, parser

__all__ = ["Parser", "all_parsers", "parser"]

"""Heredocs: the text that a script writes into a file or gives to a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from npudoctor.gate.shell.scope import Scope
    from npudoctor.gate.shell.walk import Walk


def heredoc(walk: Walk, node: Node, scope: Scope) -> tuple[str | None, str, int] | None:
    """File (or None), raw text and first line of a statement's heredoc; None where it has none."""
    redirects = list(_all(node))
    body = next((one for one in redirects if one.type == "heredoc_body"), None)
    start = next((one for one in redirects if one.type == "heredoc_start"), None)
    if body is None or start is None:
        return None
    quoted = walk.expander.text_of(start)[:1] in "'\"\\"
    raw = walk.expander.text_of(body) if quoted else walk.expander.filled(body, scope)
    return _target(walk, redirects, scope), raw, walk.expander.line_of(body)


def _target(walk: Walk, redirects: list[Node], scope: Scope) -> str | None:
    for one in redirects:
        if one.type == "file_redirect" and any(child.type in (">", ">>", ">|") for child in one.children):
            words = walk.words(one.children_by_field_name("destination"), scope)
            return words[0].text if words else None
    return None


def _all(node: Node) -> Iterator[Node]:
    """The redirects of a statement, and those of its heredoc."""
    for child in node.named_children:
        if child.type in ("file_redirect", "heredoc_body", "heredoc_start"):
            yield child
        elif child.type == "heredoc_redirect":
            yield from _all(child)

"""Which files are deployment files, and which of them may concern Ascend: by cheap looks alone."""

from __future__ import annotations

import re

from npudoctor.regex import regex

_ASCEND = (
    "ascend", "davinci", "huawei", "mindie", "mindspore", "mindx", "hccl", "soc_version", "310p", "910b",
)  # fmt: skip
_SHORT = regex(r"(?<![a-z])(?:npu|cann)(?![a-z])")
"""Words that are part of others too."""
_NAMES = regex(
    r"(?:.*[.\-_/])?(?:dockerfile|containerfile)(?:[.\-_].*)?"
    r"|.*\.(?:dockerfile|ya?ml|sh|bash|env)"
    r"|(?:.*/)?\.env(?:\..*)?|(?:.*/)?env\.[\w-]+"
    r"|(?:.*/)?[\w.-]*requirements?[\w.-]*\.(?:txt|in)|.*requirements/[^/]+\.(?:txt|in)|(?:.*/)?constraints?[\w.-]*\.txt"
    r"|(?:.*/)?pyproject\.toml|(?:.*/)?(?:gnu)?makefile(?:\.[^/]*)?|.*\.mk",
    re.IGNORECASE,
)
_COMPOSE = regex(r"(?:docker-)?compose.*\.ya?ml|\.env|kustomization\.ya?ml", re.IGNORECASE)


def is_deployment_file(path: str) -> bool:
    """Whether a path is that of a Dockerfile, a manifest, a script, a list of packages or of variables."""
    return _NAMES.fullmatch(path) is not None


def may_concern(text: str) -> bool:
    """Whether a text names anything of Ascend; nothing is parsed that does not."""
    lower = text.lower()
    if any(word in lower for word in _ASCEND):  # a pattern would take ten times as long
        return True
    return ("npu" in lower or "cann" in lower) and _SHORT.search(lower) is not None


def may_matter(name: str) -> bool:
    """Whether a file of this name gives values to others, whatever it holds itself."""
    return _COMPOSE.fullmatch(name) is not None

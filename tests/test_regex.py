"""Patterns that are compiled at their first use."""

import gc
import pkgutil
import re
from importlib import import_module

import npudoctor
from npudoctor.regex import _Waiting, regex


def test_it_matches_as_a_compiled_pattern_does():
    number = regex(r"(\d+)(?P<unit>[a-z]*)", re.IGNORECASE)
    assert number.search("x 12MB")["unit"] == "MB"
    assert number.fullmatch("x12") is None
    assert number.findall("1a 2b") == [("1", "a"), ("2", "b")]
    assert number.sub("n", "1a 2b") == "n n"
    assert number.pattern == r"(\d+)(?P<unit>[a-z]*)"


def test_a_pattern_is_compiled_once():
    number = regex(r"\d+")
    assert number.search == number.search


NOT_HERE = ("__main__", "locustfile")
"""Locust replaces the locks of the process that imports it: the worker of the tests would hang."""


def test_every_pattern_of_the_package_compiles():
    for module in pkgutil.walk_packages(npudoctor.__path__, "npudoctor."):
        if not module.name.endswith(NOT_HERE):
            import_module(module.name)
    patterns = [one for one in gc.get_objects() if isinstance(one, _Waiting)]
    assert len(patterns) > 100
    for pattern in patterns:
        assert pattern.pattern

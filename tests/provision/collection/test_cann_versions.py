"""Hosts order versions of CANN as the doctor does, without its package."""

from __future__ import annotations

import importlib
import itertools
import sys
from typing import Any

import pytest

from npudoctor.versions import Cann
from tests.provision.collection.calling import COLLECTIONS

_VERSIONS = (
    "7.0.T10", "7.0.0", "8.0.RC3.alpha001", "8.0.RC3.beta1", "8.0.RC3", "8.0.0", "8.1.RC1", "8.3.RC1",
    "8.3.RC2", "8.5", "8.5.0", "8.5.1", "8.5.0.alpha002", "9.0.0-beta.1", "9.0.0", "9.1.0-beta.3", "10.0.0",
)  # fmt: skip


@pytest.fixture
def versions(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(sys, "path", [str(COLLECTIONS), *sys.path])
    return importlib.import_module("ansible_collections.npudoctor.ascend.plugins.module_utils.cann_versions")


@pytest.mark.parametrize(("one", "two"), [*itertools.combinations(_VERSIONS, 2)])
def test_any_two_order_as_the_doctor_orders_them(versions: Any, one: str, two: str) -> None:
    key = versions.version_key
    assert (key(one) < key(two)) is (Cann(one) < Cann(two))
    assert (key(one) == key(two)) is (Cann(one) == Cann(two))


@pytest.mark.parametrize("text", ["", "latest", "cann", "RC1"])
def test_what_is_no_version_is_none(versions: Any, text: str) -> None:
    assert not versions.is_version(text)


@pytest.mark.parametrize(("version", "new"), [("8.3.RC2", False), ("8.5.0", True), ("9.0.0-beta.1", True)])
def test_the_new_layout_begins_with_8_5(versions: Any, version: str, new: bool) -> None:
    assert versions.has_new_layout(version) is new

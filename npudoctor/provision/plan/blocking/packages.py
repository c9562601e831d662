"""Packages, the room for them, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.provision.plan.blocking.case import Case, Words, blocks
from npudoctor.provision.plan.shelf import Condition
from npudoctor.provision.plan.space import shortages
from npudoctor.provision.plan.steps import undo_of
from npudoctor.provision.planned import Undo
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.provision.plan.steps import Work

_WHEELS_TOLD = 3


@blocks("no-space")
def _no_space(case: Case) -> Iterator[Words]:
    for short in shortages(case.ground, case.wanted, case.work):
        yield short.words()


@blocks("package-missing")
def _package_missing(case: Case) -> Iterator[Words]:
    for one in case.work:
        for package in one.packages:
            if package.condition is Condition.MISSING and not package.optional:
                told = f"; {package.why}" if package.why else ""
                yield {"name": package.name, "component": one.component.name, "instead": told}
        if (wheels := _wheels_missing(one)) and not case.wheels:
            told = "; " + _("python_env_index_url or python_env_wheelhouse of the inventory would do too")
            yield {"name": wheels, "component": one.component.name, "instead": told}


def _wheels_missing(work: Work) -> str:
    """The first of them, and how many more: a folder without any lacks fifteen."""
    names = [
        package.name
        for package in work.packages
        if package.condition is Condition.MISSING and package.name.endswith(".whl")
    ]
    more = [_("{number} more").format(number=len(names) - _WHEELS_TOLD)] if len(names) > _WHEELS_TOLD else []
    return ", ".join(names[:_WHEELS_TOLD] + more)


@blocks("package-damaged")
def _package_damaged(case: Case) -> Iterator[Words]:
    for one in case.work:
        for package in (*one.packages, *one.previous):
            if package.condition is Condition.DAMAGED:
                yield {"name": package.name, "why": package.why}


@blocks("undo-impossible")
def _undo_impossible(case: Case) -> Iterator[Words]:
    for one in case.work:
        if undo_of(one) is Undo.FORWARD and one.difference.before not in ("", "?"):
            missing = [package.name for package in one.previous if package.condition is not Condition.HERE]
            why = _("{names} is not at hand").format(names=", ".join(missing) or _("its package"))
            yield {"component": one.component.name, "before": one.difference.before, "why": why}


@blocks("unreadable")
def _unreadable(case: Case) -> Iterator[Words]:
    for one in case.work:
        if one.difference.unreadable:
            yield {"component": one.component.name, "why": one.difference.unreadable}

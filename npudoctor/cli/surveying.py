"""Survey one host for a plan: what a process of its own does with it, where there are many."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from npudoctor.cli.judging import Task
from npudoctor.host import load_areas
from npudoctor.matrix import Matrix, load_matrix
from npudoctor.provision.plan.survey import Surveyed, survey


def survey_of(file: Path | None) -> Callable[[Task], Surveyed]:
    """What surveys one host after another, in a process of its own. `file`: of the matrix, or None."""
    load_areas()
    return partial(survey_task, matrix=load_matrix(file))


def survey_task(task: Task, matrix: Matrix) -> Surveyed:
    """Read one host, and keep of it what a plan needs."""
    return survey(task.name, task.read, matrix)


def unsurveyed(task: Task, why: str) -> Surveyed:
    """What there is to say of a host that could not be read."""
    return Surveyed(task.name, error=why)

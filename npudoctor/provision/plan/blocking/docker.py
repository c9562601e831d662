"""Docker, where there is none: whether the host can install it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.provision.plan.blocking.case import Case, Words, blocks, install_command, why_not
from npudoctor.provision.plan.difference import INSTALL
from npudoctor.provision.plan.docker_offers import ENGINES
from npudoctor.words import _

if TYPE_CHECKING:
    from collections.abc import Iterator


@blocks("no-docker-package")
def _no_docker_package(case: Case) -> Iterator[Words]:
    offers = case.ground.installed.docker_offers
    installs = any(one.difference.action == INSTALL for one in case.work_on("docker"))
    if not installs or case.docker or offers.or_none():
        return
    nowhere = _("no repository that it knows has {names}").format(names=", ".join(ENGINES))
    install = install_command(case, "docker.io", "docker-engine")
    yield {"why": why_not(offers) or nowhere, "install": install}

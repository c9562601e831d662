"""What keeps a service from being started, as far as a reading shows it; the module looks at the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.provision.components import words_of_image
from npudoctor.provision.plan.blocking.case import Case, Words, blocks
from npudoctor.provision.plan.serving import SERVING
from npudoctor.provision.plan.shelf import Condition

if TYPE_CHECKING:
    from collections.abc import Iterator


@blocks("image-missing")
def _image_missing(case: Case) -> Iterator[Words]:
    for one in case.work_on(SERVING):
        image = one.difference.changes[0].after
        at_hand = any(package.condition is Condition.HERE for package in one.packages)
        if case.ground.served.has_image(image) is False and not at_hand:
            arch = case.ground.arch.or_none() or "?"
            yield {"image": image, "archive": f"{words_of_image(image)}-{arch}.tar"}

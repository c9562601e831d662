"""`npudoctor accept …`: acceptance of what was deployed."""

from __future__ import annotations

import typer

from npudoctor.cli.accept_profile import profile
from npudoctor.cli.commands import epilog

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)


@app.callback()
def accept() -> None:
    """Acceptance of what was deployed: where the time goes."""


app.command(
    epilog=epilog(
        (
            "npudoctor accept profile PROF_000001_20260101120000000_ABCDEFGHIJKLMNOP",
            "npudoctor accept profile before_ascend_pt after_ascend_pt --format json",
        )
    )
)(profile)

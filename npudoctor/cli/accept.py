"""`npudoctor accept …`: acceptance of what was deployed."""

from __future__ import annotations

import typer

from npudoctor.cli.accept_compare import compare
from npudoctor.cli.accept_load import load
from npudoctor.cli.accept_memory import memory
from npudoctor.cli.accept_profile import profile
from npudoctor.cli.commands import epilog

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.callback()
def accept() -> None:
    """Acceptance of what was deployed."""


app.command(
    epilog=epilog(
        (
            "npudoctor accept profile PROF_000001_20260101120000000_ABCDEFGHIJKLMNOP",
            "npudoctor accept profile before_ascend_pt after_ascend_pt --format json",
        )
    )
)(profile)
app.command(
    epilog=epilog(
        (
            "npudoctor accept memory --model /models/Qwen2.5-7B-Instruct --chip 910B3",
            "npudoctor accept memory --model config.json --chip A3 --tp 4 --concurrency 32 --length 8192",
        )
    )
)(memory)
app.command(
    epilog=epilog(
        (
            "npudoctor accept compare fp16.npy int8.npy --kind logits",
            "npudoctor accept compare before.jsonl after.jsonl --kind text --min-recall 0.98 --format json",
        )
    )
)(compare)
app.command(
    epilog=epilog(
        (
            "npudoctor accept load http://model-srv-01:8000 --format json --output before.json",
            "npudoctor accept load http://model-srv-01:8000 --baseline before.json --min-speedup 2",
        )
    )
)(load)

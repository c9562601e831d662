"""`npudoctor accept load URL`: how many requests a served model bears, and how fast it answers them."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from npudoctor.cli import options
from npudoctor.errors import Exit, UsageError
from npudoctor.words import _, choose_language

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from npudoctor.accept.load.run import Test
    from npudoctor.accept.load.sampling import Sampling

FORMATS = ("text", "json", "html")
KEY = "NPUDOCTOR_API_KEY"
_HERE = ("127.0.0.1", "localhost", "::1")
_PROMPTS = 1000
_FASTEST = 100_000
"""Requests a second: far more than senders of one machine reach."""
Url = Annotated[
    str | None,
    typer.Argument(
        metavar="URL", help=_("The service: http://HOST:PORT, or the whole path."), show_default=False
    ),
]
Model = Annotated[
    str | None,
    typer.Option(metavar="NAME", help=_("The model; else the first it lists."), show_default=False),
]
Prompts = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help=_("Prompts, one a line, or JSON; else a mix by length."), show_default=False
    ),
]
Rates = Annotated[str, typer.Option(metavar="N,N,…", help=_("Requests a second, step by step."))]
Step = Annotated[float, typer.Option(metavar="SECONDS", min=0.5, help=_("How long each step lasts."))]
MaxTokens = Annotated[int, typer.Option(metavar="N", min=1, help=_("Output tokens of a request, at most."))]
Timeout = Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help=_("What one request may take."))]
Processes = Annotated[int, typer.Option(metavar="N", min=1, help=_("Senders on this machine."))]
Workers = Annotated[
    int,
    typer.Option(metavar="N", min=0, help=_("Senders on other machines: locust's workers; see the docs.")),
]
Baseline = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help=_("JSON of an earlier test to compare with."), show_default=False),
]
Speedup = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        min=0,
        help=_("The least ratio of P99 and of throughput to the baseline."),
        show_default=False,
    ),
]
MaxP99 = Annotated[
    float | None,
    typer.Option(
        "--max-p99", metavar="MS", min=0, help=_("The most that P99 may be, in any step."), show_default=False
    ),
]
Format = Annotated[str, typer.Option(metavar="FORMAT", help=", ".join(FORMATS) + ".")]


def load(
    url: Url = None,
    model: Model = None,
    prompts: Prompts = None,
    rates: Rates = "10,20,30,40,50,60,70,80,90,100,110,120,130,140,150",
    step: Step = 30.0,
    max_tokens: MaxTokens = 128,
    timeout: Timeout = 120.0,
    processes: Processes = 1,
    workers: Workers = 0,
    hosts: options.Hosts = None,
    limit: options.Limit = None,
    baseline: Baseline = None,
    min_speedup: Speedup = None,
    max_p99: MaxP99 = None,
    format: Format = "text",
    output: options.Output = None,
    exit_zero: options.ExitZero = False,
    lang: options.Lang = None,
) -> int:
    """Load a served model with more and more requests a second.

    OpenAI's chat or completions, or /generate; streamed answers are timed by the token. A key goes into
    NPUDOCTOR_API_KEY. With --hosts, processors and NPUs of that host are watched meanwhile.
    Exits with 1 where a limit is not kept to, with 3 where the service does not answer.
    """
    choose_language(lang)
    if url is None:
        raise UsageError(_("give the address of the service"), "npudoctor accept load http://HOST:8000")
    if min_speedup is not None and baseline is None:
        raise UsageError(_("--min-speedup needs --baseline"), "--baseline before.json")
    from npudoctor.accept.load.baseline import limits, ratios, read_baseline
    from npudoctor.cli.output import targets
    from npudoctor.report.load_json import with_verdict

    wanted = targets(format, output or (), FORMATS)
    before = read_baseline(baseline) if baseline else None
    _check_finite({"--step": step, "--timeout": timeout, "--min-speedup": min_speedup, "--max-p99": max_p99})
    steps = _rates(rates, step)
    headers = _headers(os.environ.get(KEY, "").strip())
    test = _test(url, model, prompts, steps, step, max_tokens, timeout, headers, processes, workers)
    measured = _measured(test, hosts, limit)
    compared = ratios(before, measured) if before else None
    held = limits(measured, compared, min_speedup, max_p99)
    document = with_verdict(measured, compared, held)
    _deliver(document, wanted)
    if exit_zero:
        return Exit.OK
    if not all(limit.kept for limit in held):
        return Exit.FINDINGS
    none = measured["total"]["failures"] == measured["total"]["requests"]
    return Exit.INCOMPLETE if none else Exit.OK


def _rates(text: str, seconds: float) -> list[float]:
    try:
        found = [float(word) for word in text.split(",")]
    except ValueError:
        found = []
    if not found or not all(0 < rate <= _FASTEST for rate in found) or sorted(set(found)) != found:
        raise UsageError(_("--rates {text}: give rising numbers").format(text=text), "--rates 10,20,30")
    if round(found[0] * seconds) < 1:
        raise UsageError(
            _("--rates {rate:g}: no request within {seconds:g} s").format(rate=found[0], seconds=seconds),
            _("give a longer --step"),
        )
    return found


def _check_finite(options: dict[str, float | None]) -> None:
    """`nan` is within every limit that the parser of options knows, and `inf` within those without an end."""
    for option, value in options.items():
        if value is not None and not isfinite(value):
            raise UsageError(_("{option} {value}: is no number").format(option=option, value=value))


def _headers(key: str) -> dict[str, str]:
    if not (key.isascii() and key.isprintable()):
        raise UsageError(_("{name} holds what no key has").format(name=KEY), _("set it anew"))
    return {"Authorization": f"Bearer {key}"} if key else {}


def _test(
    url: str,
    model: str | None,
    prompts: Path | None,
    rates: list[float],
    step: float,
    max_tokens: int,
    timeout: float,
    headers: dict[str, str],
    processes: int,
    workers: int,
) -> Test:
    from npudoctor.accept.load.probe import find_service
    from npudoctor.accept.load.prompts import built_in, read_prompts
    from npudoctor.accept.load.run import Test

    asked = read_prompts(prompts) if prompts else built_in(_PROMPTS)
    service = find_service(url, model, headers, timeout)
    return Test(service, asked, rates, step, max_tokens, timeout, headers, processes, workers)


def _measured(test: Test, hosts: str | None, limit: str | None) -> dict[str, Any]:
    from npudoctor.accept.load.figures import figures_of, together
    from npudoctor.accept.load.run import run
    from npudoctor.report.load_json import document_of

    with _sampling(test, hosts, limit) as sampling:
        records = run(test, _progress(test))
    steps = figures_of(records, test.rates, test.seconds)
    total = together(records, len(test.rates) * test.seconds)
    began = min((record["began"] for record in records), default=0.0)
    return document_of(test, steps, total, sampling.samples if sampling else (), began)


def _sampling(test: Test, hosts: str | None, limit: str | None) -> AbstractContextManager[Sampling | None]:
    """Of the host that serves: the one that is named, else this one where the service is here."""
    from npudoctor.accept.load.sampling import Here, Sampling, There

    if hosts is None:
        here = urlsplit(test.service.url).hostname in _HERE
        return Sampling(Here()) if here else nullcontext()
    from npudoctor.collect.inventory import read_inventory

    targets = read_inventory(hosts, limit)
    if len(targets) > 1:
        raise UsageError(_("--hosts names several hosts"), _("name the one that serves: --limit NAME"))
    return Sampling(There(targets[0]))


def _progress(test: Test) -> Callable[[float], None]:
    """Tells of the step that runs, on a terminal."""

    def tell(seconds: float) -> None:
        number = min(int(seconds // test.seconds), len(test.rates) - 1)
        what = _("{rate} requests a second, step {number} of {all}")
        told = what.format(rate=f"{test.rates[number]:g}", number=number + 1, all=len(test.rates))
        sys.stderr.write(f"\r\033[K{told}")
        sys.stderr.flush()

    return tell if sys.stderr.isatty() else lambda _seconds: None


def _deliver(document: dict[str, Any], wanted: list[Any]) -> None:
    from npudoctor.cli.output import put, style_for
    from npudoctor.report import load_html, load_json, load_text

    for target in wanted:
        if target.format == "json":
            put([load_json.to_json(document)], target)
        elif target.format == "html":
            put(load_html.to_html(document), target)
        else:
            put([load_text.to_text(document, style_for(target, False))], target)

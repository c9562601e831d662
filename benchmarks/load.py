"""How well `npudoctor accept load` measures: beside the server's own clock, and beside other load generators.

    python benchmarks/load.py [--rate 10] [--seconds 30] [--tokens 32] [--peer PATH] [--hey PATH]

A server of the tests answers on loopback, with streamed tokens and a known spread of latencies, and keeps its
own times of each answer. npudoctor, aiperf and hey load it in turn, at the same rate, for the same time.
`--peer` is an aiperf that is installed already; without it version 0.13.0 is put into an environment of its
own (1.2 GB) that is removed afterwards, and left out where it cannot be had. hey (`apt-get install hey`)
knows nothing of tokens; it is left out where it is not there. All of them and the server share this machine's
cores. aiperf and hey count the time of the last answers into requests a second: less so in a longer test.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

REPOSITORY = Path(__file__).parent.parent
sys.path.insert(0, str(REPOSITORY))

from tests.accept.load.served import MODEL, Behaviour, served  # noqa: E402 (the checkout must be on the path)

PEER = "aiperf==0.13.0"
SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
FIGURES = tuple(f"{what}_ms {share}" for what in ("latency", "ttft", "tpot") for share in SHARES)
Figures = dict[str, float]


@dataclass(frozen=True)
class Load:
    """What each of them does.

    Attributes:
        rate: Requests a second.
        seconds: For how long.
        tokens: Of each answer.
        folder: For files of theirs.
    """

    rate: float
    seconds: float
    tokens: int
    folder: Path

    @property
    def requests(self) -> int:
        """How many in all."""
        return round(self.rate * self.seconds)


def main() -> None:
    """Measure and print."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        load = Load(options.rate, options.seconds, options.tokens, Path(folder))
        peer, hey = options.peer or _install(Path(folder)), options.hey or shutil.which("hey")
        print(f"{load.rate:g} requests a second for {load.seconds:g} s, {load.tokens} tokens each;", end=" ")
        print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        measured = {"npudoctor": _beside("npudoctor", load, _npudoctor)}
        if peer:
            measured["aiperf"] = _beside("aiperf", load, lambda load, url: _aiperf(load, url, str(peer)))
        if hey:
            measured["hey"] = _beside("hey", load, lambda load, url: _hey(load, url, str(hey)))
    _print(measured)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rate", type=float, default=10)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--peer", type=Path, help="an aiperf that is installed already")
    parser.add_argument("--hey", type=Path, help="a hey that is not on PATH")
    return parser.parse_args()


def _install(folder: Path) -> Path | None:
    subprocess.run([sys.executable, "-m", "venv", folder / "peer"], check=True)
    pip = [str(folder / "peer/bin/pip"), "install", "--quiet", "--disable-pip-version-check", PEER]
    if subprocess.run(pip, check=False).returncode:
        print(f"{PEER} cannot be had here: without it")
        return None
    return folder / "peer/bin/aiperf"


def _beside(name: str, load: Load, measure: Callable[[Load, str], Figures]) -> tuple[Figures, Figures]:
    """What one of them measured, and what the server did meanwhile."""
    behaviour = Behaviour(first=0.1, spread=0.4, each=0.01, slots=4096)
    with served(behaviour) as url:
        print(f"{name} …", flush=True)
        figures = measure(load, url)
    return figures, _own(behaviour, load)


def _own(behaviour: Behaviour, load: Load) -> Figures:
    """Of the answers of the server; the requests before the test were others, and are left out."""
    answers = behaviour.answered[-load.requests :]
    return {
        **_spread("latency_ms", [last for _first, last in answers]),
        **_spread("ttft_ms", [first for first, _last in answers]),
        **_spread("tpot_ms", [(last - first) / (load.tokens - 1) for first, last in answers]),
    }


def _spread(what: str, seconds: list[float]) -> Figures:
    seconds.sort()
    ranks = {name: max(0, math.ceil(len(seconds) * share) - 1) for name, share in SHARES.items()}
    return {f"{what} {name}": 1000 * seconds[rank] for name, rank in ranks.items()}


def _npudoctor(load: Load, url: str) -> Figures:
    command = [sys.executable, "-m", "npudoctor", "accept", "load", url, "--format", "json"]
    command += ["--rates", f"{load.rate:g}", "--step", f"{load.seconds:g}", "--max-tokens", str(load.tokens)]
    ended = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=load.folder)
    step = json.loads(ended.stdout)["steps"][0]
    figures = {name: step[name.split()[0]][name.split()[1]] for name in FIGURES}
    return {**figures, "requests_per_second": step["requests_per_second"]}


def _aiperf(load: Load, url: str, program: str) -> Figures:
    results = load.folder / "aiperf"
    words: dict[str, object] = {
        **{"--model": MODEL, "--url": url, "--endpoint-type": "chat", "--tokenizer": _tokenizer(load.folder)},
        **{"--request-rate": load.rate, "--arrival-pattern": "constant", "--request-count": load.requests},
        **{"--isl": 200, "--osl": load.tokens, "--artifact-dir": results, "--ui": "none"},
    }
    command = [program, "profile", "--streaming", "--use-legacy-max-tokens", "--use-server-token-count"]
    command += [str(word) for pair in words.items() for word in pair]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=load.folder)
    found = json.loads((results / "profile_export_aiperf.json").read_text())
    theirs = {
        "latency_ms": "request_latency",
        "ttft_ms": "time_to_first_token",
        "tpot_ms": "inter_token_latency",
    }
    figures = {f"{ours} {name}": found[their][name] for ours, their in theirs.items() for name in SHARES}
    return {**figures, "requests_per_second": found["request_throughput"]["avg"]}


def _tokenizer(folder: Path) -> Path:
    """aiperf wants one to make up prompts with, and would fetch it: a few words do."""
    place = folder / "tokenizer"
    place.mkdir()
    words = {"[UNK]": 0, **{f"w{number}": number + 1 for number in range(200)}}
    model = {"type": "WordLevel", "vocab": words, "unk_token": "[UNK]"}
    document = {"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "Whitespace"}, "model": model}
    (place / "tokenizer.json").write_text(json.dumps(document))
    (place / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}))
    return place


def _hey(load: Load, url: str, program: str) -> Figures:
    """Its workers send in turns and wait for the answer: as many of them as are never all busy."""
    workers = max(1, round(load.rate))
    body = {"model": MODEL, "stream": True, "max_tokens": load.tokens, "messages": []}
    command = [program, "-n", str(load.requests), "-c", str(workers), "-q", f"{load.rate / workers:g}"]
    command += ["-o", "csv", "-m", "POST", "-T", "application/json", "-d", json.dumps(body)]
    ended = subprocess.run(
        [*command, url + "/v1/chat/completions"], check=True, stdout=subprocess.PIPE, text=True
    )
    rows = list(csv.DictReader(ended.stdout.splitlines()))
    whole = max(float(row["offset"]) + float(row["response-time"]) for row in rows)
    times = [float(row["response-time"]) for row in rows]
    return {**_spread("latency_ms", times), "requests_per_second": len(rows) / whole}


def _print(measured: dict[str, tuple[Figures, Figures]]) -> None:
    """Each figure, by its ratio to the server's own; and npudoctor's by that of each of the others."""
    ours = measured["npudoctor"][0]
    print("\n" + " " * 20 + "".join(f"{name:>12}{'server':>10}{'ratio':>8}" for name in measured))
    for figure in (*FIGURES, "requests_per_second"):
        cells = [_cells(figures.get(figure), own.get(figure)) for figures, own in measured.values()]
        print(f"{figure:<20}" + "".join(cells))
    for name, (figures, own) in list(measured.items())[1:]:
        print(f"\nnpudoctor by {name}, each by the server's own")
        for figure in figures:
            by = own.get(figure, 1) / measured["npudoctor"][1].get(figure, 1)
            print(f"  {figure:<20}{ours[figure] / figures[figure] * by:>8.3f}")


def _cells(figure: float | None, own: float | None) -> str:
    if figure is None:
        return f"{'-':>12}{'-':>10}{'-':>8}"
    return f"{figure:>12.2f}" + (f"{own:>10.2f}{figure / own:>8.3f}" if own else f"{'-':>10}{'-':>8}")


if __name__ == "__main__":
    main()

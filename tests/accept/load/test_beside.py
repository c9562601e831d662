"""`npudoctor accept load` beside the clock of the server that it loads, and beside another load generator."""

import csv
import importlib.util
import json
import math
import shutil
import subprocess
import sys

import pytest

from tests.accept.load.served import Behaviour, served

# Not importorskip: to import locust changes the sockets of the whole process.
pytestmark = pytest.mark.skipif(importlib.util.find_spec("locust") is None, reason="locust is not installed")
RATE, SECONDS, TOKENS = 10, 5, 16
SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
WITHIN = 0.05


def _behaviour():
    """Latencies from 0.5 to 0.9 s: long ones, so that a busy machine adds little to them."""
    return Behaviour(first=0.35, spread=0.4, each=0.01, slots=4096)


def _spread(seconds):
    """Percentiles by the nearest rank, in ms."""
    ordered = sorted(seconds)
    return {name: 1000 * ordered[math.ceil(len(ordered) * share) - 1] for name, share in SHARES.items()}


def _loaded(url):
    command = [sys.executable, "-m", "npudoctor", "accept", "load", url, "--rates", str(RATE)]
    command += ["--step", str(SECONDS), "--max-tokens", str(TOKENS), "--format", "json"]
    ended = subprocess.run(command, check=True, capture_output=True)
    return json.loads(ended.stdout)["steps"][0]


def _loaded_by_hey(url):
    """The latency of each request in seconds; ten senders, one request a second each."""
    body = json.dumps({"model": "tiny", "stream": True, "max_tokens": TOKENS, "messages": []})
    command = ["hey", "-n", str(RATE * SECONDS), "-c", str(RATE), "-q", "1", "-o", "csv", "-m", "POST"]
    command += ["-T", "application/json", "-d", body, url + "/v1/chat/completions"]
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(row["response-time"]) for row in csv.DictReader(ended.stdout.splitlines())]


def test_percentiles_are_within_5_percent_of_the_server_s_own():
    behaviour = _behaviour()
    with served(behaviour) as url:
        step = _loaded(url)
    own = behaviour.answered[-RATE * SECONDS :]  # the request before the test was another
    assert step["latency_ms"] == pytest.approx(_spread([last for _first, last in own]), rel=WITHIN)
    assert step["ttft_ms"] == pytest.approx(_spread([first for first, _last in own]), rel=WITHIN)
    each = [(last - first) / (TOKENS - 1) for first, last in own]
    assert step["tpot_ms"] == pytest.approx(_spread(each), rel=WITHIN)


@pytest.mark.skipif(shutil.which("hey") is None, reason="hey is not installed (apt-get install hey)")
def test_another_generator_is_as_near_to_the_server_s_own():
    """Both in one run; each by what the server did meanwhile, as no two runs of it are alike."""
    ours, theirs = _behaviour(), _behaviour()
    with served(ours) as url:
        step = _loaded(url)
    with served(theirs) as url:
        hey = _spread(_loaded_by_hey(url))
    own = _spread([last for _first, last in ours.answered[-RATE * SECONDS :]])
    own_of_hey = _spread([last for _first, last in theirs.answered])
    for share in SHARES:
        assert step["latency_ms"][share] / own[share] == pytest.approx(
            hey[share] / own_of_hey[share], rel=WITHIN
        )

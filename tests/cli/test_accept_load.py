"""`npudoctor accept load`: locust against a real server on this machine."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from npudoctor.accept.load import LOCUSTFILE
from tests.accept.load.served import Behaviour, served

# Not importorskip: to import locust changes the sockets of the whole process.
pytestmark = pytest.mark.skipif(importlib.util.find_spec("locust") is None, reason="locust is not installed")
SHORT = ("--step", "1.5", "--max-tokens", "8")


def test_each_step_is_measured_by_the_token(npudoctor):
    with served(Behaviour(first=0.05, each=0.01)) as url:
        ended = npudoctor("accept", "load", url, "--rates", "8,16", *SHORT, "--format", "json")
    document = json.loads(ended.stdout)
    assert ended.returncode == 0
    assert (document["schema"], document["model"]) == ("npudoctor.load/1", "tiny")
    assert [step["requests"] for step in document["steps"]] == [12, 24]
    for step in document["steps"]:
        assert 45 < step["ttft_ms"]["p50"] < 110
        assert 9 < step["tpot_ms"]["p50"] < 25
        assert step["latency_ms"]["p50"] == pytest.approx(
            step["ttft_ms"]["p50"] + 7 * step["tpot_ms"]["p50"], rel=0.2
        )
        assert step["failure_share"] == 0


def test_the_step_that_is_too_much_is_named(npudoctor):
    with served(Behaviour(first=0.2, each=0.001, slots=2)) as url:
        ended = npudoctor("accept", "load", url, "--rates", "4,40", *SHORT, "--format", "json")
    document = json.loads(ended.stdout)
    assert document["saturated_at"] == 40
    assert document["steps"][1]["requests_per_second"] == pytest.approx(9.6, rel=0.25)
    # Arrivals do not wait for answers: a full queue shows as latency, not as fewer requests.
    assert document["steps"][1]["requests"] == 60
    assert document["steps"][1]["latency_ms"]["p99"] > 2000


@pytest.mark.parametrize(
    ("path", "behaviour"),
    [
        ("/v1/completions", Behaviour()),
        ("/generate", Behaviour()),
        ("/generate", Behaviour(inputs=True)),
        ("/generate_stream", Behaviour(inputs=True)),
    ],
)
def test_other_forms_are_timed_by_the_token_too(npudoctor, path, behaviour):
    with served(behaviour) as url:
        ended = npudoctor("accept", "load", url + path, "--rates", "10", *SHORT, "--format", "json")
    total = json.loads(ended.stdout)["total"]
    assert (total["failures"], total["requests"]) == (0, 15)
    assert total["tpot_ms"]["p50"] > 1.5


def test_failures_are_counted_with_their_reason(npudoctor):
    with served(Behaviour(fail_every=3)) as url:
        ended = npudoctor("accept", "load", url, "--rates", "10", *SHORT, "--format", "json")
    total = json.loads(ended.stdout)["total"]
    assert total["failure_reasons"] == {"HTTP 500": 5}


@pytest.mark.parametrize(
    ("behaviour", "why"),
    [
        ({"cut": True}, "an answer that is cut off, or of another form"),
        ({"to": "http://127.0.0.1:9/v1/chat/completions"}, "HTTP 307"),
    ],
)
def test_a_service_that_answers_nothing_wholly_is_3_and_said_first(npudoctor, behaviour, why):
    with served(Behaviour(**behaviour)) as url:
        ended = npudoctor("accept", "load", url, "--rates", "10", *SHORT)
    assert ended.returncode == 3
    assert ended.stdout.startswith("No request was answered.\n")
    assert f"Failures: 15 × {why}\n" in ended.stdout


def test_several_senders_share_the_rate(npudoctor):
    with served() as url:
        arguments = ("--rates", "20", "--processes", "2", *SHORT, "--format", "json")
        ended = npudoctor("accept", "load", url, *arguments)
    assert json.loads(ended.stdout)["total"]["requests"] == pytest.approx(30, abs=2)


def test_a_baseline_gives_ratios_and_limits(npudoctor, tmp_path):
    arguments = ("--rates", "10", *SHORT)
    with served(Behaviour(first=0.2)) as url:
        npudoctor("accept", "load", url, *arguments, "--format", "json", "--output", "before.json")
    with served(Behaviour(first=0.02)) as url:
        arguments += (
            "--baseline",
            "before.json",
            "--min-speedup",
            "1.5",
            "--max-p99",
            "10",
            "--format",
            "json",
        )
        ended = npudoctor("accept", "load", url, *arguments)
    document = json.loads(ended.stdout)
    assert document["ratio"]["total"]["latency_ms"]["p50"] > 2
    kept = {limit["what"]: limit["kept"] for limit in document["limits"]}
    assert kept == {
        "speedup of latency_ms.p99": True,
        "speedup of requests_per_second": False,  # both kept up with the same rate
        "latency_ms.p99": False,
    }
    assert ended.returncode == 1


def test_the_key_is_sent_and_shown_nowhere(npudoctor, tmp_path):
    secret = "sk-planted-secret"
    with served(Behaviour(key=secret)) as url:
        arguments = ("accept", "load", url, "--rates", "4", *SHORT, "--output", "html=page.html")
        refused = npudoctor(*arguments)
        ended = npudoctor(*arguments, env={"NPUDOCTOR_API_KEY": secret})
    assert refused.returncode == 3
    assert "NPUDOCTOR_API_KEY" in refused.stderr
    assert ended.returncode == 0
    page = (tmp_path / "page.html").read_text()
    assert secret not in ended.stdout + ended.stderr + page
    assert page.count("<svg") >= 5  # in so short a test nobody may have looked at the processors twice


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("http://127.0.0.1:9",), 3, "refused"),
        (("nowhere",), 2, "no address"),
        (("http://127.0.0.1:9", "--rates", "3,2"), 2, "--rates"),
        (("http://127.0.0.1:9", "--rates", "nan"), 2, "--rates"),
        (("http://127.0.0.1:9", "--rates", "0.01"), 2, "--rates 0.01: no request within 30 s"),
        (("http://127.0.0.1:9", "--step", "nan"), 2, "--step nan: is no number"),
        (("http://127.0.0.1:9", "--min-speedup", "2"), 2, "--baseline"),
        (("http://127.0.0.1:9", "--baseline", "gone.json"), 2, "gone.json"),
        ((), 2, "address"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(npudoctor, arguments, code, said):
    ended = npudoctor("accept", "load", *arguments)
    assert (ended.returncode, ended.stderr.count("\n")) == (code, 1)
    assert said in ended.stderr


def _locust(port, *arguments):
    command = [sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--worker", "--master-port", str(port)]
    return subprocess.Popen([*command, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_a_worker_of_locust_sends_for_this_machine(npudoctor):
    port = 5557
    worker = _locust(port)
    try:
        with served() as url:
            arguments = ("--rates", "10", "--workers", "1", *SHORT, "--format", "json")
            ended = npudoctor("accept", "load", url, *arguments)
    finally:
        worker.kill()
        worker.wait()
    assert json.loads(ended.stdout)["total"]["requests"] == 15


def test_ctrl_c_ends_it_and_its_senders_at_once(tmp_path):
    with served(Behaviour(first=5)) as url:
        command = [sys.executable, "-m", "npudoctor", "accept", "load", f"{url}/generate", "--rates", "5"]
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(tmp_path)},
        )
        _wait_for(lambda: any(tmp_path.glob("npudoctor-load-*/locust.log")))
        process.send_signal(signal.SIGINT)
        _said, told = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "Traceback" not in told
    assert not any(tmp_path.iterdir())


def test_no_sender_outlives_a_test_that_was_killed(tmp_path):
    def senders():
        return [one for one in Path("/proc").glob("[0-9]*") if _leads_below(one / "cwd", tmp_path)]

    arguments = ("--rates", "5", "--processes", "2")
    with served(Behaviour(first=5)) as url:
        process = subprocess.Popen(
            [sys.executable, "-m", "npudoctor", "accept", "load", f"{url}/generate", *arguments],
            env={**os.environ, "TMPDIR": str(tmp_path)},
        )
        _wait_for(lambda: len(senders()) == 3, 60)
        process.kill()
        process.wait()
        _wait_for(lambda: not senders(), 60)


def _leads_below(link, folder):
    try:
        return str(link.readlink()).startswith(f"{folder}/")
    except OSError:
        return False


def _wait_for(there, seconds=20):
    until = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < until
        time.sleep(0.05)

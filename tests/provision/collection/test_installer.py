"""How an installer is run: once, whatever becomes of its caller, and what it said is kept at once."""

from __future__ import annotations

import importlib
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.provision.collection.hdk_hosts import Host

FIRMWARE = "7.8.0.5.216"


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    return Host(tmp_path, monkeypatch)


def step(host: Host, component: str = "driver") -> dict[str, Any]:
    path = host.root / f"var/lib/npudoctor/steps/{component}.json"
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def until(condition: Any) -> None:
    end = time.monotonic() + 30
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    assert condition()


def killed_while_it_runs(host: Host, **parameters: Any) -> None:
    """Call a module in a process of its own, and kill that when its installer has begun."""
    child = os.fork()
    if child == 0:
        host.call(**parameters)
        os._exit(0)
    until(lambda: host.ran)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_an_installer_outlives_its_caller_and_the_next_call_waits_for_it(host: Host) -> None:
    host.fault("slow")
    given = {"module": "driver", "version": "25.5.0", "packages": [host.package("driver", "25.5.0")]}
    killed_while_it_runs(host, **given)
    answer = host.call(**given)
    assert (answer["changed"], answer["after"]["version"]) == (True, "25.5.0")
    assert len(host.ran) == 1


def test_its_wish_is_kept_though_nobody_was_there_to_hear_it(host: Host) -> None:
    host.fault("slow")
    given = {"module": "firmware", "version": FIRMWARE, "packages": [host.package("firmware", FIRMWARE)]}
    killed_while_it_runs(host, **given)
    until(lambda: step(host, "firmware")["rc"] is not None)
    later = host.call(**given)
    assert not later["changed"]
    assert "Reboot now or after driver installation" in later["reboot"]["reasons"][0]


def test_another_version_waits_for_the_one_under_way_and_is_installed_then(host: Host) -> None:
    host.fault("slow")
    first, second = (host.package("driver", version) for version in ("25.5.0", "25.5.1"))
    killed_while_it_runs(host, module="driver", version="25.5.0", packages=[first])
    assert host.call("driver", version="25.5.1", packages=[second])["after"]["version"] == "25.5.1"
    assert [line.split()[1] for line in host.ran] == ["25.5.0", "25.5.1"]


def test_one_that_does_not_end_is_ended(host: Host) -> None:
    host.fault("slow")
    answer = host.call("driver", version="25.5.0", packages=[host.package("driver", "25.5.0")], seconds=1)
    assert (answer["blockers"][0]["key"], answer["rc"]) == ("timed-out", 124)
    assert host.call("driver", verb="probe")["before"]["state"] == "half"


def test_a_step_that_power_cut_off_is_half_done(host: Host) -> None:
    given = {"version": "25.5.0", "packages": [host.package("driver", "25.5.0")]}
    host.call("driver", **given)
    path = host.root / "var/lib/npudoctor/steps/driver.json"
    cut = {key: value for key, value in step(host).items() if key not in ("ok", "ended")} | {"rc": None}
    path.write_text(json.dumps(cut))
    assert host.call("driver", verb="probe")["before"]["state"] == "half"
    assert host.call("driver", **given)["changed"]
    assert len(host.ran) == 2


def test_a_lock_on_a_file_system_that_became_read_only_is_no_installer_that_runs(host: Host) -> None:
    module = importlib.import_module("ansible_collections.npudoctor.ascend.plugins.module_utils.installer")
    read_only = "/proc/sys/kernel/random/boot_id"  # not even root may open it to write
    assert not module._locked(read_only)


def test_all_that_it_printed_is_kept_in_a_file_of_each_run(host: Host) -> None:
    logs = [
        Path(host.call("driver", version=version, packages=[host.package("driver", version)])["log"])
        for version in ("25.5.0", "25.5.1")
    ]
    assert len(set(logs)) == 2
    assert all("installed successfully!" in log.read_text() for log in logs)
    assert step(host)["log"] == str(logs[1])


def test_what_it_keeps_is_for_root_alone(host: Host) -> None:
    host.call("driver", version="25.5.0", packages=[host.package("driver", "25.5.0")])
    home = host.root / "var/lib/npudoctor"
    modes = {name: oct((home / name).stat().st_mode & 0o777) for name in ("steps", "logs", "packages")}
    assert set(modes.values()) == {"0o700"}
    assert (home / "steps/driver.json").stat().st_mode & 0o077 == 0
    assert list((home / "packages").iterdir()) == []

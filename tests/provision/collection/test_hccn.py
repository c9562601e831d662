"""The module `hccn`: what it refuses before it sets anything, what it sets, that no port stays half-set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from npudoctor.parse.hccn_conf import parse_hccn_conf
from tests.provision.collection.calling import call, give, lay, picture

PORTS = [{"device": n, "address": f"192.0.2.{10 + n}"} for n in range(2)]
SHARED = {"gateway": "192.0.2.1", "netdetect": "192.0.2.1", "tls": "disabled"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    give(tmp_path, "hccn_tool")
    lay(tmp_path, {"/dev/davinci0": "", "/dev/davinci1": "", "/proc/version": "", "/etc/hostname": "a\n"})
    return tmp_path


def port(root: Path, device: int) -> dict[str, str]:
    """What hccn_tool has of a port."""
    files = (root / "ports").glob(f"{device}.*")
    return {path.suffix[1:]: path.read_text().strip() for path in files}


def hccn(root: Path, ports: list[dict[str, Any]] = PORTS, **more: Any) -> dict[str, Any]:
    return call("hccn", root, ports=ports, **{**SHARED, **more})


def test_every_port_has_what_the_inventory_says_and_the_file_agrees(root: Path) -> None:
    assert hccn(root)["changed"]
    wanted = {"netmask": "255.255.255.0", "gateway": "192.0.2.1", "netdetect": "192.0.2.1", "tls": "0"}
    assert port(root, 1) == {"address": "192.0.2.11", **wanted}
    conf = parse_hccn_conf((root / "etc/hccn.conf").read_text())
    assert conf.complete
    assert [dict(each.settings) for each in conf.ports] == [
        {"address": f"192.0.2.{10 + n}", **{key: wanted[key] for key in ("netmask", "gateway", "netdetect")}}
        for n in range(2)
    ]


def test_check_mode_predicts_it_and_a_second_run_sets_nothing(root: Path) -> None:
    before = picture(root)
    assert hccn(root, check=True)["changed"]
    assert picture(root) == before
    hccn(root)
    (root / "calls").unlink()
    assert not hccn(root)["changed"]
    assert not (root / "calls").exists()
    assert not hccn(root, verb="verify")["failed"]


def test_settings_of_others_in_the_file_stay(root: Path) -> None:
    others = "ip_rule_0=add from 192.0.2.10 table 100\nroceport_0=4791\n"
    lay(root, {"/etc/hccn.conf": f"address_0=192.0.2.99\n{others}"})
    hccn(root)
    assert others in (root / "etc/hccn.conf").read_text()


def test_a_file_that_says_otherwise_than_the_port_is_a_difference(root: Path) -> None:
    hccn(root)
    conf = root / "etc/hccn.conf"
    conf.write_text(conf.read_text().replace("address_0=192.0.2.10", "address_0=192.0.2.77"))
    answer = hccn(root)
    assert answer["changed"]
    assert "/etc/hccn.conf has another address" in answer["differences"][0]["before"]
    assert "address_0=192.0.2.10\n" in conf.read_text()


def test_where_one_setting_is_refused_the_port_goes_back_to_what_it_was(root: Path) -> None:
    hccn(root)
    before, conf = port(root, 0), (root / "etc/hccn.conf").read_text()
    lay(root, {"/refuse": "0 -netdetect -s\n"})
    moved = [{"device": 0, "address": "192.0.2.50"}, PORTS[1]]
    answer = hccn(root, moved, netdetect="192.0.2.2")
    assert answer["failed"]
    assert "hccn_tool -i 0 -netdetect -s address 192.0.2.2: Cmd execute failed!" in answer["msg"]
    assert port(root, 0) == before
    assert sorted((root / "etc/hccn.conf").read_text().splitlines()) == sorted(conf.splitlines())


def test_undo_puts_the_former_addresses_back(root: Path) -> None:
    hccn(root)
    (root / "var/lib/npudoctor/originals/hccn.json").unlink()
    before = port(root, 0)
    hccn(root, [{"device": 0, "address": "192.0.2.50"}])
    assert hccn(root, [], verb="undo")["changed"]
    assert port(root, 0) == before


@pytest.mark.parametrize(
    ("ports", "more", "key"),
    [
        (
            [{"device": 0, "address": "192.0.2.10"}, {"device": 1, "address": "192.0.2.10"}],
            {},
            "address-twice",
        ),
        (
            [{"device": 0, "address": "192.0.2.10"}, {"device": 0, "address": "192.0.2.11"}],
            {},
            "address-twice",
        ),
        (PORTS, {"others": ["192.0.2.11"]}, "address-twice"),
        (PORTS, {"gateway": "198.51.100.1"}, "bad-gateway"),
        ([{"device": 0, "address": "192.0.2.1"}], {}, "bad-gateway"),
        ([{"device": 0, "address": "192.0.2.300"}], {}, "bad-address"),
        ([{"device": 0, "address": "192.0.2.255"}], {}, "bad-address"),
        ([{"device": 0, "address": "2001:db8::1"}], {}, "bad-address"),
        (PORTS, {"netmask": "255.0.255.0"}, "bad-address"),
        (PORTS, {"netdetect": "gateway"}, "bad-address"),
        (
            [{"device": 0, "address": "192.0.2.10"}, {"device": 1, "address": "198.51.100.10"}],
            {"gateway": ""},
            "several-subnets",
        ),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_set(
    ports: list[dict[str, Any]], more: dict[str, Any], key: str, root: Path
) -> None:
    answer = hccn(root, ports, **more)
    assert (answer["failed"], answer["blockers"][0]["key"]) == (True, key)
    assert not (root / "ports").exists()


def test_several_subnets_may_be_meant(root: Path) -> None:
    ports = [{"device": 0, "address": "192.0.2.10"}, {"device": 1, "address": "198.51.100.10"}]
    assert hccn(root, ports, gateway="", several_subnets=True)["changed"]


def test_a_port_of_an_npu_that_is_not_there_blocks(root: Path) -> None:
    answer = hccn(root, [{"device": 7, "address": "192.0.2.17"}])
    assert answer["blockers"][0]["key"] == "no-such-npu"


def test_an_npu_in_use_blocks_a_new_address(root: Path) -> None:
    lay(root, {"/proc/4711/comm": "python3\n"})
    (root / "proc/4711/fd").mkdir()
    (root / "proc/4711/fd/9").symlink_to("/dev/davinci0")
    answer = hccn(root)
    assert answer["blockers"][0]["key"] == "npu-in-use"
    assert "python3 (4711)" in answer["msg"]
    assert hccn(root, force=True)["changed"]


def test_without_hccn_tool_it_is_blocked_but_check_mode_foresees_it(root: Path) -> None:
    (root / "usr/sbin/hccn_tool").unlink()
    assert hccn(root)["blockers"][0]["key"] == "no-hccn-tool"
    assert hccn(root, check=True)["changed"]


def test_without_ports_nothing_is_done(root: Path) -> None:
    assert not hccn(root, [])["changed"]


def test_undo_of_a_port_without_a_former_address_clears_the_file_and_says_what_stays(root: Path) -> None:
    hccn(root)
    answer = hccn(root, [], verb="undo")
    assert (root / "etc/hccn.conf").read_text() == ""
    assert "hccn.npu0 keeps its address until the driver starts again" in json.dumps(answer["warnings"])
    assert not hccn(root, [], verb="undo")["changed"]

"""Addresses become others of the same kind: subnets stay subnets, and versions and times stay as they are."""

from __future__ import annotations

from collections import Counter
from ipaddress import IPv4Address, IPv4Network, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npudoctor.collect.redact.addresses import Addresses
from npudoctor.collect.redact.numbers import Numbers
from npudoctor.collect.redact.tokens import Tokens

V4 = st.integers(0, 2**32 - 1).map(lambda number: str(IPv4Address(number)))
KEYS = st.binary(min_size=32, max_size=32)
NOBODYS = ("0.", "127.", *(f"{first}." for first in range(224, 256)))


def addresses(key: bytes = bytes(32)) -> Addresses:
    return Addresses(Tokens(key))


def replaced(text: str, path: str = "") -> str:
    return Numbers(addresses()).replace(text.encode(), path, Counter()).decode()


def shared(one: str, two: str) -> int:
    """How many first bits two addresses share."""
    return 32 - (int(IPv4Address(one)) ^ int(IPv4Address(two))).bit_length()


@given(V4, KEYS)
def test_another_address_of_the_same_class_and_the_same_last_octet(text: str, key: bytes) -> None:
    new = addresses(key).v4(text)
    assert new.split(".")[3] == text.split(".")[3]
    assert (new == text) == text.startswith(NOBODYS)
    old, other = IPv4Address(text), IPv4Address(new)
    for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"):
        assert (old in IPv4Network(net)) == (other in IPv4Network(net))


@given(V4, st.integers(8, 32), st.integers(0, 2**32 - 1), KEYS)
def test_a_private_subnet_stays_a_subnet_of_the_same_size(
    text: str, bits: int, other: int, key: bytes
) -> None:
    base = int(IPv4Address(text)) & 0x00FFFFFF | 10 << 24
    host = (1 << (32 - bits)) - 1
    one, two = str(IPv4Address(base)), str(IPv4Address(base & ~host | other & host))
    maps = addresses(key)
    assert shared(maps.v4(one), maps.v4(two)) >= bits
    assert (maps.v4(one) == maps.v4(two)) == (one == two)


def test_addresses_of_two_subnets_stay_in_two() -> None:
    maps = addresses()
    nets = {
        maps.v4(f"10.{second}.{third}.1").rpartition(".")[0] for second in range(40) for third in range(40)
    }
    assert len(nets) == 1600


@pytest.mark.parametrize("net", ["10.1.0.0/16", "172.16.0.0/12", "10.0.0.0/8", "192.168.4.0/22"])
def test_a_net_is_still_one_with_its_members_in_it(net: str) -> None:
    maps = addresses()
    base, bits = net.split("/")
    new = IPv4Network(f"{maps.v4(base, int(bits))}/{bits}")
    assert all(IPv4Address(maps.v4(str(IPv4Network(net)[at]))) in new for at in (1, 5, 300, -2))


@pytest.mark.parametrize(
    "text",
    [
        "255.255.255.0",
        "0.0.0.0:22",
        "127.0.0.1",
        "224.0.0.1",
        "::1",
        "[::]:22",
        "00:00:00:00:00:00",
        "ff:ff:ff:ff:ff:ff",
        "0000:C1:00.0",
        "2026-11-29-10:11:12.345.678",
        "10:11:12",
        "at::native::add",
        "std::face::add",
        "256.1.1.1",
        "1.2.3",
        "nvidia_curand==10.3.5.147",
        "1234.5678.9012",
        "7.1.0.11.220",
        "Driver Version: 25.0.0.1",
        "| npu-smi 25.5.0.1                 Version: 25.5.0.1  |",
        "Firmware Version               : 7.5.0.1",
        "numpy==1.2.3.4",
        "nvidia-curand == 10.3.5.147",
        "chip==10.3.5.147",
        "hosts_tool>=10.3.5.147",
        "ip-1-2-3",
        "ip-300-1-1-1",
        "zip-10-1-2-3",
        "vllm-ascend:v0.11.0.1",
        "package-1.2.3.4.whl",
        "ascend/cann:8.5.0.1",
        "version=[8.2.0.1:8.2.RC1]",
        "gcc (GCC) 7.3.1.2",
        "Version=8.2.0.0.201",
        "SHA1 12:34:56:78:9a:bc:de:f0:12:34:56:78:9a:bc:de:f0:12:34:56:78",
    ],
)
def test_what_is_no_address_of_anybody_stays(text: str) -> None:
    assert replaced(text) == text


def test_four_numbers_in_a_file_of_versions_are_one() -> None:
    assert replaced("25.2.1.1\n", "files/usr/local/Ascend/driver/version.info") == "25.2.1.1\n"


@pytest.mark.parametrize(
    "text",
    [
        "10.1.2.3",
        "inet 192.168.7.8/24 brd 192.168.7.255",
        "ipaddr:198.51.100.21",
        "default gateway:198.51.100.1, Iface:eth0",
        "tcp://203.0.113.9:2375",
        "ESTAB 10.0.0.5:60000 [::ffff:10.0.0.6]:22",
        "driver: connect to 8.8.4.4 failed",
        "address_0=9.1.2.3",
        "link/ether AA:BB:CC:11:22:33 brd",
        "aa-bb-cc-11-22-33",
        "inet6 fe80::a8bb:ccff:fe11:2233/64",
        "2001:db8:1:2:3:4:5:6",
        "from 2001:db8::1: refused",
        "gid 50:6b:4b:03:00:c2:11:22",
        "::ffff:0a00:0006",
        "node-10.1.2.3: lost",
        "/logs/10.1.2.3/a",
        "worker_192.168.1.2.log",
        "BOOTIF=01-aa-bb-cc-11-22-33",
        "50-6b-4b-03-00-c2-11-22",
        "aabb.cc11.2233",
        "ip-10-77-9-13",
        "worker on IP-10-77-9-13.inner: lost",
        "==10.0.0.5",
        "if peer_ip == 10.0.0.5: refuse",
        "ip.src==10.0.0.5",
    ],
)
def test_what_is_one_is_replaced_and_looks_as_before(text: str) -> None:
    new = replaced(text)
    assert new != text
    assert len(new.split()) == len(text.split())
    assert replaced(text) == new


@pytest.mark.parametrize("text", ["::ffff:10.0.0.6", "::FFFF:10.0.0.6", "::ffff:a00:6"])
def test_an_address_of_ipv4_in_one_of_ipv6_is_the_same_as_alone(text: str) -> None:
    assert replaced(f"[{text}]:22").lower() == f"[::ffff:{replaced('10.0.0.6')}]:22"


def test_the_mac_that_a_machine_booted_from_is_the_one_that_it_has() -> None:
    assert replaced("BOOTIF=01-aa-bb-cc-11-22-33") == f"BOOTIF=01-{replaced('aa-bb-cc-11-22-33')}"
    assert replaced("aabb.cc11.2233").replace(".", "") == replaced("aa:bb:cc:11:22:33").replace(":", "")


def test_an_ipv6_subnet_stays_one_and_small_numbers_stay() -> None:
    maps = addresses()
    one, two, far = (
        IPv6Address(maps.v6(text)) for text in ("fd00:1:2:3::1", "fd00:1:2:3::9", "fd00:1:2:4::1")
    )
    assert int(one) >> 64 == int(two) >> 64 != int(far) >> 64
    assert (int(one) & 0xFFFF, int(two) & 0xFFFF) == (1, 9)
    assert one.is_private


def test_a_mac_becomes_a_locally_administered_one_in_the_same_spelling() -> None:
    maps = addresses()
    small = maps.mac("aa:bb:cc:11:22:33")
    assert small.startswith("02:")
    assert maps.mac("AA:BB:CC:11:22:33") == small.upper()
    assert maps.mac("AA-BB-CC-11-22-33") == small.upper().replace(":", "-")


def test_a_host_that_is_called_after_its_address_has_the_new_one_in_its_name() -> None:
    assert replaced("ip-10-77-9-13") == "ip-" + replaced("10.77.9.13").replace(".", "-")

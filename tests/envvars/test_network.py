"""Ports and addresses."""

from __future__ import annotations

import pytest

from tests.envvars import judged


def _topics(text: str) -> dict[str, str]:
    return {one.topic: one.severity for one in judged(text) if one.topic}


@pytest.mark.parametrize("value", ["xx.xx.xx.xx", "85", "node1", "10.0.0.256", "$local_ip", "<node0 ip>"])
def test_text_that_is_no_address_stops_hccl(value):
    assert _topics(f"HCCL_IF_IP={value}") == {"hccl-address": "fail"}


@pytest.mark.parametrize("value", ["10.20.30.41", "fe80::1%eth0", "::1", "2001:db8::5", ""])
def test_an_address_is_fine(value):
    assert _topics(f"HCCL_IF_IP={value}") == {}


def test_the_family_must_be_that_of_the_addresses():
    assert _topics("HCCL_SOCKET_FAMILY=AF_INET6\nHCCL_IF_IP=10.0.0.1") == {"address-family": "fail"}
    assert _topics("HCCL_SOCKET_FAMILY=AF_INET\nMASTER_ADDR=2001:db8::5") == {"address-family": "fail"}
    assert _topics("HCCL_SOCKET_FAMILY=AF_INET6\nMASTER_ADDR=2001:db8::5") == {}
    assert _topics("MASTER_ADDR=node1") == {}


@pytest.mark.parametrize(
    ("text", "clash"),
    [
        ("MASTER_PORT=60010", True),
        ("MASTER_PORT=60032", False),
        ("MASTER_PORT=29500", False),
        ("MASTER_PORT=64005\nHCCL_IF_BASE_PORT=64000", True),
        ("MASTER_PORT=60010\nHCCL_IF_BASE_PORT=64000", False),
        ("MASTER_PORT=50010\nHCCL_HOST_SOCKET_PORT_RANGE=50000-50031", True),
        ("MASTER_PORT=60010\nHCCL_HOST_SOCKET_PORT_RANGE=50000-50031", False),
        ("MASTER_PORT=60010\nHCCL_HOST_SOCKET_PORT_RANGE=auto", False),
    ],
)
def test_the_master_port_keeps_away_from_the_ports_of_hccl(text, clash):
    assert _topics(text) == ({"master-port": "warn"} if clash else {})


def test_two_services_do_not_share_a_port():
    assert _topics("TTP_PORT=8000\nMASTER_PORT=8000") == {"controller-port": "warn"}
    assert _topics("TTP_PORT=8001\nMASTER_PORT=8000") == {}

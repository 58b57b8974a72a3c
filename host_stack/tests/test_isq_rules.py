# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""The rules of a host for ISQs: the routers, the TTL, and the identification of the quoted packet."""

from __future__ import annotations

import time
from itertools import pairwise
from socket import inet_aton

import pytest
from hostlab.hosts import LEFT, RIGHT, Pair, counters, quench_host, status
from hostlab.packets import ETHERTYPE_SERVICE_VLAN, ETHERTYPE_VLAN, Quench, Segment
from hostlab.transfer import Transfer

PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15"]
PUBLIC_ROUTER = bytes([192, 0, 2, 1])


def rules(pair: Pair, *options: str) -> None:
    quench_host(pair.sender, "enable", "--algo", "becn", "--dev", "h0", "--paper", *options)


def outcome(pair: Pair, quench: Quench) -> str:
    """Send an ISQ about the newest packet. Returns the name of the counter that counted it, without its prefix."""
    before = counters(pair.sender)
    pair.wire.to_left(quench.about(pair.wire.newest_data().frame))
    deadline_s = time.monotonic() + 20
    while counters(pair.sender).get("isq_received", 0) == before.get("isq_received", 0):
        assert time.monotonic() < deadline_s
    after = counters(pair.sender)
    (name,) = (
        name
        for name in after
        if name.startswith("isq_") and name != "isq_received" and after[name] != before.get(name, 0)
    )
    return name.removeprefix("isq_")


def full_segments(pair: Pair, port: int = 5000) -> list[Segment]:
    sent = [s for s in pair.wire.sent if s.destination_port == port]
    longest = max(s.payload_bytes for s in sent)
    return [s for s in sent if s.payload_bytes == longest]


def bases(segments: list[Segment]) -> set[int]:
    """The part of the identifications that does not depend on the sequence numbers."""
    return {(s.identification - s.seq // s.payload_bytes) & 0xFFFF for s in segments}


def test_routers_of_private_networks_may_quench_by_default(pair: Pair) -> None:
    pair.enable("becn")
    pair.transfer()
    assert status(pair.sender)["isq_rules"] == {"from": PRIVATE, "ttl_min": 0, "identification": "check"}
    assert outcome(pair, Quench(marked=True, router=PUBLIC_ROUTER)) == "refused_unknown_router"
    assert outcome(pair, Quench(marked=True, router=bytes([198, 20, 0, 1]))) == "refused_unknown_router"
    assert outcome(pair, Quench(marked=True, router=bytes([198, 19, 255, 255]))) == "accepted_marked"


def test_named_routers_take_the_place_of_the_default(pair: Pair) -> None:
    """The rules of a running connection change too; a later enable changes only the rules that it names."""
    pair.enable("becn")
    pair.transfer()
    rules(pair, "--isq-from", "192.0.2.1", "--isq-from", "203.0.113.0/24")
    assert outcome(pair, Quench(marked=True)) == "refused_unknown_router"
    assert outcome(pair, Quench(marked=True, router=PUBLIC_ROUTER)) == "accepted_marked"
    rules(pair, "--set", "min_cwnd_pkts=2")
    assert status(pair.sender)["isq_rules"]["from"] == ["192.0.2.1/32", "203.0.113.0/24"]
    rules(pair, "--isq-from", "any")
    assert outcome(pair, Quench(marked=True, router=bytes([8, 8, 8, 8]))) == "accepted_marked"


def test_a_router_on_the_path_is_near(pair: Pair) -> None:
    """RFC 5082: a sender further away than the routers cannot make a packet arrive with their TTL."""
    pair.enable("becn")
    pair.transfer()
    rules(pair, "--isq-ttl-min", "253")
    assert outcome(pair, Quench(marked=True, ttl=252)) == "refused_ttl"
    assert outcome(pair, Quench(marked=True, ttl=253)) == "accepted_marked"


def outcomes(pair: Pair, quenches: dict[str, Quench]) -> dict[str, str]:
    return {name: outcome(pair, quench) for name, quench in quenches.items()}


def from_router(address: str) -> Quench:
    return Quench(marked=True, router=inet_aton(address))


def test_nothing_arrives_with_a_time_to_live_of_0(pair: Pair) -> None:
    pair.enable("becn")
    pair.transfer()
    assert outcome(pair, Quench(marked=True, ttl=0)) == "refused_ttl"
    assert outcome(pair, Quench(marked=True, ttl=1)) == "accepted_marked"


NOBODYS = {name: from_router(name) for name in ("0.0.0.0", "0.1.2.3", "127.0.0.1", "224.0.0.1", "239.255.255.255")} | {
    "broadcast": from_router("255.255.255.255"),
    "the host's own": from_router(LEFT),
    "broadcast of the host's network": from_router("10.9.0.255"),
    "to all hosts": Quench(marked=True, destination=inet_aton("224.0.0.1"), quoted_source=inet_aton("224.0.0.1")),
    "to the broadcast address": Quench(marked=True, destination=inet_aton("255.255.255.255")),
    "to a loopback address": Quench(marked=True, destination=inet_aton("127.0.0.1")),
}


def test_addresses_that_no_router_has_are_refused_from_any_router(pair: Pair) -> None:
    pair.enable("becn")
    pair.transfer()
    rules(pair, "--isq-from", "any")
    assert outcomes(pair, NOBODYS) == dict.fromkeys(NOBODYS, "refused_bad_address")
    neighbours = {name: from_router(name) for name in ("1.0.0.0", "126.0.0.1", "128.0.0.1", "223.255.255.255", RIGHT)}
    assert outcomes(pair, neighbours) == dict.fromkeys(neighbours, "accepted_marked")


def test_the_hosts_own_addresses_are_those_that_it_has_now(pair: Pair) -> None:
    """The last address of a network is broadcast, and so is what ``ip`` names; a network of two addresses has none."""
    pair.enable("becn")
    pair.transfer()
    own = {name: from_router(name) for name in ("10.44.0.1", "10.44.0.255", "10.46.0.99", "10.46.0.255")}
    assert outcomes(pair, own) == dict.fromkeys(own, "accepted_marked")
    for address in (["10.44.0.1/24"], ["10.45.0.0/31"], ["10.46.0.1/24", "broadcast", "10.46.0.99"]):
        pair.sender.run("ip", "address", "add", *address, "dev", "h0")
    assert outcomes(pair, own) == dict.fromkeys(own, "refused_bad_address")
    others = {name: from_router(name) for name in ("10.44.0.0", "10.44.0.2", "10.44.0.254", "10.45.0.1")}
    assert outcomes(pair, others) == dict.fromkeys(others, "accepted_marked")


def with_options(*options: int) -> Quench:
    return Quench(marked=True, outer_options=bytes(options))


BAD_OPTIONS = {
    "loose source route": with_options(131, 7, 4, 10, 9, 0, 254, 0),
    "strict source route": with_options(137, 7, 4, 10, 9, 0, 254, 0),
    "at the end of the longest header": with_options(*[1] * 37, 137, 3, 4),
    "after another option": with_options(148, 4, 0, 0, 131, 3, 4, 0),
    "length of 0": with_options(7, 0, 0, 0),
    "length of 1": with_options(7, 1, 0, 0),
    "longer than the header": with_options(1, 7, 4, 0),
    "without length": with_options(1, 1, 1, 7),
}
GOOD_OPTIONS = {
    "record route": with_options(7, 7, 4, 0, 0, 0, 0, 0),
    "router alert": with_options(148, 4, 0, 0),
    "a route as the content of another option": with_options(7, 7, 8, 131, 7, 4, 0, 0),
    "behind the end": with_options(1, 0, 131, 7),
    "as many as there is room for": with_options(*[1] * 40),
}


def test_source_routes_and_damaged_options_are_refused(pair: Pair) -> None:
    pair.enable("becn")
    pair.transfer()
    assert outcomes(pair, BAD_OPTIONS) == dict.fromkeys(BAD_OPTIONS, "refused_ip_options")
    assert outcomes(pair, GOOD_OPTIONS) == dict.fromkeys(GOOD_OPTIONS, "accepted_marked")


def in_vlan(*tags: tuple[int, int]) -> Quench:
    return Quench(marked=True, vlan_tags=tags)


VLANS = {
    "a VLAN": in_vlan((ETHERTYPE_VLAN, 7)),
    "the last VLAN, with a priority": in_vlan((ETHERTYPE_VLAN, 0xFFFF)),
    "a provider's VLAN": in_vlan((ETHERTYPE_SERVICE_VLAN, 7)),
    "a VLAN inside a provider's": in_vlan((ETHERTYPE_SERVICE_VLAN, 7), (ETHERTYPE_VLAN, 9)),
    "a VLAN inside a priority": in_vlan((ETHERTYPE_VLAN, 0xE000), (ETHERTYPE_VLAN, 9)),
    "a priority inside a VLAN": in_vlan((ETHERTYPE_VLAN, 7), (ETHERTYPE_VLAN, 0)),
}
PRIORITIES = {
    "a priority": in_vlan((ETHERTYPE_VLAN, 0xE000)),
    "a provider's priority": in_vlan((ETHERTYPE_SERVICE_VLAN, 0x2000)),
    "a priority inside another": in_vlan((ETHERTYPE_SERVICE_VLAN, 0x2000), (ETHERTYPE_VLAN, 0x2000)),
}


def test_isqs_in_a_vlan_are_refused_where_the_host_is_in_none(pair: Pair) -> None:
    """VLAN 0 is none: such a tag gives a frame's priority only (IEEE 802.1Q)."""
    pair.enable("becn")
    pair.transfer()
    assert outcomes(pair, VLANS) == dict.fromkeys(VLANS, "refused_vlan")
    assert outcomes(pair, PRIORITIES) == dict.fromkeys(PRIORITIES, "accepted_marked")


def test_identifications_can_be_left_out_of_account(pair: Pair) -> None:
    pair.enable("becn")
    pair.transfer()
    wrong = pair.wire.newest_data().identification + 9999
    assert outcome(pair, Quench(marked=True, identification=wrong)) == "refused_identification"
    rules(pair, "--isq-identification", "ignore")
    assert outcome(pair, Quench(marked=True, identification=wrong)) == "accepted_marked"


def test_a_quote_of_the_whole_tcp_header_is_taken(pair: Pair) -> None:
    pair.enable("becn")
    pair.transfer()
    assert outcome(pair, Quench(marked=True, quoted_tcp_bytes=20)) == "accepted_marked"


def sent_twice(pair: Pair, transfer: Transfer) -> list[Segment]:
    """The packets of one sequence number, of which the first was lost."""
    lost: list[Segment] = []

    def lose(segment: Segment) -> None:
        lost.append(segment)

    pair.wire.once(lose)
    transfer.until(lambda w: w.retransmitted_pkts > 0)
    time.sleep(4 * pair.wire.delay_s)
    return [s for s in pair.wire.sent if s.seq == lost[0].seq]


def test_identifications_follow_from_the_sequence_number(pair: Pair) -> None:
    """So a retransmission has the same one, and those of one connection do not reveal those of another."""
    pair.enable("becn")
    again = sent_twice(pair, pair.transfer())
    assert len(again) == 2
    assert again[0].identification == again[1].identification
    of_first = full_segments(pair)
    steps = {(b.identification - a.identification) & 0xFFFF for a, b in pairwise(of_first) if b.seq == a.end_seq}
    assert steps == {1}
    pair.transfer()
    of_second = full_segments(pair, 5001)
    assert [len(bases(segments)) for segments in (of_first, of_second)] == [1, 1]
    assert bases(of_first) != bases(of_second)


@pytest.mark.parametrize("algo", ["becn", "ecn-becn"])
def test_segments_that_the_kernel_cuts_bear_them_too(pair: Pair, algo: str) -> None:
    """With GSO the program sees one long packet, the wire its segments, and any of those may be quoted."""
    pair.sender.run("ethtool", "-K", "h0", "sg", "on", "gso", "on")
    pair.enable(algo)
    pair.transfer()
    time.sleep(4 * pair.wire.delay_s)
    assert len(bases(full_segments(pair))) == 1


def test_without_its_program_a_host_does_not_receive_isqs(pair: Pair) -> None:
    pair.enable("becn")
    assert [d["receives_isq"] for d in status(pair.sender)["devices"]] == [True]
    pair.sender.run("tc", "filter", "del", "dev", "h0", "egress", "prio", "20821")
    assert [d["receives_isq"] for d in status(pair.sender)["devices"]] == [False]
    pair.enable("becn")
    assert [d["receives_isq"] for d in status(pair.sender)["devices"]] == [True]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["becn", "--isq-from", "10.1.0.1/16"], "10.1.0.0/16"),
        (["becn", "--isq-from", "10.1.0.0/33"], "--isq-from"),
        (["becn", "--isq-from", "2001:db8::/32"], "IPv4"),
        (["becn", "--isq-from", ""], "--isq-from"),
        (["becn", "--isq-ttl-min", "256"], "from 0 to 255"),
        (["becn", "--isq-ttl-min", "-1"], "from 0 to 255"),
        (["becn", "--isq-identification", "maybe"], "check or ignore"),
        (["plain", "--isq-from", "any"], "plain"),
    ],
)
def test_rules_that_make_no_sense_change_nothing(pair: Pair, arguments: list[str], message: str) -> None:
    result = quench_host(pair.sender, "enable", "--dev", "h0", "--algo", *arguments, check=False)
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert message in result.stderr
    assert status(pair.sender)["enabled"] is False


def test_thirty_two_routers_and_no_more(pair: Pair) -> None:
    prefixes = [word for i in range(32) for word in ("--isq-from", f"10.9.{i}.254")]
    rules(pair, *prefixes)
    assert len(status(pair.sender)["isq_rules"]["from"]) == 32
    result = quench_host(pair.sender, "enable", "--algo", "becn", "--dev", "h0", *prefixes, *prefixes[:2], check=False)
    assert result.returncode == 2

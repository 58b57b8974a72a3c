# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""bolt.p4: each case of its decision against the rules written down in Python, and hostile packets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from datacentre import (
    ACK,
    AI,
    BOLT,
    CHOP,
    DATA,
    DEC,
    FEEDBACK,
    FIN,
    FIRST,
    INC,
    IPV4_BYTES,
    LAST,
    NACK,
    OWN_BYTES,
    RATES,
    RECEIVER,
    RECEIVER_ADDRESS,
    SENDER,
    SENDER_ADDRESS,
    SRC,
    Own,
    Seen,
    Switch,
    bolt,
    changed,
    frame,
)
from hypothesis import given, settings
from hypothesis import strategies as st

GBPS = 100
MTU = 1500
SETTINGS = {
    "rate_gbps": GBPS,
    "rate": RATES[GBPS] >> 11,
    "threshold_bytes": 3000,
    "mtu_bytes": MTU,
    "cap_bytes": MTU,
    "src": 1,
    "pru": 1,
    "most_pru_tokens": 256,
    "sm": 1,
}
RATE_BITS = sum(RATES.values())
NOTIFICATION_BYTES = IPV4_BYTES + OWN_BYTES
LEAST_BITS, LONGEST_NS = -(1 << 31), (1 << 32) - 1
pytestmark = pytest.mark.parametrize("extended", [True, False], ids=["extended", "bmv2"])


def gbps_of(flags: int) -> int:
    return next((gbps for gbps, bit in RATES.items() if bit == flags & RATE_BITS), 0)


@dataclass
class Rules:
    """Bolt's switch by the book, for one port."""

    settings: dict[str, int]
    supply: int = 0
    updated_ns: int = 0
    ramp_up: int = 0
    notified: list[Own] = field(default_factory=list)

    def arrive(self, own: Own, ip_bytes: int, queue: int, now_ns: int) -> Own:
        """The header with which the packet goes on."""
        has = self.settings.__getitem__
        is_data = bool(own.flags & DATA) and not own.flags & FEEDBACK
        if has("sm") and (is_data or not self.settings.get("data_only")):
            passed = min(now_ns - self.updated_ns, LONGEST_NS)
            supply = min(self.supply + passed * has("rate_gbps") - 8 * ip_bytes, 8 * has("cap_bytes"))
            self.supply, self.updated_ns = max(supply, LEAST_BITS), now_ns
        own = changed(own, hops=min(own.hops + 1, 255))
        if not is_data:
            return own
        flags = own.flags
        if queue >= has("threshold_bytes"):
            flags &= ~INC
            here = flags & ~RATE_BITS | has("rate") << 11
            if not flags & DEC:
                own = changed(own, flags=here | DEC, queue=queue)
                if has("src"):
                    self.notified.append(own)
                return own
            # The drain time counts, which is queue / rate.
            if queue * gbps_of(flags) > own.queue * gbps_of(here):
                return changed(own, flags=here, queue=queue)
        elif has("pru") and flags & LAST:
            if not flags & FIRST:
                self.ramp_up = min(self.ramp_up + 1, has("most_pru_tokens"))
        elif flags & INC:
            if has("pru") and self.ramp_up:
                self.ramp_up -= 1
            elif has("sm") and self.supply >= 8 * has("mtu_bytes"):
                self.supply -= 8 * has("mtu_bytes")
            else:
                flags &= ~INC
        return changed(own, flags=flags)


def notification(data: Own) -> Own:
    """The header of a packet that goes on, turned round."""
    flags = data.flags & RATE_BITS | SRC | DEC
    return changed(data, flags=flags, ports=data.ports[::-1])


def check_notification(seen: Seen, data: Own) -> None:
    assert seen.port == SENDER
    assert seen.is_right
    assert len(seen.ip) == NOTIFICATION_BYTES
    assert seen.ip[12:20] == RECEIVER_ADDRESS + SENDER_ADDRESS
    assert seen.ip[8] == 254
    assert seen.own == notification(data)


FLAGS = st.one_of(
    st.sampled_from(
        [DATA | INC, DATA | LAST, DATA | FIRST, DATA | FIRST | LAST, DATA | INC | AI, DATA | INC | DEC, ACK]
    ),
    st.integers(0, 0xFFFF),
)
PACKETS = st.lists(
    st.tuples(
        FLAGS,
        st.integers(NOTIFICATION_BYTES, 2 * MTU),
        st.one_of(st.just(0), st.integers(1, 250), st.sampled_from([10**4, 10**10])),
        st.one_of(st.integers(0, 5000), st.integers(0, 2**32 - 1)),
        st.sampled_from([0, 1, 254, 255]),
    ),
    min_size=1,
    max_size=30,
)
ABLATIONS = st.fixed_dictionaries(
    {name: st.integers(0, 1) for name in ("src", "pru", "sm", "data_only")}
    | {
        "threshold_bytes": st.sampled_from([0, 1, 3000, 10_000, 2**32 - 1]),
        "most_pru_tokens": st.sampled_from([0, 1, 256, 65535]),
        "cap_bytes": st.sampled_from([0, MTU - 1, MTU, 2 * MTU, 2**28 - 1]),
    }
)


@given(packets=PACKETS, ablation=ABLATIONS, interpreted=st.booleans())
@settings(deadline=None)
def test_any_packets_go_by_the_rules(
    extended: bool, packets: list[tuple[int, int, int, int, int]], ablation: dict[str, int], interpreted: bool
) -> None:
    values = SETTINGS | ablation
    switch = Switch("bolt", values, extended=extended, interpreted=interpreted)
    rules = Rules(values)
    expected, feedback = {}, set()
    for number, (flags, ip_bytes, after, queue, hops) in enumerate(packets):
        own = Own(flags, seq=number * 1000, message=number, queue=queue, sent_ns=2**32 - 1 - number, hops=hops)
        # BMv2 has a clock of microseconds.
        switch.wait(after if extended else after * 1000)
        waiting = switch.waiting_bytes()
        expected[number] = rules.arrive(own, ip_bytes, waiting, switch.now_ns)
        if own.flags & FEEDBACK:
            feedback.add(number)
        switch.receive(bolt(own, ip_bytes))
        assert switch.supply_bits == rules.supply
        assert switch.register("ramp_up_tokens") == rules.ramp_up
    switch.wait(10**9)
    assert all(each.is_right for each in switch.seen)
    sent = {each.own.message: each.own for each in switch.seen if each.port == RECEIVER}
    assert sent == expected
    notices = [each for each in switch.seen if each.port == SENDER]
    assert len(notices) == len(rules.notified) == switch.counter("port_src_sent")
    for seen, data in zip(notices, rules.notified, strict=True):
        check_notification(seen, data)
    if not extended:
        assert switch.register("waiting_bytes") == 0
    assert switch.switch.port_get(RECEIVER)["queue_stats"][1]["enqueued_pkts"] == len(feedback)


def send(switch: Switch, flags: int, *, ip_bytes: int = MTU, after_ns: int = 0, **fields: Any) -> Own:
    """Send a packet alone, and say how it went on."""
    switch.receive(bolt(Own(flags, **fields), ip_bytes), after_ns)
    (seen,) = (each for each in switch.wait(10**6) if each.port == RECEIVER)
    return seen.own


def test_tokens_are_whole_bits(extended: bool) -> None:
    """Hand-computed: a link of 100 Gb/s sends 100 bits in a nanosecond, and 1500 bytes are 12000."""
    switch = Switch("bolt", SETTINGS | {"pru": 0}, extended=extended)
    switch.receive(bolt(Own(DATA), MTU), 1000)
    assert switch.supply_bits == 1000 * 100 - 12000 - 76000, "no more than the cap"
    for expected in (0, -12000, -24000):
        switch.receive(bolt(Own(DATA), MTU))
        assert switch.supply_bits == expected
    switch.receive(bolt(Own(ACK), NOTIFICATION_BYTES))
    assert switch.supply_bits == -24000 - 328, "ACKs take the link's time, too"
    # 1 us brings 100000 bits, of which 12000 are the packet's own.
    switch.receive(bolt(Own(DATA), MTU), 1000)
    assert switch.supply_bits == 12000
    # The packet with INC costs its own bytes and an MTU: it leaves 0, one bit less would not do.
    switch.receive(bolt(Own(DATA), MTU), 0)
    assert switch.supply_bits == 0
    switch.wait(10**6)


@pytest.mark.parametrize(("cap", "kept"), [(MTU, True), (MTU - 1, False)])
def test_inc_stays_for_a_whole_mtu_of_supply(extended: bool, cap: int, kept: bool) -> None:
    switch = Switch("bolt", SETTINGS | {"pru": 0, "cap_bytes": cap}, extended=extended)
    assert bool(send(switch, DATA | INC, after_ns=10**6).flags & INC) == kept
    assert switch.supply_bits == (0 if kept else 8 * cap)


def test_supply_is_saturated_at_both_ends(extended: bool) -> None:
    values = SETTINGS | {"rate_gbps": 1, "cap_bytes": 2**28 - 1, "threshold_bytes": 2**32 - 1, "pru": 0}
    switch = Switch("bolt", values, extended=extended)
    big = bolt(Own(DATA), 65535)
    for _ in range(2**31 // (8 * 65535) + 2):
        switch.receive(big)
    assert switch.supply_bits == LEAST_BITS
    # The longest time that counts: 2^32 - 1 ns at 1 Gb/s.
    switch.receive(bolt(Own(DATA)), LONGEST_NS // 1000 * 1000)
    assert switch.supply_bits == LEAST_BITS + LONGEST_NS // 1000 * 1000 - 328
    switch.receive(bolt(Own(DATA)), 10**15)
    assert switch.supply_bits == 8 * (2**28 - 1)


def test_one_notification_a_packet_and_path(extended: bool) -> None:
    """A second switch only raises the queue, where its own drains for longer."""
    values = SETTINGS | {"threshold_bytes": 0}
    first = send(Switch("bolt", values, extended=extended), DATA | INC, seq=77)
    assert first.flags == DATA | DEC | RATES[100]
    second = Switch("bolt", values | {"rate": RATES[10] >> 11}, extended=extended)
    for queue, rate, raised in ((5999, 400, False), (0, 400, False), (2999, 0, False)):
        flags = DATA | DEC | RATES.get(rate, 0)
        assert (send(second, flags, queue=queue).flags & RATE_BITS == RATES[10]) == raised
    assert [each for each in second.seen if each.port == SENDER] == []


@pytest.mark.parametrize(
    ("upstream_gbps", "upstream_bytes", "raised"),
    [(100, 2999, True), (100, 3000, False), (100, 3001, False), (400, 11999, True), (400, 12000, False), (0, 0, False)],
)
def test_the_longer_drain_time_is_kept(extended: bool, upstream_gbps: int, upstream_bytes: int, raised: bool) -> None:
    switch = Switch("bolt", SETTINGS, extended=extended)
    # One packet is on the link, two wait: 3000 bytes at 100 Gb/s.
    for _ in range(3):
        switch.receive(bolt(Own(DATA), MTU))
    flags = DATA | DEC | RATES.get(upstream_gbps, 0)
    switch.receive(bolt(Own(flags, message=1, queue=upstream_bytes), MTU))
    (own,) = (each.own for each in switch.wait(10**6) if each.own.message == 1)
    expected = (DATA | DEC | RATES[100], 3000) if raised else (flags, upstream_bytes)
    assert (own.flags, own.queue) == expected


@pytest.mark.parametrize(("waiting", "notified"), [(2, 1), (1, 0)])
def test_the_threshold_is_the_first_that_counts(extended: bool, waiting: int, notified: int) -> None:
    switch = Switch("bolt", SETTINGS, extended=extended)
    for number in range(waiting + 2):
        switch.receive(bolt(Own(DATA, message=number), MTU))
    switch.wait(10**6)
    assert switch.counter("port_src_sent") == notified
    assert [each.own.queue for each in switch.seen if each.port == SENDER] == [3000] * notified


def test_without_notifications_dec_says_the_same_to_the_receiver(extended: bool) -> None:
    switch = Switch("bolt", SETTINGS | {"threshold_bytes": 0, "src": 0}, extended=extended)
    assert send(switch, DATA | INC).flags == DATA | DEC | RATES[100]
    assert [each.port for each in switch.seen] == [RECEIVER]


def test_a_notification_at_departure_is_late_by_the_queue(extended: bool) -> None:
    """The last of six packets finds 6000 bytes. At 100 Gb/s it leaves after 5 * 120 ns."""
    times = {}
    for late in (0, 1):
        switch = Switch("bolt", SETTINGS | {"src_at_departure": late}, extended=extended)
        for number in range(6):
            switch.receive(bolt(Own(DATA, message=number), MTU))
        switch.wait(10**6)
        notices = [each for each in switch.seen if each.port == SENDER]
        assert [each.own.queue for each in notices] == [3000, 4500, 6000]
        assert all(each.own.flags == SRC | DEC | RATES[100] for each in notices)
        times[late] = [each.time_ns for each in notices]
    assert times == {0: [0, 0, 0], 1: [360, 480, 600]}


def test_ramp_up_tokens_come_before_supply(extended: bool) -> None:
    switch = Switch("bolt", SETTINGS | {"most_pru_tokens": 2, "cap_bytes": 2 * MTU}, extended=extended)
    for flags in (DATA | LAST, DATA | LAST | FIN, DATA | LAST, DATA | LAST | FIRST, DATA | FIRST):
        assert send(switch, flags).flags == flags
    assert switch.register("ramp_up_tokens") == 2
    for left in (1, 0):
        assert send(switch, DATA | INC).flags == DATA | INC
        assert switch.register("ramp_up_tokens") == left
        assert switch.supply_bits == 8 * 2 * MTU, "nothing was paid"
    assert send(switch, DATA | INC).flags == DATA | INC
    assert switch.supply_bits == 8 * MTU
    none = Switch("bolt", SETTINGS | {"pru": 0, "sm": 0}, extended=extended)
    assert send(none, DATA | LAST).flags == DATA | LAST
    assert none.register("ramp_up_tokens") == 0
    assert send(none, DATA | INC | AI).flags == DATA | AI
    assert none.register("supply_updated_ns") == 0


@pytest.mark.parametrize("flags", [SRC | DEC | RATES[10], SRC | DATA, ACK | INC, NACK | DATA, CHOP, 0xFFFF])
def test_no_notification_about_feedback(extended: bool, flags: int) -> None:
    switch = Switch("bolt", SETTINGS | {"threshold_bytes": 0}, extended=extended)
    assert send(switch, flags, queue=5, hops=254) == Own(flags, queue=5, hops=255)
    assert [each.port for each in switch.seen] == [RECEIVER]
    assert switch.switch.port_get(RECEIVER)["queue_stats"][1]["tx_pkts"] == 1


def test_a_loop_between_two_congested_ports_ends(extended: bool) -> None:
    """Both directions are congested: the notification meets the settings of the port that it leaves by."""
    switch = Switch("bolt", SETTINGS | {"threshold_bytes": 0}, extended=extended)
    switch.set(SETTINGS | {"threshold_bytes": 0}, SENDER)
    switch.receive(bolt(Own(DATA), MTU), 1000)
    assert sorted(each.port for each in switch.wait(10**6)) == [SENDER, RECEIVER]
    assert switch.register("supply_updated_ns", SENDER) == 1000
    # 100000 bits came and 8 * 41 went; the cap is 12000.
    assert switch.register("supply_bits", SENDER) == 12000


def test_what_is_not_bolts_is_routed_and_counts(extended: bool) -> None:
    switch = Switch("bolt", SETTINGS | {"threshold_bytes": 0}, extended=extended)
    body = Own(DATA).encode()
    others = [
        frame(body, 17),
        frame(body, BOLT, fragment=0x2000),
        frame(body, BOLT, fragment=1),
        frame(body, BOLT, options=bytes([1, 1, 1, 0])),
        *(frame(body[:length], BOLT) for length in range(OWN_BYTES)),
        # Padding behind the packet is no header.
        frame(body, BOLT, total_length=IPV4_BYTES + 8),
    ]
    for data in others:
        switch.receive(data, 1000)
        (seen,) = switch.wait(10**6)
        assert seen.data[34:] == data[34:]
        assert seen.data[22] == 63
    assert switch.supply_bits == 8 * MTU
    # After the silence the first one fits above the cap; two more cost their bytes, without padding.
    for data in (others[0], others[0], others[-1]):
        switch.receive(data)
    assert switch.supply_bits == 8 * MTU - 8 * NOTIFICATION_BYTES - 8 * (IPV4_BYTES + 8)


def test_hostile_packets_are_dropped(extended: bool) -> None:
    switch = Switch("bolt", SETTINGS | {"threshold_bytes": 0}, extended=extended)
    body = Own(DATA).encode()
    wrong = [
        *(frame(body, BOLT, ihl=ihl) for ihl in range(5)),
        *(frame(body, BOLT, ihl=ihl) for ihl in (11, 15)),
        frame(body, BOLT, version=5),
        *(frame(body, BOLT, total_length=total) for total in (0, 19, 42, 65535)),
        frame(body, BOLT)[:24] + b"\0\0" + frame(body, BOLT)[26:],
        *(frame(body, BOLT)[:length] for length in range(14, 34)),
    ]
    for data in wrong:
        switch.receive(data, 1000)
        assert switch.wait(10**6) == []
    assert switch.counter("port_dropped_invalid", SENDER) == len(wrong)
    # At the end of its life, and without a route.
    for data in (bolt(Own(DATA), ttl=1), bolt(Own(DATA), ttl=0), bolt(Own(DATA), destination=bytes([10, 9, 9, 9]))):
        switch.receive(data)
        assert switch.wait(10**6) == []
    assert switch.counter("port_seen") == 0


@pytest.mark.parametrize("source", [bytes([224, 0, 0, 1]), bytes([127, 0, 0, 1]), bytes(4), bytes([255] * 4)])
def test_no_notification_to_what_is_no_host(extended: bool, source: bytes) -> None:
    switch = Switch("bolt", SETTINGS | {"threshold_bytes": 0}, extended=extended)
    switch.receive(bolt(Own(DATA | INC), source=source))
    (seen,) = switch.wait(10**6)
    assert seen.own.flags == DATA | DEC | RATES[100]
    assert switch.counter("port_src_sent") == 0


def test_no_notification_about_what_came_to_all(extended: bool) -> None:
    """Routing has rewritten the MAC address by which a broadcast is known."""
    switch = Switch("bolt", SETTINGS | {"threshold_bytes": 0}, extended=extended)
    switch.receive(bolt(Own(DATA), macs=bytes([255] * 6 + [2, 0, 0, 0, 0, 1])))
    assert [each.port for each in switch.wait(10**6)] == [RECEIVER]
    assert switch.counter("port_src_sent") == 0


def test_a_notification_without_a_way_back_is_dropped(extended: bool) -> None:
    switch = Switch("bolt", SETTINGS | {"threshold_bytes": 0}, extended=extended)
    switch.receive(bolt(Own(DATA), source=bytes([10, 8, 8, 8])))
    assert [each.port for each in switch.wait(10**6)] == [RECEIVER]


def test_the_limit_drops_before_the_buffer(extended: bool) -> None:
    """One packet is on the link, two wait, and the others are dropped: none is counted that does not leave."""
    switch = Switch("bolt", SETTINGS | {"limit_bytes": 2 * MTU}, extended=extended)
    switch.switch.port_set(RECEIVER, {"capacity_pkts": 3})
    for number in range(10):
        switch.receive(bolt(Own(DATA, message=number), MTU))
    assert switch.waiting_bytes() == 2 * MTU
    assert switch.counter("port_dropped_forced") == 7
    assert switch.counter("port_src_sent") == 7, "who sent them hears of it"
    assert len([each for each in switch.wait(10**6) if each.port == RECEIVER]) == 3
    assert switch.switch.port_get(RECEIVER)["dropped_full_pkts"] == 0
    if not extended:
        assert switch.register("waiting_bytes") == 0


def test_a_port_without_settings_counts_hops_alone(extended: bool) -> None:
    switch = Switch("bolt", SETTINGS, extended=extended)
    switch.receive(bolt(Own(DATA | INC, hops=3), source=RECEIVER_ADDRESS, destination=SENDER_ADDRESS), port=RECEIVER)
    (seen,) = switch.wait(10**6)
    assert (seen.port, seen.own) == (SENDER, Own(DATA | INC, hops=4))

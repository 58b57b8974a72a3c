# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""dualpi2.p4: the controller and the decisions against a model in Python, and hostile settings.

Shares of packets lie within 4.5 standard deviations of what is expected: chance fails one of them in 150 000. The seed
of the switch is 1.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from math import sqrt

import hypothesis
import pytest
from datacentre import RECEIVER, Seen, Switch, frame
from hypothesis import strategies as st

NOT_ECT, ECT1, ECT0, CE = range(4)
UDP = 17
DROP_PORT = 511
IP_BYTES = 1000
TARGET_S, UPDATE_S, ALPHA, BETA = 0.015, 0.016, 0.16, 3.2
ONE = 1 << 32
FOREVER = ONE - 1
DEVIATIONS = 4.5
SETTINGS = {
    "target_us": round(TARGET_S * 1e6),
    "update_us": round(UPDATE_S * 1e6),
    "alpha": round(ALPHA * ONE / 1e6),
    "beta": round(BETA * ONE / 1e6),
    "coupling": 2,
    "step_us": FOREVER,
}
"""No step in the L4S queue, and no least queue for the controller's selection."""
FIXED = SETTINGS | {"update_us": FOREVER}
"""The probability stays what it is."""
pytestmark = pytest.mark.parametrize("extended", [True, False], ids=["extended", "bmv2"])


def packet(ecn: int, ip_bytes: int = IP_BYTES) -> bytes:
    """A packet that says in its first byte behind IP how it was sent."""
    return frame(bytes([ecn]) + bytes(ip_bytes - 21), UDP, tos=ecn)


def sent_ecn(seen: Seen) -> int:
    return seen.ip[20]


def ecn(seen: Seen) -> int:
    return seen.ip[1] & 3


def switch_of(extended: bool, settings: dict[str, int], rate_bps: int = 0) -> Switch:
    switch = Switch("dualpi2", settings, extended=extended)
    switch.switch.port_set(RECEIVER, {"rate_bps": rate_bps, "scheduler": "scfq", "weights": {0: 1, 1: 9}})
    return switch


def fix(switch: Switch, probability: float) -> None:
    switch.switch.register_write("base_probability", RECEIVER, round(probability * ONE).to_bytes(4, "big"))


def probability(switch: Switch) -> float:
    return switch.register("base_probability") / ONE


@dataclass
class Model:
    """RFC 9332's controller with a timer, which reads the delay of the last departure before each tick."""

    next_s: float = UPDATE_S
    old_s: float = 0.0
    probability: float = 0.0

    def departs(self, now_s: float, delay_s: float) -> None:
        while self.next_s <= now_s + 1e-9:
            self.next_s += UPDATE_S
            step = ALPHA * (delay_s - TARGET_S) + BETA * (delay_s - self.old_s)
            self.probability = min(1.0, max(0.0, self.probability + step))
            self.old_s = delay_s


@dataclass
class Queue:
    """A queue as the model knows it."""

    arrived_ns: list[int] = field(default_factory=list)
    left: int = 0
    wait_s: float = 0.0
    behind: int = 0
    """Packets that waited behind the last that left."""

    def waiting(self, now_ns: int) -> int:
        return sum(arrived <= now_ns for arrived in self.arrived_ns[self.left :])

    def departs(self, now_ns: int) -> None:
        self.wait_s = (now_ns // 1000 - self.arrived_ns[self.left] // 1000) / 1e6
        self.left += 1
        self.behind = self.waiting(now_ns)


def test_a_step_of_the_delay_gives_the_known_probabilities(extended: bool) -> None:
    """A classic packet comes at 24 ms. Others behind it leave every 16 ms, and show each step its delay."""
    switch = switch_of(extended, SETTINGS, rate_bps=round(IP_BYTES * 8 / UPDATE_S))
    switch.receive(packet(ECT0), 16_000_000)
    found = [probability(switch)]
    switch.wait(8_000_000)
    # The link is busy with the first until 32 ms.
    for _ in range(9):
        switch.receive(packet(ECT0))
    switch.wait(8_000_000)
    for _ in range(9):
        found.append(probability(switch))
        switch.wait(16_000_000)
    expected = [0, 0.02448, 0.07712, 0.13232, 0.19008, 0.25040, 0.31328, 0.37872, 0.44672, 0.51728]
    assert found == pytest.approx(expected, abs=2e-5)


def test_the_probability_is_that_of_a_timer(extended: bool) -> None:
    """Two seconds of load for both queues. As k is 1 nothing is dropped, so each departure is seen."""
    draws, rate_bps = random.Random(1), 10_000_000
    switch = switch_of(extended, SETTINGS | {"coupling": 1}, rate_bps)
    model, queues, checked, most = Model(), (Queue(), Queue()), 0, 0.0
    while switch.now_ns < 2_000_000_000:
        is_l4s = draws.randrange(2)
        queues[is_l4s].arrived_ns.append(switch.now_ns)
        switch.receive(packet(ECT1 if is_l4s else ECT0))
        overload = switch.now_ns % 500_000_000 < 200_000_000
        for seen in switch.wait(round(draws.expovariate(1 / (650_000 if overload else 1_500_000)))):
            left_ns = seen.time_ns - IP_BYTES * 8 * 10**9 // rate_bps
            own, other = queues[sent_ecn(seen) & 1], queues[1 - sent_ecn(seen) & 1]
            own.departs(left_ns)
            model.departs(left_ns / 1e9, max(own.wait_s, other.wait_s if other.behind else 0.0))
        if not any(each.waiting(switch.now_ns) for each in queues) and switch.now_ns > seen.time_ns:
            assert probability(switch) == pytest.approx(model.probability, abs=1e-3)
            checked, most = checked + 1, max(most, probability(switch))
    assert checked > 100
    assert most > 0.05


def test_a_queue_that_was_empty_does_not_remember_its_delay(extended: bool) -> None:
    """The last classic packet waited for 0.4 s. Another comes later, and waits behind those of L4S."""
    switch = switch_of(extended, SETTINGS | {"coupling": 1}, rate_bps=8_000_000)
    for _ in range(400):
        switch.receive(packet(ECT0))
    switch.wait(400_000_000)
    for _ in range(100):
        switch.receive(packet(ECT1), 16_000_000)
    assert probability(switch) == 0
    switch.switch.port_set(RECEIVER, {"hold": True})
    for codepoint in (ECT1, ECT0):
        switch.receive(packet(codepoint), 15_000_000)
    switch.switch.port_set(RECEIVER, {"hold": False})
    switch.wait(2_000_000)
    assert probability(switch) == pytest.approx(BETA * TARGET_S, abs=0.005)


def share(switch: Switch, codepoint: int, count: int) -> tuple[float, float]:
    """The shares of packets sent with a codepoint that are marked, and dropped."""
    for _ in range(count):
        switch.receive(packet(codepoint))
    switch.wait(1_000_000_000)
    seen = [*switch.seen]
    switch.seen.clear()
    marked = sum(ecn(each) == CE for each in seen)
    assert {ecn(each) for each in seen} <= {codepoint, CE}
    return marked / count, 1 - len(seen) / count


def agree(found: float, expected: float, count: int) -> bool:
    """Whether a share of so many packets may come from draws with this probability."""
    return abs(found - expected) <= DEVIATIONS * sqrt(expected * (1 - expected) / count)


@pytest.mark.parametrize("early", [0, 1])
@pytest.mark.parametrize(("base", "k"), [(0.2, 2), (0.45, 2), (0.09, 10)])
def test_classic_packets_have_the_square_of_what_l4s_has_over_k(
    extended: bool, base: float, k: int, early: int
) -> None:
    switch = switch_of(extended, FIXED | {"coupling": k, "is_early": early})
    fix(switch, base)
    count = 6_000
    (l4s, _), (classic, _), (_, dropped) = (share(switch, each, count) for each in (ECT1, ECT0, NOT_ECT))
    assert agree(l4s, k * base, count)
    assert agree(classic, base**2, count)
    assert agree(dropped, base**2, count)
    # The coupling by what was measured alone: the difference's deviation is that of both shares.
    of_square = 2 * (l4s / k) * sqrt(l4s * (1 - l4s) / count) / k
    of_classic = sqrt(classic * (1 - classic) / count)
    assert abs(classic - (l4s / k) ** 2) <= DEVIATIONS * sqrt(of_square**2 + of_classic**2)
    assert switch.counter("port_marked") == round((l4s + classic) * count)
    assert switch.counter("port_l4s_marked") == round(l4s * count)
    assert switch.counter("port_dropped_early") == round(dropped * count)
    assert switch.counter("port_l4s_dropped_early") == 0


@pytest.mark.parametrize("early", [0, 1])
@pytest.mark.parametrize(("base", "k"), [(0.51, 2), (0.2, 10)])
def test_overload_drops_ect_and_marks_the_rest_of_l4s(extended: bool, base: float, k: int, early: int) -> None:
    switch = switch_of(extended, FIXED | {"coupling": k, "is_early": early})
    fix(switch, base)
    count = 3_000
    for codepoint in (ECT1, CE, ECT0, NOT_ECT):
        marked, dropped = share(switch, codepoint, count)
        assert agree(dropped, base**2, count)
        is_l4s = codepoint in {ECT1, CE}
        assert marked == pytest.approx(1 - dropped if is_l4s else 0)


@pytest.mark.parametrize("any_ect", [0, 1])
def test_the_ecn_field_chooses_the_queue(extended: bool, any_ect: int) -> None:
    switch = switch_of(extended, FIXED | {"is_any_ect": any_ect})
    switch.switch.port_set(RECEIVER, {"hold": True})
    for codepoint in (NOT_ECT, ECT1, ECT0, CE):
        before = switch.switch.port_get(RECEIVER)["queue_stats"][1]["pkts"]
        switch.receive(packet(codepoint))
        after = switch.switch.port_get(RECEIVER)["queue_stats"][1]["pkts"]
        assert after - before == (codepoint in {ECT1, CE} or (any_ect and codepoint == ECT0))


@pytest.mark.parametrize("early", [0, 1])
def test_nothing_is_selected_while_less_than_two_packets_wait(extended: bool, early: int) -> None:
    """Six packets at once, a millisecond each: the first waits for none; on arrival the third finds two."""
    switch = switch_of(extended, FIXED | {"coupling": 1, "mtu_bytes": IP_BYTES, "is_early": early}, rate_bps=8_000_000)
    fix(switch, 1 - 1 / ONE)
    for _ in range(6):
        switch.receive(packet(ECT0))
    marked = [ecn(each) == CE for each in switch.wait(10_000_000)]
    # The first of the six is on the link. Behind the others wait 4, 3, 2, 1 and 0.
    assert marked == [False] * 3 + [True] * 3 if early else [False, True, True, True, False, False]


def test_the_step_marks_what_waited_longer(extended: bool) -> None:
    """Packets of 1 ms: they wait for 0 to 9 ms."""
    switch = switch_of(extended, FIXED | {"step_us": 4000, "step_pkts": 2}, rate_bps=8_000_000)
    for _ in range(10):
        switch.receive(packet(ECT1))
    assert [ecn(each) == CE for each in switch.wait(20_000_000)] == [5 <= number <= 7 for number in range(10)]
    for _ in range(10):
        switch.receive(packet(ECT0))
    assert not any(ecn(each) == CE for each in switch.wait(20_000_000))


@pytest.mark.parametrize("early", [0, 1])
def test_a_packet_that_is_dropped_counts_once(extended: bool, early: int) -> None:
    """Neither the step sees it again, although it waited, nor the limit, although it is longer than that."""
    limit = {"limit_bytes": 1} if early else {}
    switch = switch_of(extended, FIXED | {"is_early": early, "step_us": 0} | limit)
    fix(switch, 1 - 1 / ONE)
    switch.switch.port_set(RECEIVER, {"hold": True})
    for _ in range(10):
        switch.receive(packet(ECT1), 1_000_000)
    switch.switch.port_set(RECEIVER, {"hold": False})
    assert switch.wait(20_000_000) == []
    names = ("port_dropped_early", "port_l4s_dropped_early", "port_dropped_forced", "port_marked")
    assert [switch.counter(name) for name in names] == [10, 10, 0, 0]
    assert switch.counter("port_dropped_forced", DROP_PORT) == 0


WIDTHS = {
    "target_us": 24,
    "update_us": 32,
    "alpha": 28,
    "beta": 28,
    "coupling": 8,
    "step_us": 32,
    "step_pkts": 19,
    "mtu_bytes": 16,
    "limit_bytes": 32,
    "is_early": 1,
    "is_any_ect": 1,
}
REGISTERS = {"base_probability": 32, "old_delay_us": 24, "updated_us": 48}


def numbers(widths: dict[str, int]) -> st.SearchStrategy[dict[str, int]]:
    """Any numbers of these widths, the least and the largest often."""
    return st.fixed_dictionaries(
        {
            name: st.sampled_from([0, 1, (1 << bits) - 1]) | st.integers(0, (1 << bits) - 1)
            for name, bits in widths.items()
        }
    )


@hypothesis.settings(max_examples=25)
@hypothesis.given(
    settings=numbers(WIDTHS),
    state=numbers(REGISTERS),
    sent=st.lists(st.tuples(st.integers(0, 3), st.integers(21, 1500), st.integers(0, 1 << 26)), max_size=40),
)
def test_no_settings_or_state_lose_a_packet_without_count(
    extended: bool, settings: dict[str, int], state: dict[str, int], sent: list[tuple[int, int, int]]
) -> None:
    """Nor is one changed but for a mark, or is a probability beyond what the formula gives, which never wraps."""
    switch = switch_of(extended, settings, rate_bps=1_000_000)
    for name, value in state.items():
        switch.switch.register_write(name, RECEIVER, value.to_bytes((REGISTERS[name] + 7) // 8, "big"))
    for codepoint, ip_bytes, after_ns in sent:
        switch.receive(packet(codepoint, ip_bytes), after_ns)
    seen = [*switch.seen, *switch.wait(10**10)]
    assert len(seen) + switch.counter("port_dropped_early") + switch.counter("port_dropped_forced") == len(sent)
    assert all(each.is_right and ecn(each) in {sent_ecn(each), CE} for each in seen)
    marked = sum(ecn(each) != sent_ecn(each) for each in seen)
    # A packet that was marked on arrival may have found no room then.
    assert switch.counter("port_marked") >= marked if settings["is_early"] else switch.counter("port_marked") == marked


@hypothesis.settings(max_examples=25)
@hypothesis.given(
    settings=numbers(WIDTHS), state=numbers(REGISTERS), steps=st.integers(1, 1023), wait_us=st.integers(0, 30_000_000)
)
def test_a_step_is_the_formula_for_any_numbers(
    extended: bool, settings: dict[str, int], state: dict[str, int], steps: int, wait_us: int
) -> None:
    """One packet that waited, so many steps after the last."""
    settings |= {"update_us": settings["update_us"] % 100_000 + 1, "is_early": 0, "limit_bytes": 0}
    switch = switch_of(extended, settings)
    switch.switch.port_set(RECEIVER, {"hold": True})
    switch.wait(110_000_000_000)
    switch.receive(packet(ECT0))
    switch.wait(wait_us * 1000)
    now_us = switch.now_ns // 1000
    state["updated_us"] = now_us - steps * settings["update_us"] - settings["update_us"] // 2
    for name, value in state.items():
        switch.switch.register_write(name, RECEIVER, value.to_bytes((REGISTERS[name] + 7) // 8, "big"))
    switch.switch.port_set(RECEIVER, {"hold": False})
    switch.wait(1)
    delay_us = min(wait_us, (1 << 24) - 1)
    of_alpha = settings["alpha"] * steps * (delay_us - settings["target_us"])
    of_beta = settings["beta"] * (delay_us - state["old_delay_us"])
    assert switch.register("base_probability") == min(ONE - 1, max(0, state["base_probability"] + of_alpha + of_beta))
    assert switch.register("old_delay_us") == delay_us
    assert switch.register("updated_us") == now_us - settings["update_us"] // 2

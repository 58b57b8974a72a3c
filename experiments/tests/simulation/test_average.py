# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The average of quench.p4 in virtual time, against exact arithmetic: any rate, weight, threshold and idle time."""

import math
from typing import Any

import pytest
from finsy.proto import p4r
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from quench.client import entries
from quench.client.pipelines import V1MODEL
from quench.config.model import RouteConfig
from quench.profiles import parse_settings
from quench.profiles.formats import AVERAGE_ONE_PKT, FRACTION_ONE, LEAST_WEIGHT, MAX_DEPTH_PKTS
from quench_experiments.simulation.program import load_program
from quench_switch import VirtualSwitch
from quench_switch.p4runtime.entities import Entities

PORT, INDEX = 2, 16
MEAN_BYTES = 1000
IPV4 = bytes.fromhex("450003e8000000004006600f0a0001010a000201")
FRAME = bytes.fromhex("0200000000010200000000020800") + IPV4 + bytes(MEAN_BYTES - len(IPV4))
"""A packet that is not ECT, from 10.0.1.1 to 10.0.2.1."""
START_NS = 10_000_000_000
US = 1000
DAY_NS = 86_400 * 10**9
LONGEST_NS = 365 * DAY_NS
POLYNOMIAL = 1e-5
"""Relative error of the program's power of two, and more."""

RATES_BPS = st.one_of(st.sampled_from([8_000, 64_000, 10_000_000, 10**9, 4 * 10**11]), st.integers(8_000, 4 * 10**11))
WEIGHTS = st.one_of(
    st.sampled_from([LEAST_WEIGHT, 1e-6, 0.002, 0.5, 1.0]), st.floats(-24, 0).map(lambda exponent: 2.0**exponent)
)
PROPERTY = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class Queue:
    """A switch whose port 2 has a queue with a profile."""

    def __init__(self) -> None:
        self.program = load_program()
        self.switch = VirtualSwitch(cpu_port=V1MODEL.cpu_port, priority_queues=8)
        self.switch.load(self.program.json)
        self._writer = Entities(self.program.pipeline, self.switch)
        self._profile = 0
        self.now_ns = START_NS
        route = RouteConfig(
            prefix="10.0.2.0/24", port=PORT, source_mac="02:00:00:00:00:01", destination_mac="02:00:00:00:00:02"
        )
        self._write(p4r.Update.INSERT, entries.route(route))

    def set_profile(self, rate_bps: int, **values: Any) -> None:
        """As the controller does: the rows under an unused id, then the pointer."""
        profile = parse_settings({"mean_packet_bytes": MEAN_BYTES, "report_interval": 0, **values})
        self._profile += 1
        for entry in V1MODEL.profile(self._profile, V1MODEL.compile(profile, rate_bps)):
            self._write(p4r.Update.INSERT, entry)
        kind = p4r.Update.INSERT if self._profile == 1 else p4r.Update.MODIFY
        self._write(kind, V1MODEL.pointer(PORT, 0, self._profile))

    def _write(self, kind: "p4r.Update.Type.ValueType", entry: Any) -> None:
        refusal = self._writer.write(p4r.Update(type=kind, entity=entry.encode(self.program.schema)))
        assert refusal is None, refusal

    def set_registers(self, average_pkts: float, depth_pkts: int) -> None:
        """As if a packet had just left."""
        values = {
            "queue_average": round(average_pkts * AVERAGE_ONE_PKT),
            "queue_depth": depth_pkts,
            "last_departure": self.now_ns // US,
        }
        for name, value in values.items():
            self.switch.register_write(name, INDEX, value.to_bytes(8, "big"))

    def average_pkts(self) -> float:
        return int.from_bytes(self.switch.register_read("queue_average", INDEX), "big") / AVERAGE_ONE_PKT

    def passes(self, after_ns: int) -> bool:
        """Whether a packet that comes then leaves the switch. The queue is empty again behind it."""
        self.now_ns += after_ns
        self.switch.receive(1, FRAME, self.now_ns)
        left = [port for port, _, _ in self.switch.advance(self.now_ns)]
        assert self.switch.next_event_ns() is None
        assert left in ([], [PORT])
        return bool(left)


@pytest.fixture(scope="module")
def queue() -> Queue:
    return Queue()


def exact_decay(wq: float, idle_ns: float, rate_bps: int) -> float:
    """(1 - wq) ** (idle time / mean transmission time)."""
    packets = max(0.0, idle_ns) / (MEAN_BYTES * 8e9 / rate_bps)
    return float(packets == 0) if wq == 1 else math.exp(packets * math.log1p(-wq))


@PROPERTY
@given(
    rate_bps=RATES_BPS,
    wq=WEIGHTS,
    average=st.floats(0, MAX_DEPTH_PKTS),
    idle=st.floats(0, 1),
    changed=st.none() | RATES_BPS,
)
@example(rate_bps=64_000, wq=0.002, average=100.0, idle=1.0, changed=None)
@example(rate_bps=10**11, wq=0.002, average=100.0, idle=0.4, changed=None)
@example(rate_bps=10**11, wq=LEAST_WEIGHT, average=100.0, idle=0.4, changed=8_000)
def test_the_average_decays_by_the_power(
    queue: Queue, rate_bps: int, wq: float, average: float, idle: float, changed: int | None
) -> None:
    """From a packet's time to a day, and what a clock of whole microseconds leaves open is the whole difference."""
    transmission_ns = MEAN_BYTES * 8e9 / rate_bps
    # Evenly over the orders of magnitude.
    idle_ns = round(transmission_ns * (DAY_NS / transmission_ns) ** idle) + 2 * US
    queue.set_profile(rate_bps, scheme="taildrop", wq=wq)
    queue.set_registers(average, 0)
    if changed is not None:
        queue.set_profile(changed, scheme="taildrop", wq=wq)
        transmission_ns = MEAN_BYTES * 8e9 / changed
    last_ns = queue.now_ns // US * US
    assert queue.passes(idle_ns)
    rate_bps = changed or rate_bps
    least, most = (
        average * exact_decay(wq, queue.now_ns - last_ns - transmission_ns - slack_ns, rate_bps) * (1 - wq)
        for slack_ns in (-US - 4, US + 4)
    )
    found = queue.average_pkts()
    # The average is rounded, and so is the factor.
    rounding = 2 / AVERAGE_ONE_PKT + average / FRACTION_ONE
    assert least * (1 - POLYNOMIAL) - rounding <= found <= most * (1 + POLYNOMIAL) + rounding


@PROPERTY
@given(rate_bps=RATES_BPS, wq=WEIGHTS, average=st.floats(0, 1000), depth=st.integers(1, 100))
@example(rate_bps=10**10, wq=1e-6, average=0.0, depth=7)
@example(rate_bps=10**10, wq=LEAST_WEIGHT, average=0.0, depth=7)
def test_each_sample_moves_the_average_by_its_weight(
    queue: Queue, rate_bps: int, wq: float, average: float, depth: int
) -> None:
    """No weight that is accepted leaves the average where it is, though the queue stands elsewhere."""
    queue.set_profile(rate_bps, scheme="taildrop", wq=wq)
    queue.switch.port_set(PORT, {"hold": True, "capacity_pkts": 200})
    for _ in range(depth + 1):
        assert queue.passes(0) is False
    queue.set_registers(average, depth + 1)
    before = queue.average_pkts()
    queue.switch.port_set(PORT, {"hold": False})
    samples = [left for left, _, _ in queue.switch.advance(queue.now_ns)]
    assert samples == [PORT] * (depth + 1)
    exact = before
    for sample in range(depth, -1, -1):
        exact += wq * (sample - exact)
    moved = sum(wq * abs(sample - before) for sample in range(depth + 1))
    # The weight has 32 fractional bits, of which the least one has eight.
    assert queue.average_pkts() == pytest.approx(exact, abs=2.0**-8 * moved + (depth + 2) / AVERAGE_ONE_PKT)


@PROPERTY
@given(
    rate_bps=RATES_BPS,
    wq=WEIGHTS,
    minth=st.integers(1, 1000),
    times=st.integers(2, 10),
    gentle=st.booleans(),
    excess=st.floats(1.1, 20),
    stale_depth=st.sampled_from([0, 0, 1, 5, 60]),
    changed=st.none() | RATES_BPS,
)
@example(64_000, 0.002, 5, 3, False, 2.0, 0, None)
@example(10_000_000, 0.002, 5, 3, True, 2.0, 60, None)
def test_no_queue_stays_shut(
    queue: Queue,
    rate_bps: int,
    wq: float,
    minth: int,
    times: int,
    gentle: bool,
    excess: float,
    stale_depth: int,
    changed: int | None,
) -> None:
    """It drops all until the exact average falls below the part of the curve that does, and passes below minth."""
    thresholds = {"minth": f"{minth}pkts", "maxth": f"{times * minth}pkts", "gentle": gentle, "maxp": 1 / minth}
    always_from = times * minth * (2 if gentle else 1)
    average = min(excess * always_from, MAX_DEPTH_PKTS)
    queue.set_profile(rate_bps, scheme="red", wq=wq, **thresholds)
    queue.set_registers(average, stale_depth)
    if changed is not None:
        queue.set_profile(changed, scheme="red", wq=wq, **thresholds)
    rate_bps = changed or rate_bps
    transmission_ns = MEAN_BYTES * 8e9 / rate_bps
    times_busy = 1024 * (stale_depth + 1) if stale_depth else 1
    busy_ns = transmission_ns * times_busy
    # The clock, and a transmission time in whole 1/256 us.
    slack_ns = 2 * US + math.ceil(times_busy * US / 512)

    def below_ns(pkts: float) -> float:
        """The time at which the average falls below so much, after the last departure."""
        return busy_ns + (0.0 if wq == 1 else math.log(pkts / average) / math.log1p(-wq) * transmission_ns)

    opens_ns = below_ns(0.99 * minth - 1 / 16)
    assume(opens_ns < LONGEST_NS)
    shut_ns = below_ns(1.01 * always_from + 1 / 16) - slack_ns if average > 1.05 * always_from + 1 / 8 else 0.0
    if shut_ns > 0:
        assert not queue.passes(int(shut_ns))
    assert queue.passes(math.ceil(opens_ns - max(0, int(shut_ns))) + slack_ns)

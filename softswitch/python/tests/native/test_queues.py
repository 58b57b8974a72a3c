# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Several queues of a port: the program chooses one, the scheduler shares the rate."""

from __future__ import annotations

import socket
import struct
from pathlib import Path

import pytest
from quench_switch import RealtimeSwitch, VirtualSwitch, compile_p4

PROGRAM = Path(__file__).parent / "programs" / "queues.p4"
ETH_P_ALL = 3
PACKET_BYTES = 1000
WEIGHTS = {1: 0.8, 0: 0.2}
FAIR = ["drr", "scfq"]
BOUND_PKTS = {"scfq": 1, "drr": 1 + 1500 / PACKET_BYTES / (1 / 0.8 + 1 / 0.2)}
"""The largest distance of a queue from its share of any number of packets, see :func:`assert_shares`."""


def packet(queue: int) -> bytes:
    return struct.pack("!HII", queue, 0, 0).ljust(PACKET_BYTES, b"\x5a")


def queue_of(sent: bytes) -> int:
    return int.from_bytes(sent[:2], "big")


def assert_shares(scheduler: str, queues: list[int]) -> None:
    """The share of queue 1 in every beginning of a backlog.

    The papers bound |W1 / 0.8 - W0 / 0.2| by L / 0.8 + L / 0.2 for self-clocked fair queuing with packets of L
    bytes, and by one round of 1500 bytes more for deficit round robin. As W0 + W1 is k packets, this is one
    packet between W1 and 0.8 k, and 1.24 packets.
    """
    high = 0
    for count, queue in enumerate(queues, start=1):
        high += queue
        assert abs(high - 0.8 * count) <= BOUND_PKTS[scheduler] + 1e-9, f"{high} of {count} packets"


@pytest.fixture(scope="session")
def queues_json() -> str:
    return compile_p4(str(PROGRAM)).json


@pytest.fixture
def switch(queues_json: str) -> VirtualSwitch:
    switch = VirtualSwitch()
    switch.load(queues_json)
    return switch


@pytest.mark.parametrize("scheduler", FAIR)
def test_weights_share_the_rate_of_a_port(switch: VirtualSwitch, scheduler: str) -> None:
    switch.port_set(2, {"rate_bps": 8_000_000, "capacity_pkts": 0, "scheduler": scheduler, "weights": WEIGHTS})
    for _ in range(1000):
        for queue in (0, 1):
            switch.receive(1, packet(queue), 0)
    sent = switch.advance(1_000_000_000)
    assert len(sent) == 1000
    assert_shares(scheduler, [queue_of(data) for _, data, _ in sent])
    # The next packet has started by now.
    low, high = switch.port_get(2)["queue_stats"]
    assert low["tx_pkts"] + high["tx_pkts"] == 1001
    assert low["tx_pkts"] + low["pkts"] == high["tx_pkts"] + high["pkts"] == 1000


@pytest.mark.parametrize("scheduler", ["strict", *FAIR])
def test_depths_are_those_of_the_packets_own_queue(switch: VirtualSwitch, scheduler: str) -> None:
    switch.port_set(2, {"hold": True, "queues": 2, "scheduler": scheduler})
    for queue in (0, 0, 0, 1, 1):
        switch.receive(1, packet(queue), 0)
    switch.port_set(2, {"hold": False})
    depths = {0: [], 1: []}  # type: dict[int, list[tuple[int, int]]]
    for _, data, _ in switch.advance(1_000_000):
        queue, enq_qdepth, deq_qdepth = struct.unpack_from("!HII", data)
        depths[queue].append((enq_qdepth, deq_qdepth))
    assert depths == {0: [(0, 2), (1, 1), (2, 0)], 1: [(0, 1), (1, 0)]}


def test_queues_have_capacities_and_statistics_of_their_own(switch: VirtualSwitch) -> None:
    switch.port_set(2, {"hold": True, "capacity_pkts": 4, "queue_capacity_bytes": {1: 2500}, "queues": 2})
    switch.port_reset_stats(2)
    for queue in (0, 1):
        for _ in range(6):
            switch.receive(1, packet(queue), 500_000)
    switch.advance(1_000_000)
    state = switch.port_get(2)
    low, high = state["queue_stats"]
    assert (low["pkts"], low["dropped_full_pkts"], low["max_pkts"], low["mean_pkts"]) == (4, 2, 4, 2.0)
    assert (high["bytes"], high["dropped_full_pkts"], high["max_bytes"], high["mean_bytes"]) == (2000, 4, 2000, 1000.0)
    assert (high["sd_pkts"], high["sd_bytes"]) == (1.0, 1000.0)
    assert (state["dropped_full_pkts"], state["queue_max_pkts"], state["queue_mean_pkts"]) == (6, 6, 3.0)
    switch.port_set(2, {"hold": False})
    switch.advance(2_000_000)
    low, high = switch.port_get(2)["queue_stats"]
    assert (low["tx_pkts"], low["tx_bytes"], high["tx_pkts"], high["tx_bytes"]) == (4, 4000, 2, 2000)


def test_a_change_of_scheduler_keeps_what_is_queued(switch: VirtualSwitch) -> None:
    switch.port_set(2, {"rate_bps": 8_000_000, "capacity_pkts": 0, "scheduler": "scfq", "weights": WEIGHTS})
    for _ in range(50):
        for queue in (0, 1):
            switch.receive(1, packet(queue), 0)
    sent = switch.advance(10_000_000)
    switch.port_set(2, {"scheduler": "strict"})
    strict = switch.advance(20_000_000)
    assert {queue_of(data) for _, data, _ in strict[1:]} == {1}
    switch.port_set(2, {"scheduler": "drr"})
    sent += strict + switch.advance(1_000_000_000)
    assert sorted(queue_of(data) for _, data, _ in sent) == [0] * 50 + [1] * 50
    assert switch.port_get(2)["weights"] == WEIGHTS


@pytest.mark.netns
@pytest.mark.parametrize("scheduler", FAIR)
def test_two_backlogged_queues_share_a_link_in_real_time(
    queues_json: str, veth: tuple[str, str], scheduler: str
) -> None:
    far, near = veth
    switch = RealtimeSwitch(cpu_port=64)
    switch.load(queues_json)
    switch.add_port(2, near)
    switch.port_set(
        2, {"rate_bps": 10_000_000, "capacity_pkts": 0, "scheduler": scheduler, "weights": WEIGHTS, "hold": True}
    )
    switch.start()
    try:
        # Without a protocol it is deaf until it is bound: it would take frames of all interfaces.
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as host:
            host.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            host.bind((far, ETH_P_ALL))
            host.settimeout(30)
            for _ in range(600):
                for queue in (0, 1):
                    switch.packet_out(packet(queue))
            switch.port_set(2, {"hold": False})
            # Queue 1 is backlogged for 600 / 0.8 = 750 packets.
            assert_shares(scheduler, [queue_of(host.recv(2000)) for _ in range(740)])
    finally:
        switch.stop()

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Packets through the data plane under the test's clock."""

from __future__ import annotations

import pytest
from quench_switch import DataPlaneError, VirtualSwitch

DST = bytes.fromhex("0200000000aa")
SRC = bytes.fromhex("0200000000bb")


def frame(length: int = 100, src: bytes = SRC) -> bytes:
    return (DST + src + b"\x08\x00").ljust(length, b"\x5a")


def forward(switch: VirtualSwitch, to: int) -> None:
    switch.table_set_default("MyIngress.routes", ("action", "MyIngress.route", [bytes([to])]))


def test_a_rate_and_a_delay_give_exact_times(switch: VirtualSwitch) -> None:
    forward(switch, 2)
    switch.port_set(2, {"rate_bps": 8_000_000, "delay_ns": 1_000})
    for _ in range(3):
        switch.receive(1, frame(100), 500)
    times = []
    while (due := switch.next_event_ns()) is not None:
        times += [time_ns for port, packet, time_ns in switch.advance(due) if (port, packet) == (2, frame(100))]
    assert times == [101_500, 201_500, 301_500]
    state = switch.port_get(2)
    assert (state["tx_pkts"], state["tx_bytes"], state["enqueued_pkts"]) == (3, 300, 3)
    assert switch.port_get(1)["rx_pkts"] == 3


def test_an_interpreted_program_does_the_same(switch: VirtualSwitch, program_json: str) -> None:
    interpreted = VirtualSwitch(cpu_port=510, interpreted=True)
    interpreted.load(program_json)
    assert (switch.is_compiled, interpreted.is_compiled) == (True, False)
    outputs = []
    for each in (switch, interpreted):
        forward(each, 2)
        each.receive(1, frame(100), 500)
        outputs.append(each.advance(500))
    assert outputs == [[(2, frame(100), 500)]] * 2


def test_a_full_queue_drops_and_counts(switch: VirtualSwitch) -> None:
    forward(switch, 2)
    switch.port_set(2, {"capacity_pkts": 2, "hold": True})
    for _ in range(5):
        switch.receive(1, frame(), 0)
    assert switch.advance(10) == []
    state = switch.port_get(2)
    assert (state["queue_pkts"], state["queue_bytes"], state["dropped_full_pkts"]) == ([2], [200], 3)
    switch.port_set(2, {"hold": False})
    assert len(switch.advance(20)) == 2


def test_the_queue_statistics_weigh_by_time(switch: VirtualSwitch) -> None:
    forward(switch, 2)
    switch.port_set(2, {"hold": True})
    switch.port_reset_stats(2)
    switch.receive(1, frame(), 100)
    switch.advance(200)
    state = switch.port_get(2)
    assert (state["queue_mean_pkts"], state["queue_sd_pkts"]) == (0.5, 0.5)
    assert (state["queue_mean_bytes"], state["stats_ns"]) == (50.0, 200)


def test_the_same_seed_gives_the_same_losses(program_json: str) -> None:
    def survivors(seed: int) -> list[int]:
        switch = VirtualSwitch(seed=seed)
        switch.load(program_json)
        forward(switch, 2)
        switch.port_set(2, {"loss": 0.5})
        arrived = []
        for i in range(200):
            switch.receive(1, frame(), i)
            arrived += [time_ns for _, _, time_ns in switch.advance(i)]
        return arrived

    assert survivors(1) == survivors(1)
    assert survivors(1) != survivors(2)
    assert 60 < len(survivors(1)) < 140


def test_digests_are_kept_until_taken(switch: VirtualSwitch) -> None:
    for i in range(3):
        switch.receive(1, frame(src=bytes([2, 0, 0, 0, 0, i])), 10 * i)
        switch.advance(10 * i)
    lists = switch.take_digests()
    messages = [message for _, messages, _ in lists for message in messages]
    learned = [(src[-1], int.from_bytes(port, "big")) for src, port in messages]
    assert learned == [(0, 1), (1, 1), (2, 1)]
    assert lists[0][2] == 0
    assert switch.take_digests() == []


def test_time_never_goes_backwards(switch: VirtualSwitch) -> None:
    switch.advance(100)
    for call in (lambda: switch.advance(99), lambda: switch.receive(1, frame(), 99)):
        with pytest.raises(DataPlaneError, match="99 ns lies before"):
            call()


def test_entries_age_by_the_callers_clock(switch: VirtualSwitch) -> None:
    key = [("exact", b"\x01"), None, None, None]
    switch.table_insert("MyIngress.routes", key, 1, ("action", "MyIngress.route", [b"\x02"]), idle_timeout_ns=1_000)  # type: ignore[arg-type]
    switch.receive(1, frame(), 500)
    switch.advance(1_400)
    assert switch.expired_entries(9) == []
    switch.advance(1_600)
    assert [table for table, _ in switch.expired_entries(9)] == ["MyIngress.routes"]
    assert switch.expired_entries(9) == []


def test_without_a_program_packets_are_dropped() -> None:
    switch = VirtualSwitch()
    switch.receive(1, frame(), 0)
    assert switch.advance(1_000_000_000) == []

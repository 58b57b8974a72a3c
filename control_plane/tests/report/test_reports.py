# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Queue reports are in the order of arrival, whatever the switch's clock says."""

from typing import Any, cast

import pytest
from quench.client.packet_in import Copy, Reason
from quench.service import packets
from quench.service.metrics import Metrics
from quench.service.packets import PacketIns


def arrive(packet_ins: PacketIns, *times_us: int) -> None:
    """Queue reports of these times, by the switch's clock."""
    for time_us in times_us:
        packet_ins._remember(Copy(Reason.QUEUE_REPORT, 0, 0, 2, 0, 1, 1.0, time_us, 0, 0, b""), 0.0)


def test_a_switch_that_was_started_again_is_reported_at_once() -> None:
    packet_ins = PacketIns("s1", cast("Any", None), Metrics(), None, lambda copy: copy)
    assert packet_ins.reports_after(0, 10) == []
    arrive(packet_ins, 900_000_000, 900_100_000)
    last = packet_ins.reports_after(0, 10)[-1].number
    assert last == 2
    arrive(packet_ins, 5_000, 105_000, 205_000)
    assert [report.time_us for report in packet_ins.reports_after(last, 10)] == [5_000, 105_000, 205_000]
    assert [report.time_us for report in packet_ins.reports_after(last, 2)] == [5_000, 105_000]
    assert packet_ins.reports_after(5, 10) == []


def test_the_numbers_of_another_controller_hide_nothing() -> None:
    packet_ins = PacketIns("s1", cast("Any", None), Metrics(), None, lambda copy: copy)
    arrive(packet_ins, 7)
    assert [report.time_us for report in packet_ins.reports_after(1000, 10)] == [7]


def test_reports_that_were_dropped_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packets, "REPORTS_KEPT", 3)
    packet_ins = PacketIns("s1", cast("Any", None), Metrics(), None, lambda copy: copy)
    arrive(packet_ins, 1, 2, 3, 4, 5)
    assert [report.number for report in packet_ins.reports_after(1, 10)] == [3, 4, 5]

# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""The pacing rate follows the namespace's settings, as that of the kernel's own congestion controls does."""

from __future__ import annotations

import pytest
from hostlab.hosts import Pair
from hostlab.packets import Quench
from hostlab.transfer import Transfer

PACKET_BYTES = 1460


def settle_at(transfer: Transfer, percent: int) -> None:
    """Wait until the rate is that share of a window per round trip. Rate and window are read at different times."""

    def is_there() -> bool:
        window, rate = transfer.window(), transfer.pacing_bytes_per_s()
        expected = PACKET_BYTES * window.cwnd_pkts * percent / 100 * 1e6 / window.srtt_us
        return abs(rate / expected - 1) < 0.05

    transfer.until(lambda _: is_there())


@pytest.mark.parametrize(("slow_start_percent", "avoidance_percent"), [(200, 120), (350, 50)])
def test_pacing_follows_the_two_settings(pair: Pair, slow_start_percent: int, avoidance_percent: int) -> None:
    pair.sender.run(
        "sysctl",
        "-qw",
        f"net.ipv4.tcp_pacing_ss_ratio={slow_start_percent}",
        f"net.ipv4.tcp_pacing_ca_ratio={avoidance_percent}",
    )
    pair.enable("becn")
    transfer = pair.transfer()
    settle_at(transfer, slow_start_percent)
    pair.wire.to_left(Quench(marked=True).about(pair.wire.newest_data().frame))
    transfer.until(lambda w: w.cwnd_pkts < 40)
    settle_at(transfer, avoidance_percent)

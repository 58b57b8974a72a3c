# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Sources of traffic over a simulated network: what arrives is what was asked for."""

from typing import Any

import numpy as np
import pytest
from quench_experiments.simulation.result import Result
from quench_experiments.simulation.run import simulate
from quench_experiments.tuning.hurst import variance_time
from simulated import n1, scenario

INTERVAL_S = 0.1
MEASURE = {"series": ["bottleneck.ab"], "series_interval_s": INTERVAL_S, "max_points": 100_000}


def run(sources: list[dict[str, Any]], flows: int = 2, **changes: Any) -> Result:
    values = n1("ecn", flows, sources=sources, measure=MEASURE)
    return simulate(scenario(values | {"warmup_s": 0.0} | changes))


def sent(result: Result) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Time, and bytes that left in the interval before it."""
    series = result.series["bottleneck.ab.tx_bytes"]
    assert np.allclose(np.diff(series.time_s), INTERVAL_S)
    return series.time_s[1:], np.diff(series.value)


def test_a_transfer_without_end_stops_at_its_stop_time() -> None:
    ftp = {"name": "f", "kind": "ftp", "from": "s0", "to": "c0", "stack": "tcp", "stop_s": 3.0}
    result = run([ftp], duration_s=8.0)
    time_s, total = sent(result)
    assert total[time_s <= 3.0].sum() > 1e6
    assert total[(time_s > 3.0) & (time_s <= 3.5)].sum() > 0
    # Packets in flight and in the queue are gone within a second.
    assert total[time_s > 4.0].sum() == 0


def bursts(distribution: dict[str, Any], seed: int = 1) -> np.ndarray[Any, Any]:
    """Bytes in each interval, of 20 sources that are on half of the time, after 10 s."""
    sources = [
        {
            "name": f"u{index}",
            "kind": "on_off",
            "from": f"s{index}",
            "to": f"c{index}",
            "rate_bps": 100_000,
            "packet_bytes": 500,
            "on_s": distribution,
            "off_s": distribution,
            "start_spread_s": 1.0,
        }
        for index in range(20)
    ]
    _, total = sent(run(sources, flows=20, duration_s=2000.0, seed=seed))
    assert total.size == pytest.approx(2000 / INTERVAL_S, abs=1)
    return total[round(10 / INTERVAL_S) :]


def test_heavy_bursts_are_self_similar_on_the_wire() -> None:
    """H = (3 - shape)/2; over 8 seeds the estimate was 0.785 +- 0.028."""
    total = bursts({"distribution": "pareto", "mean": 0.5, "shape": 1.4})
    assert total.mean() == pytest.approx(20 * 100_000 / 2 / 8 * INTERVAL_S, rel=0.1)
    assert variance_time(total, least_scale=20).hurst == pytest.approx(0.8, abs=0.1)


def test_exponential_bursts_are_not() -> None:
    """Over 8 seeds the estimate was 0.500 +- 0.025."""
    total = bursts({"distribution": "exponential", "mean": 0.5})
    assert variance_time(total, least_scale=20).hurst == pytest.approx(0.5, abs=0.1)


def test_web_objects_take_their_request_and_their_slow_start() -> None:
    web = {
        "name": "w",
        "kind": "web",
        "servers": ["s0"],
        "clients": ["c1"],
        "stack": "tcp",
        "sessions": 5,
        "object_pkts": 8,
        "packet_bytes": 960,
    }
    result = run([web], duration_s=100.0)
    objects = result.records["objects"]
    delay_s = (objects["acked_s"] - objects["requested_s"])[~np.isnan(objects["acked_s"])]
    assert delay_s.size > 50
    # An idle network: half a round trip of 88 ms for the request, then windows of 1, 2, 4 and 1 packets.
    assert delay_s.min() == pytest.approx(0.044 + 4 * 0.088, rel=0.05)


def test_calls_arrive_whole_over_an_idle_network() -> None:
    voip = {
        "name": "v",
        "kind": "voip",
        "from": "s0",
        "to": "c1",
        "calls_per_s": 1.0,
        "holding_s": 10.0,
        "max_calls": 12,
    }
    calls = run([voip], duration_s=60.0).records["calls"]
    carried = ~calls["blocked"].astype(bool)
    assert carried.sum() > 30
    assert (calls["sent_pkts"][carried] == calls["received_pkts"][carried]).all()
    # 44 ms of propagation and three times the transmission of 200 bytes.
    heard = calls["received_pkts"] > 0
    assert calls["mean_delay_s"][heard] == pytest.approx(0.0442, rel=0.02)

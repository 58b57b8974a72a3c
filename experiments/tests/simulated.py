# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Scenarios for the tests of the simulator."""

from typing import Any

from quench_experiments.simulation.scenario import Scenario

ECN = {"scheme": "ecn", "minth": "15KB", "maxth": "45KB", "mark_at": "tail"}
PROFILES: dict[str, dict[str, Any]] = {
    "plain": ECN | {"scheme": "red"},
    "ecn": ECN,
    "becn": ECN | {"scheme": "becn"},
    "ecn-becn": ECN | {"scheme": "ecn-becn", "becnthresh": "20KB"},
    "mecn": ECN | {"scheme": "mecn", "midth": "30KB"},
    "ecn-mod": ECN | {"scheme": "ecn-mod"},
    "dctcp": {"scheme": "dctcp", "k": "15KB"},
}
"""By the algorithm that the hosts have."""


def n1(algorithm: str = "ecn", flows: int = 10, **changes: Any) -> dict[str, Any]:
    """The dumbbell N1 of Akujobi et al., with endless flows: a scenario's values."""
    access = {"rate_bps": 1e8}
    return {
        "duration_s": 5.0,
        "warmup_s": 1.0,
        "hosts": [
            {"name": f"{letter}{index}", "address": f"10.0.{net}.{index + 1}"}
            for letter, net in (("s", 1), ("c", 2))
            for index in range(flows)
        ],
        "routers": [{"name": "r1", "profiles": {"bottleneck.ab": PROFILES[algorithm]}}, {"name": "r2"}],
        "links": [
            {
                "name": "bottleneck",
                "a": "r1",
                "b": "r2",
                "delay_s": 0.04,
                "ab": {"rate_bps": 1e7, "buffer_bytes": 90_000},
                "ba": {"rate_bps": 1e7},
            },
            *(
                {"name": f"l{name}", "a": name, "b": router, "delay_s": 0.002, "ab": access, "ba": access}
                for index in range(flows)
                for name, router in ((f"s{index}", "r1"), (f"c{index}", "r2"))
            ),
        ],
        "stacks": {"tcp": {"preset": "ns2-2001", "algorithm": algorithm}},
        "sources": [
            {
                "name": f"f{index}",
                "kind": "ftp",
                "from": f"s{index}",
                "to": f"c{index}",
                "stack": "tcp",
                "start_s": index / 100,
                "group": "ftp",
            }
            for index in range(flows)
        ],
    } | changes


def scenario(values: dict[str, Any]) -> Scenario:
    """The scenario of these values."""
    return Scenario.parse(values)

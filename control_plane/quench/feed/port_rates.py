# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A port's counters as the feed shows them: rates, and the share of the port's rate that is used."""

from collections.abc import Mapping

from quench.client.entries import PORT_COUNTERS
from quench.feed.model import PortLayout, PortSample, QueueSample
from quench.feed.rates import Rates

_ISQS = "isqs by the controller"
_SWITCH_ISQS = "port_isq_sent"
_SHOWN = {
    "seen_pps": "port_seen",
    "marked_pps": "port_marked",
    "dropped_early_pps": "port_dropped_early",
    "dropped_forced_pps": "port_dropped_forced",
}
_DROPPED = (_SHOWN["dropped_early_pps"], _SHOWN["dropped_forced_pps"])


class PortRates:
    """The counters of one port over time."""

    def __init__(self) -> None:
        self._packets = Rates()
        self._bytes = Rates()

    def add(self, time_s: float, counters: Mapping[str, Mapping[str, int]], isqs: int | None) -> None:
        """Counters by their names in P4Info, and the controller's source quenches; None: there is no controller."""
        packets = {name: counts["packets"] for name, counts in counters.items()}
        self._packets.add(time_s, packets | ({} if isqs is None else {_ISQS: isqs}))
        self._bytes.add(time_s, {name: counts["bytes"] for name, counts in counters.items()})

    def sample(self, switch: str, port: PortLayout, queues: list[QueueSample], now_s: float) -> PortSample:
        """The port at ``now_s`` of the clock that ``add`` has."""
        per_s = {name: round(rate, 2) for name, rate in self._packets.per_s(now_s).items()}
        isqs = [per_s[name] for name in (_ISQS, _SWITCH_ISQS) if name in per_s]
        return {
            "switch": switch,
            "port": port["port"],
            "utilisation": self._utilisation(port["rate_bps"], now_s),
            "seen_pps": per_s.get(_SHOWN["seen_pps"]),
            "marked_pps": per_s.get(_SHOWN["marked_pps"]),
            "dropped_early_pps": per_s.get(_SHOWN["dropped_early_pps"]),
            "dropped_forced_pps": per_s.get(_SHOWN["dropped_forced_pps"]),
            "isqs_pps": round(sum(isqs), 2) if isqs else None,
            "counters": {name: rate for name, rate in per_s.items() if name not in (*PORT_COUNTERS, _ISQS)},
            "queues": queues,
        }

    def _utilisation(self, rate_bps: int | None, now_s: float) -> float | None:
        per_s = self._bytes.per_s(now_s)
        if rate_bps is None or _SHOWN["seen_pps"] not in per_s:
            return None
        bytes_per_s = per_s[_SHOWN["seen_pps"]] - sum(per_s.get(name, 0.0) for name in _DROPPED)
        # Packets that still wait were counted, too: over a second there may be more than the link carries.
        return round(min(1.0, max(0.0, 8 * bytes_per_s / rate_bps)), 4)

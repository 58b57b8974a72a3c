# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages: their completion times and their slowdown, over all and by their size.

The slowdown is the time to the last acknowledgement over that of an idle network, as data-centre papers have it: the
propagation of a round trip, one full packet at each hop, and all bytes at the narrowest link. A short message may be
faster than that, since it is no full packet: it counts as 1.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from quench_experiments.simulation.names import PERCENTILES
from quench_experiments.simulation.records import percentiles
from quench_experiments.simulation.scenario import Scenario
from quench_experiments.simulation.ways import Ways

_NEVER = np.iinfo(np.uint64).max
_Floats: TypeAlias = npt.NDArray[np.float64]
_Metrics: TypeAlias = dict[str, float]


class Messages:
    """The messages of the measured time."""

    def __init__(self, scenario: Scenario, raw: Mapping[str, Any]) -> None:
        columns = raw["records"]["messages"]
        finished = columns["acked_ns"] != _NEVER
        time_ns = np.where(finished, columns["acked_ns"] - columns["started_ns"], np.nan)
        ideal_ns = _ideal_ns(scenario, raw["sources"], columns)
        self.table: dict[str, npt.NDArray[Any]] = {
            "source": columns["source"],
            "from": columns["from"],
            "to": columns["to"],
            "bytes": columns["bytes"],
            "started_s": columns["started_ns"] / 1e9,
            "time_s": time_ns / 1e9,
            "slowdown": np.maximum(1.0, time_ns / ideal_ns),
        }
        """Sources and hosts by their number; time and slowdown of unfinished ones are ``nan``."""
        self._bins = scenario.measure.size_bins

    def of(self, sources: Sequence[int]) -> _Metrics:
        """The metrics of several sources' messages."""
        chosen = self._chosen(sources)
        sizes, times_s = self.table["bytes"][chosen], self.table["time_s"][chosen]
        if not len(sizes):
            return {}
        lost = np.isnan(times_s)
        metrics = {
            "messages": float(len(sizes)),
            "messages_unfinished": float(lost.sum()),
            "message_bytes": float(sizes.sum()),
            "message_bytes_unfinished": float(sizes[lost].sum()),
        }
        times = {f"{name}_s": value for name, value in _summary("message_time", times_s[~lost]).items()}
        return metrics | times | _summary("slowdown", self.table["slowdown"][chosen][~lost])

    def by_size(self, sources: Sequence[int]) -> dict[str, _Metrics]:
        """The metrics of each bin of sizes, by ``size.1`` and so on.

        Equal shares are those of all messages that began, so they are the same whatever a network makes of them.
        """
        if self._bins is None:
            return {}
        chosen = np.flatnonzero(self._chosen(sources))
        in_order = chosen[np.argsort(self.table["bytes"][chosen], kind="stable")]
        if isinstance(self._bins, int):
            bins = np.array_split(in_order, self._bins)
        else:
            ends = np.searchsorted(self.table["bytes"][in_order], self._bins, side="right")
            bins = np.split(in_order, ends)
        found = {}
        for number, rows in enumerate(bins, 1):
            if len(rows):
                slowdowns = self.table["slowdown"][rows]
                lost = np.isnan(slowdowns)
                found[f"size.{number}"] = {
                    "messages": float(len(rows)),
                    "messages_unfinished": float(lost.sum()),
                    "size_bytes": float(self.table["bytes"][rows[-1]]),
                    **_summary("slowdown", slowdowns[~lost]),
                }
        return found

    def _chosen(self, sources: Sequence[int]) -> npt.NDArray[np.bool_]:
        return np.isin(self.table["source"], sources)


def _summary(name: str, values: _Floats) -> _Metrics:
    if not len(values):
        return {}
    every = percentiles(values, list(PERCENTILES.values()))
    return {
        f"{name}_mean": float(values.mean()),
        **{f"{name}_{each}": float(value) for each, value in zip(PERCENTILES, every, strict=True)},
    }


def _ideal_ns(
    scenario: Scenario, sources: Sequence[Mapping[str, Any]], columns: Mapping[str, npt.NDArray[Any]]
) -> _Floats:
    """The time of each message in an idle network."""
    count = len(columns["bytes"])
    if not count:
        return np.zeros(0)
    segments = np.array([float(source["segment_bytes"]) for source in sources])[columns["source"]]
    headers = np.array([float(source["header_bytes"]) for source in sources])[columns["source"]]
    on_wire = columns["bytes"] + np.ceil(columns["bytes"] / segments) * headers
    hosts = len(scenario.hosts)
    pairs, of_pair = np.unique(columns["from"].astype(np.int64) * hosts + columns["to"], return_inverse=True)
    ways = Ways(scenario)
    found = np.array([ways.between(*divmod(int(pair), hosts)) for pair in pairs])
    round_trip_ns, ns_per_byte, slowest_ns_per_byte = found[of_pair].T
    result: _Floats = round_trip_ns + (segments + headers) * ns_per_byte + on_wire * slowest_ns_per_byte
    return result

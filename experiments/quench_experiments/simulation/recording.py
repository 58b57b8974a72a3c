# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A simulation's time series as a recording that ``quench live`` plays back."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from quench.errors import ConfigError
from quench.feed.layout import profile_layout
from quench.feed.model import RATE_WINDOW_S, Event, FlowSample, Layout, PortLayout, PortSample, Sample
from quench_switch.outside.units import format_rate_bps

from quench_experiments.errors import SimulationError
from quench_experiments.simulation.result import SCENARIO_KEY, SERIES_FILE, Series, parquet_file
from quench_experiments.simulation.scenario import Router, Scenario

_QUEUE = 0


class SimulationRecording:
    """The queues and windows of one run."""

    def __init__(self, title: str, scenario: Scenario, series: dict[str, Series]) -> None:
        self._title = title
        self._scenario = scenario
        self._series = series
        self._routers = {router.name: router for router in scenario.routers}
        self._directions = [name for name in scenario.measure.series if scenario.sender(name) is not None]
        self._flows = [source for source in scenario.sources if f"source.{source.name}.cwnd_pkts" in series]
        times = [each.time_s for each in series.values()]
        self._times_s = np.unique(np.concatenate(times)) if times else np.zeros(0)
        self._reductions = {
            source.name: _reductions(series[name])
            for source in self._flows
            if (name := f"source.{source.name}.ssthresh_pkts") in series
        }
        self.events: Sequence[Event] = self._events()

    @property
    def times_s(self) -> Sequence[float]:
        """See ``Recording``."""
        times: list[float] = self._times_s.tolist()
        return times

    def sample(self, index: int) -> Sample:
        """See ``Recording``."""
        time_s = float(self._times_s[index])
        return {
            "time_s": round(time_s, 6),
            "ports": [self._port(name, time_s) for name in self._directions],
            "flows": [flow for source in self._flows if (flow := self._flow(source.name, time_s)) is not None],
            "hosts": [],
        }

    def layout(self, time_s: float) -> Layout:
        """See ``Recording``."""
        ports: dict[str, list[PortLayout]] = {}
        for name in self._directions:
            router = self._sender_of(name)
            settings = self._scenario.profile(router, name) if name in router.profiles else None
            reason = None if f"{name}.queue_pkts" in self._series else "The recording does not have the queue's depth."
            ports.setdefault(router.name, []).append(
                {
                    "port": self._scenario.ports(router.name)[name],
                    "rate_bps": self._rate_bps(name, time_s),
                    "queues": [
                        {
                            "queue": _QUEUE,
                            "profile": None if settings is None else profile_layout(settings),
                            "reason": reason,
                        }
                    ],
                }
            )
        return {
            "title": self._title,
            "clock": "run",
            "can_change": False,
            "changes_isq": False,
            "playing": None,
            "switches": [
                {"switch": name, "connected": True, "isq_mode": self._routers[name].isq.mode, "ports": its_ports}
                for name, its_ports in ports.items()
            ],
        }

    def _port(self, name: str, time_s: float) -> PortSample:
        router = self._sender_of(name)
        link, _, way = name.partition(".")
        # Source quenches about this direction's packets go the other way.
        back = f"{link}.{'ba' if way == 'ab' else 'ab'}"
        sent_per_s = self._per_s(f"{name}.tx_bytes", time_s)
        rate_bps = self._rate_bps(name, time_s)
        dropped_pps = self._per_s(f"{name}.dropped_pkts", time_s)
        return {
            "switch": router.name,
            "port": self._scenario.ports(router.name)[name],
            "utilisation": None
            if sent_per_s is None or rate_bps is None
            else round(min(1, 8 * sent_per_s / rate_bps), 4),
            "seen_pps": None,
            "marked_pps": self._per_s(f"{name}.marked_pkts", time_s),
            "dropped_early_pps": None,
            "dropped_forced_pps": None,
            "isqs_pps": self._per_s(f"{back}.isq_pkts", time_s),
            "counters": {} if dropped_pps is None else {"dropped": dropped_pps},
            "queues": [
                {
                    "queue": _QUEUE,
                    "depth_pkts": self._at(f"{name}.queue_pkts", time_s),
                    "average_pkts": self._at(f"{name}.average_pkts", time_s),
                }
            ],
        }

    def _flow(self, source: str, time_s: float) -> FlowSample | None:
        cwnd_pkts = self._at(f"source.{source}.cwnd_pkts", time_s)
        if cwnd_pkts is None:
            return None
        srtt_s = self._at(f"source.{source}.srtt_s", time_s)
        reductions = self._reductions.get(source)
        return {
            "flow": source,
            "host": source,
            "cwnd_pkts": cwnd_pkts,
            "ssthresh_pkts": self._at(f"source.{source}.ssthresh_pkts", time_s),
            "srtt_ms": None if srtt_s is None else round(1000 * srtt_s, 3),
            "retransmitted_pkts": None,
            "reductions": None if reductions is None else int(_value(reductions, time_s)),
        }

    def _at(self, name: str, time_s: float) -> float | None:
        """The value of a series then; None: it has none yet."""
        series = self._series.get(name)
        if series is None or not len(series.time_s) or series.time_s[0] > time_s:
            return None
        value = _value(series, time_s)
        return round(value, 3) if np.isfinite(value) else None

    def _per_s(self, name: str, time_s: float) -> float | None:
        """The rate of a count over the last second, or over two points that are further apart."""
        series = self._series.get(name)
        if series is None:
            return None
        last = int(np.searchsorted(series.time_s, time_s, "right")) - 1
        first = min(int(np.searchsorted(series.time_s, time_s - RATE_WINDOW_S, "right")) - 1, last - 1)
        first = max(first, 0)
        if last <= first:
            return None
        length_s = float(series.time_s[last] - series.time_s[first])
        return round(float(series.value[last] - series.value[first]) / length_s, 2)

    def _rate_bps(self, name: str, time_s: float) -> int | None:
        rate_bps = self._scenario.direction(name).rate_bps
        for change in self._scenario.changes:
            if f"{change.link}.{change.direction}" == name and change.at_s <= time_s and change.rate_bps is not None:
                rate_bps = change.rate_bps
        return None if rate_bps is None else round(rate_bps)

    def _events(self) -> list[Event]:
        """The changes of rates, with their numbers: a moment is shown more than once."""
        events: list[Event] = []
        for change in sorted(self._scenario.changes, key=lambda change: change.at_s):
            name = f"{change.link}.{change.direction}"
            if name in self._directions and change.rate_bps is not None:
                router = self._sender_of(name)
                port = self._scenario.ports(router.name)[name]
                text = f"{router.name} port {port}: rate {format_rate_bps(round(change.rate_bps))}"
                events.append(
                    {
                        "time_s": change.at_s,
                        "kind": "rate",
                        "switch": router.name,
                        "port": port,
                        "queue": None,
                        "text": text,
                        "change": len(events) + 1,
                    }
                )
        return events

    def _sender_of(self, name: str) -> Router:
        router = self._scenario.sender(name)
        assert router is not None
        return router


def read_recording(path: Path) -> SimulationRecording:
    """The recording in a file that ``Result.to_parquet`` wrote, or in its folder. Raises ConfigError."""
    if path.is_dir():
        path = path / SERIES_FILE
    try:
        with parquet_file(path) as file:
            text = (file.schema_arrow.metadata or {}).get(SCENARIO_KEY)
            if text is None:
                raise SimulationError(f"{path}: it does not say its scenario: run the simulation again")
            table = file.read(["series", "time_s", "value"])
            return SimulationRecording(f"recording {path}", Scenario.parse(text.decode()), _series(table))
    except SimulationError as error:
        raise ConfigError(str(error)) from error


def _series(table: pa.Table) -> dict[str, Series]:
    names = table.column("series").to_numpy(zero_copy_only=False)
    times_s = table.column("time_s").to_numpy().astype(np.float64)
    values = table.column("value").to_numpy().astype(np.float64)
    found: dict[str, Series] = {}
    # The rows of a series stand together, in order.
    starts = np.flatnonzero(np.concatenate([[True], names[1:] != names[:-1]])) if len(names) else np.zeros(0, int)
    for start, end in zip(starts, [*starts[1:], len(names)], strict=True):
        time_s = times_s[start:end]
        if not np.all(np.isfinite(time_s)) or np.any(np.diff(time_s) < 0) or names[start] in found:
            raise ValueError("its times are not in order")
        found[str(names[start])] = Series(time_s, values[start:end])
    return found


def _value(series: Series, time_s: float) -> float:
    return float(series.value[max(0, int(np.searchsorted(series.time_s, time_s, "right")) - 1)])


def _reductions(series: Series) -> Series:
    """The number of times that a threshold has changed; the first time it is set counts, too."""
    changed = np.diff(series.value) != 0
    return Series(series.time_s, np.concatenate([[0.0], np.cumsum(changed)]) if len(series.time_s) else series.value)

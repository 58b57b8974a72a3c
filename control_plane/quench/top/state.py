# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The feed so far, by queue, with a history of seconds for the sparklines."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import ceil

from quench.errors import ControllerError
from quench.feed.model import (
    Event,
    FlowSample,
    HostSample,
    Layout,
    PortSample,
    ProfileLayout,
    QueueSample,
    Sample,
    Threshold,
    Update,
)

HISTORY_S = 300
"""Seconds of the sparklines, a column each."""
MOST_EVENTS = 50
MOST_KNOWN = 32
"""Profiles of a queue that are remembered by their numbers: samples of before a change have an earlier one."""


@dataclass(frozen=True, slots=True, order=True)
class QueueKey:
    """A queue of a switch's port."""

    switch: str
    port: int
    queue: int

    def __str__(self) -> str:
        return f"{self.switch} {self.port}.{self.queue}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The queues that somebody asked for; None: any."""

    switch: str | None = None
    port: int | None = None
    queue: int | None = None

    def has(self, key: QueueKey) -> bool:
        """Whether the queue is one of them."""
        return self.switch in {None, key.switch} and self.port in {None, key.port} and self.queue in {None, key.queue}


@dataclass(slots=True)
class Second:
    """A queue in one second: its deepest depth, and its newest average; None: nothing was reported."""

    second: int
    depth_pkts: float | None
    average_pkts: float | None


@dataclass(slots=True)
class QueueState:
    """A queue as it is now."""

    key: QueueKey
    profile: ProfileLayout | None
    rate_bps: int | None
    isq_mode: str | None
    connected: bool
    number: int | None = None
    """Number of the profile on the switch; None: the source cannot know it."""
    known: dict[int, ProfileLayout] = field(default_factory=dict)
    """The profiles that the queue has had since this began, by number."""
    port: PortSample | None = None
    """Its port's newest figures, which all queues of the port share."""
    sample: QueueSample | None = None
    seconds: deque[Second] = field(default_factory=lambda: deque(maxlen=HISTORY_S))

    @property
    def scheme(self) -> str:
        """The scheme's name; ``(curve)`` where the source can read no more than that, empty without a profile."""
        return "" if self.profile is None else str(self.profile["settings"].get("scheme", "(curve)"))

    @property
    def thresholds(self) -> Sequence[Threshold]:
        """The named depths of the profile, or the corners of its curve where they have no names."""
        if self.profile is None or self.profile["settings"]:
            return [] if self.profile is None else self.profile["thresholds"]
        corners = {piece["start_pkts"]: piece["p1_start"] for piece in self.profile["curve"]}
        return [
            Threshold(name="", text=f"{probability:.2g} from {start:g}pkts", pkts=start, editable=False)
            for start, probability in corners.items()
        ]

    @property
    def sampled(self) -> "QueueState | None":
        """The queue with the profile that it had when its newest sample was taken; None: that profile is unknown."""
        number = None if self.sample is None else self.sample.get("profile")
        if number in {None, self.number}:
            return self
        profile = self.known.get(number) if number is not None else None
        return None if profile is None else replace(self, profile=profile, number=number)

    def depths(self, count: int) -> list[float | None]:
        """The deepest depth of each of the last seconds, the newest last; None where nothing was reported."""
        return [None if each is None else each.depth_pkts for each in self._last(count)]

    def averages(self, count: int) -> list[float | None]:
        """The average at the end of each of the last seconds."""
        return [None if each is None else each.average_pkts for each in self._last(count)]

    def _last(self, count: int) -> list[Second | None]:
        if not self.seconds:
            return [None] * count
        known = {each.second: each for each in self.seconds}
        newest = self.seconds[-1].second
        return [known.get(newest - count + 1 + place) for place in range(count)]

    def remember_profile(self) -> None:
        """Keep the profile for samples that have its number."""
        if self.number is None or self.profile is None:
            return
        self.known.pop(self.number, None)
        self.known[self.number] = self.profile
        if len(self.known) > MOST_KNOWN:
            del self.known[next(iter(self.known))]

    def see(self, time_s: float, port: PortSample, sample: QueueSample) -> None:
        """Take a sample in."""
        self.port, self.sample = port, sample
        depth, average = sample["depth_pkts"], sample["average_pkts"]
        second = int(time_s)
        if self.seconds and self.seconds[-1].second == second:
            last = self.seconds[-1]
            if depth is not None:
                last.depth_pkts = depth if last.depth_pkts is None else max(depth, last.depth_pkts)
            last.average_pkts = last.average_pkts if average is None else average
        else:
            self.seconds.append(Second(second, depth, average))


class State:
    """Everything that the screen shows."""

    def __init__(self, wanted: Wanted | None = None) -> None:
        self.layout: Layout | None = None
        self.queues: dict[QueueKey, QueueState] = {}
        self.flows: Sequence[FlowSample] = ()
        self.hosts: Sequence[HostSample] = ()
        self.events: deque[Event] = deque(maxlen=MOST_EVENTS)
        self.time_s: float | None = None
        self.lost: str | None = None
        self._wanted = wanted or Wanted()

    def apply(self, update: Update) -> None:
        """Take an update of the feed in."""
        if update["restarted"]:
            self.queues, self.flows, self.hosts, self.time_s = {}, (), (), None
            self.events.clear()
        if update["layout"] is not None:
            self._arrange(update["layout"])
        for sample in update["samples"]:
            self._see(sample)
        self.events.extend(update["events"])
        self.lost = update["lost"]

    def check_wanted(self) -> None:
        """Raise ControllerError where no queue is as wanted, with those that there are.

        A source may not have read a switch's queues yet: then there is nothing to compare with.
        """
        if self.layout is None or self.queues:
            return
        switches = [switch["switch"] for switch in self.layout["switches"]]
        if self._wanted.switch is not None and self._wanted.switch not in switches:
            known = ", ".join(switches) or "none"
            raise ControllerError(f"there is no switch {self._wanted.switch!r}: there are {known}")
        known = ", ".join(
            f"{port['port']}.{queue['queue']}"
            for switch in self.layout["switches"]
            if self._wanted.switch in {None, switch["switch"]}
            for port in switch["ports"]
            for queue in port["queues"]
        )
        if known:
            raise ControllerError(f"no such queue: there are these, as port.queue: {known}")

    def _arrange(self, layout: Layout) -> None:
        self.layout = layout
        before, self.queues = self.queues, {}
        for switch in layout["switches"]:
            for port in switch["ports"]:
                for queue in port["queues"]:
                    key = QueueKey(switch["switch"], port["port"], queue["queue"])
                    if not self._wanted.has(key):
                        continue
                    new = QueueState(
                        key,
                        queue["profile"],
                        port["rate_bps"],
                        switch["isq_mode"],
                        switch["connected"],
                        queue.get("number"),
                    )
                    if key in before:
                        old = before[key]
                        new.port, new.sample, new.seconds, new.known = old.port, old.sample, old.seconds, old.known
                    new.remember_profile()
                    self.queues[key] = new

    def _see(self, sample: Sample) -> None:
        self.time_s = sample["time_s"]
        self.flows, self.hosts = sample["flows"], sample["hosts"]
        seen = set()
        for port in sample["ports"]:
            for queue in port["queues"]:
                key = QueueKey(port["switch"], port["port"], queue["queue"])
                if key in self.queues:
                    self.queues[key].see(sample["time_s"], port, queue)
                    seen.add(key)
        for key in self.queues.keys() - seen:
            self.queues[key].port = self.queues[key].sample = None


def scale_pkts(queue: QueueState) -> int:
    """The deepest average that a picture of the queue shows: its thresholds, and the depths of the last minutes."""
    marks = [each["pkts"] for each in queue.thresholds]
    depths = [each.depth_pkts for each in queue.seconds if each.depth_pkts is not None]
    deepest = max([*(1.1 * mark for mark in marks), *depths, 10.0])
    # In steps, so that the picture does not jump at each packet.
    step = max(1, int(f"1{'0' * (len(str(int(deepest))) - 1)}") // 4)
    return ceil(deepest / step) * step

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Two profiles take turns on a queue: A B A B and so on, so that a slow change of the load meets both alike.

A turn begins with the first sample that has the profile's number. Its warm-up is left out, then batches follow.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from quench.compare.batch import Batch, Goodput
from quench.errors import ControllerError
from quench.feed.model import PortSample, QueueSample, Sample
from quench.profiles import ProfileSettings
from quench.profiles.changes import written
from quench.service.protocol import ControlClient
from quench.signals import signals_deferred

TURNS = 4
"""Turns of each profile."""
PATIENCE_S = 10.0
"""Time beyond a turn's own after which its samples do not come any more."""
WAIT_S = 1.0


@dataclass(frozen=True, slots=True)
class Plan:
    """The lengths of a turn's parts."""

    warm_up_s: float
    batch_s: float
    batches: int
    """Batches of one turn."""

    @property
    def turn_s(self) -> float:
        """The length of a turn."""
        return self.warm_up_s + self.batches * self.batch_s


class Turns:
    """One queue of a running network, whose former profile comes back at the end."""

    def __init__(self, control: ControlClient, row: Mapping[str, Any]) -> None:
        """``row`` is the queue's row of ``thresholds.show``."""
        self._control = control
        self._row = row
        self._place = {name: row[name] for name in ("switch", "port", "queue")}
        self._number: int | None = None
        """The number of the profile that was set last; None: none was."""
        self._past: set[int | None] = {None, row.get("profile")}
        """Numbers that samples of the time before the turn may have."""
        self._tried: list[dict[str, Any]] = []
        """The profiles that the queue may have by now: an answer may be lost, and numbers change."""
        self._since: dict[str, Any] = {}
        self._goodput = Goodput()

    @property
    def name(self) -> str:
        """The queue, for people."""
        return f"{self._row['switch']} port {self._row['port']} queue {self._row['queue']}"

    @contextmanager
    def restored(self, say: Callable[[str], None]) -> Iterator[None]:
        """Give the queue its former profile at the end, however the block ends. Raises ControllerError.

        A profile that somebody else has set meanwhile stays, which is said.
        """
        try:
            yield
        finally:
            if self._tried:
                self._restore(say)

    def measure(
        self, profiles: Sequence[ProfileSettings], plan: Plan, say: Callable[[int], None]
    ) -> list[list[dict[str, float | None]]]:
        """The figures of each batch, by profile. ``say`` gets the number of each turn. Raises ControllerError."""
        # A profile that does not fit the queue is found before anything is measured.
        for settings in reversed(profiles):
            self._set(written(settings))
        for _ in self._samples():
            pass
        figures: list[list[dict[str, float | None]]] = [[] for _ in profiles]
        for turn in range(TURNS * len(profiles)):
            which = turn % len(profiles)
            say(turn)
            self._set(written(profiles[which]))
            packet_ms = profiles[which].mean_packet_bytes * 8000 / self._row["rate_bps"]
            batches = [Batch(packet_ms) for _ in range(plan.batches)]
            self._fill(batches, plan)
            figures[which] += [batch.figures(plan.batch_s) for batch in batches]
        return figures

    def _set(self, settings: dict[str, Any]) -> None:
        # A signal between the change and its number would leave the profile there.
        with signals_deferred():
            if settings not in self._tried:
                self._tried.append(settings)
            answer = self._control.call("thresholds.set", **self._place, settings=settings)
            self._past.add(self._number)
            self._number = answer["profile"]

    def _restore(self, say: Callable[[str], None]) -> None:
        former = self._row["given"]
        with signals_deferred():
            try:
                rows = self._control.call("thresholds.show", switch=self._row["switch"])
                places = [{name: row[name] for name in self._place} for row in rows]
                present = rows[places.index(self._place)]["given"] if self._place in places else None
                if present in self._tried:
                    self._control.call("thresholds.set", **self._place, settings=former)
                elif present != former:
                    say(f"{self.name}: somebody else has changed its profile meanwhile, which stays")
            except ControllerError:
                say(f"{self.name}: its former profile cannot be set again; it was {json.dumps(former)}")
                raise

    def _fill(self, batches: Sequence[Batch], plan: Plan) -> None:
        """Put the samples of a turn into its batches. Raises ControllerError."""
        began_s: float | None = None
        deadline_s = time.monotonic() + plan.turn_s + PATIENCE_S
        while time.monotonic() < deadline_s:
            for sample in self._samples(WAIT_S):
                acked_bytes = self._goodput.grown_bytes(sample["flows"])
                port, queue = self._of_queue(sample)
                if port is None or queue is None:
                    continue
                if queue.get("profile") != self._number:
                    if began_s is not None or queue.get("profile") not in self._past:
                        raise ControllerError(f"{self.name}: its profile was changed meanwhile: measure again")
                    continue
                began_s = sample["time_s"] if began_s is None else began_s
                since_s = sample["time_s"] - began_s - plan.warm_up_s
                index = int(since_s // plan.batch_s)
                if index >= len(batches):
                    return
                if index >= 0:
                    batches[index].add(port, queue, acked_bytes)
        raise ControllerError(f"{self.name}: its samples did not come within {plan.turn_s + PATIENCE_S:g} s")

    def _of_queue(self, sample: Sample) -> tuple[PortSample | None, QueueSample | None]:
        for port in sample["ports"]:
            if (port["switch"], port["port"]) == (self._place["switch"], self._place["port"]):
                return port, next((each for each in port["queues"] if each["queue"] == self._place["queue"]), None)
        return None, None

    def _samples(self, wait_s: float = 0.0) -> Iterator[Sample]:
        """The samples that are new, after ``wait_s`` at most. Raises ControllerError."""
        while True:
            answer = self._control.call("feed", **self._since, wait_s=wait_s)
            update = answer["update"]
            if update is None:
                return
            if update["restarted"]:
                raise ControllerError("the controller was started again meanwhile: measure again")
            self._since = {"epoch": answer["epoch"], "number": answer["number"]}
            yield from update["samples"]
            if wait_s:
                return

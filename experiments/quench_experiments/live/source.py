# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The feed of a simulation that runs at the wall's speed, and whose queues can be changed meanwhile."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from quench.errors import ControllerError
from quench.feed.hub import Hub
from quench.feed.layout import events_between
from quench.feed.model import Change, Changed, Layout, Playing, Sample, Update
from quench.feed.source import ChangeError
from quench.live import LEAST_SPEED, MOST_SPEED
from quench_switch.outside.text import one_line

from quench_experiments.errors import SimulationError
from quench_experiments.live.networks import find
from quench_experiments.live.pace import (
    LEAST_PAUSE_S,
    SLICE_S,
    STEP_S,
    TICK_S,
    Achieved,
    interval_s,
    shown_every,
    wanted_s,
)
from quench_experiments.live.view import View
from quench_experiments.simulation.running import RunningSimulation
from quench_experiments.simulation.scenario import split_queue

_Done = TypeVar("_Done")


def simulated(name: str, scheme: str | None, seed: int | None, speed: float) -> "SimulatedSource":
    """The source of a network or an experiment by its name. Raises ConfigError and ControllerError."""
    title, scenario = find(name, scheme, seed)
    try:
        return SimulatedSource(RunningSimulation(scenario), title, speed)
    except SimulationError as error:
        raise ControllerError(f"--simulate {name}: {one_line(str(error))}") from error


class SimulatedSource:
    """A simulation that goes on while somebody watches, and stands still otherwise.

    All that it does is done in one thread, a step or a change at a time: the event loop never waits.
    """

    def __init__(self, running: RunningSimulation, title: str, speed: float = 1.0) -> None:
        self._running = running
        self._view = View(running, title)
        self._thread = ThreadPoolExecutor(1, "simulation")
        self._hub = Hub(self._produce)
        self._achieved = Achieved()
        self._paused = False
        self._speed = speed
        self._now_s = 0.0
        self._look_s = 0.0
        """The time of the next look at the network."""
        self._looks = 0
        self._layout = self._layout_now()
        self._hub.set_layout(self._layout)

    @property
    def paused(self) -> bool:
        """See ``Player``."""
        return self._paused

    @property
    def time_s(self) -> float:
        """The simulated time that it has come to."""
        return self._now_s

    @property
    def layout(self) -> Layout:
        """The newest layout."""
        return self._layout

    def play(self, *, paused: bool | None = None, speed: float | None = None, time_s: float | None = None) -> None:
        """See ``Player``; a simulation goes to no moment. Raises ChangeError."""
        if speed is not None and not LEAST_SPEED <= speed <= MOST_SPEED:
            raise ChangeError(f"a speed of {speed:g}: choose from {LEAST_SPEED:g} to {MOST_SPEED:g}")
        if time_s is not None:
            raise ChangeError("a simulation does not go back: start it anew, with the same seed it does the same")
        if speed is not None:
            self._speed = speed
        if paused is not None:
            self._paused = paused
        self._achieved = Achieved()
        self._show(self._layout_now(), self._now_s)

    def updates(self) -> AsyncIterator[Update]:
        """See ``Source``."""
        return self._hub.updates()

    async def change(self, change: Change) -> Changed:
        """See ``Source``."""
        changed, time_s = await self._in_thread(self._change, change)
        self._show(self._layout_now(), time_s)
        return changed

    async def close(self) -> None:
        """See ``Source``. A step under way ends first."""
        await self._hub.close()
        await asyncio.to_thread(self._thread.shutdown)

    async def _in_thread(self, work: Callable[..., _Done], *arguments: object) -> _Done:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    async def _produce(self) -> None:
        try:
            await self._run()
        except SimulationError as error:
            self._hub.set_lost(f"the simulation ended at {self._now_s:g} s: {one_line(str(error))}")
            await asyncio.Event().wait()

    async def _run(self) -> None:
        self._achieved.begin()
        began_s, pause_s = time.monotonic(), TICK_S
        while True:
            await asyncio.sleep(pause_s)
            before_s, began_s = began_s, time.monotonic()
            pause_s = TICK_S
            if self._paused:
                continue
            passed_s = began_s - before_s
            ran_s, samples = await self._in_thread(self._step, wanted_s(passed_s, self._speed), began_s + STEP_S)
            for sample in samples:
                self._hub.add_sample(sample)
            remark = self._achieved.remark
            self._achieved.add(passed_s, ran_s, self._speed)
            # All else of the layout changes by the page alone.
            if remark != self._achieved.remark:
                self._show(self._layout_now(), self._now_s)
            pause_s = max(LEAST_PAUSE_S, TICK_S - (time.monotonic() - began_s))

    def _step(self, wanted_s: float, deadline_s: float) -> tuple[float, list[Sample]]:
        """Go on for so long, or until this time of the wall; the time gone through, and samples. In the thread."""
        begin_s, until_s = self._now_s, self._now_s + wanted_s
        samples = []
        while self._now_s < until_s and time.monotonic() < deadline_s:
            stop_s = min(until_s, self._look_s, self._now_s + SLICE_S)
            self._running.run_until(stop_s)
            self._now_s = stop_s
            if stop_s >= self._look_s:
                sample = self._view.sample()
                if self._looks % shown_every(self._speed) == 0:
                    samples.append(sample)
                self._looks += 1
                self._look_s = stop_s + interval_s(self._speed)
                self._running.forget()
        return self._now_s - begin_s, samples

    def _change(self, change: Change) -> tuple[Changed, float]:
        """Change it, in the thread; the answer, and the simulated time."""
        view, before = self._view, self._running.scenario
        if not view.can_change:
            raise ChangeError("the routers run a program of their own: the page cannot change its settings")
        queue = view.queue(change.switch, change.port, change.queue)
        if queue is None:
            raise ChangeError(f"port {change.port} queue {change.queue} of {change.switch!r} has no profile")
        try:
            self._running.change(change.switch, queue, change.settings, change.rate, change.isq_mode)
        except SimulationError as error:
            raise ChangeError(one_line(str(error))) from error
        after = self._running.scenario
        changed = view.count_changes(before)
        router = after.router(change.switch)
        rate_bps = after.direction(split_queue(queue)[0]).rate_bps
        assert rate_bps is not None
        answer: Changed = {
            "profile": changed.get((change.switch, queue)),
            "settings": after.profile(router, queue).model_dump(mode="json"),
            "rate_bps": round(rate_bps),
            "isq_mode": router.isq.mode,
        }
        return answer, self._now_s

    def _layout_now(self) -> Layout:
        playing: Playing = {"duration_s": None, "paused": self._paused, "speed": self._speed}
        return self._view.layout(playing, self._achieved.remark)

    def _show(self, layout: Layout, time_s: float) -> None:
        """Show what has changed since the last layout."""
        for event in events_between(self._layout, layout, round(time_s, 6)):
            self._hub.add_event(event)
        self._layout = layout
        self._hub.set_layout(layout)

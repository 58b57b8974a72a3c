# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A scenario under way: it runs in steps, and its routers can be changed between two."""

from pathlib import Path
from typing import Any

from quench.config.isq import IsqMode
from quench.profiles import ProfileSettings
from quench_simulator import Simulation

from quench_experiments.errors import SimulationError
from quench_experiments.simulation import install
from quench_experiments.simulation.chip import chip_of
from quench_experiments.simulation.controller import Controller, Silent, Tally
from quench_experiments.simulation.program import load_program, of_scenario
from quench_experiments.simulation.result import Result
from quench_experiments.simulation.scenario import NS_PER_S, Router, Scenario, split_queue


class RunningSimulation:
    """A simulation whose routers' tables are written. Its methods are for one thread at a time.

    Any number of steps, and looking between them, gives the same bytes as one step.
    """

    def __init__(self, scenario: Scenario, program: Path | None = None, threads: int = 1) -> None:
        """Write the routers' tables; the time is 0.

        ``program`` is Quench's JSON with its P4Info beside it; None: what ``make p4`` builds. A scenario's own program
        comes before it. ``threads``, 1 to 256, share a run: they change its time, not its results. Raises
        SimulationError.
        """
        compiled = load_program(program) if scenario.program is None else of_scenario(scenario.program)
        self._first = self.scenario = scenario
        """The scenario with the changes up to now."""
        self.chip = chip_of(compiled)
        self.chip.check(scenario)
        try:
            self._simulation = Simulation(self.chip.simulator_json(scenario), compiled.json, threads)
        except ValueError as error:
            raise SimulationError(str(error)) from error
        paths = install.Paths(scenario)
        for router in scenario.routers:
            control = self._simulation.router(router.name)
            install.install(scenario, router, paths.routes(router.name), self.chip, control)
        # Source quenches are Quench's: a program of one's own has no controller that answers its packet-ins.
        self._controller = Controller(scenario, compiled) if scenario.program is None else Silent(scenario)

    @property
    def now_s(self) -> float:
        """The time that it has come to."""
        return self._simulation.now_ns / NS_PER_S

    def run_until(self, time_s: float) -> None:
        """Go on until then, or to the scenario's end; other threads of Python go on meanwhile. Raises SimulationError.

        A stop within a time that was gone through already does nothing.
        """
        try:
            self._simulation.run_until(round(time_s * NS_PER_S), self._controller.packet_in)
            self._controller.reached(time_s)
        except ValueError as error:
            raise SimulationError(str(error)) from error

    def follow(self, after: Scenario, router: str) -> None:
        """Write what a router's queues have in ``after``, in the place of what they have now. Raises SimulationError.

        ``after`` is the scenario from now on. A link's rate is changed elsewhere.
        """
        install.follow(self.scenario, after, router, self.chip, self._simulation.router(router))
        self.scenario = after

    def change(
        self,
        router: str,
        queue: str,
        settings: ProfileSettings | None = None,
        rate_bps: int | None = None,
        isq_mode: IsqMode | None = None,
    ) -> None:
        """Change a queue's profile, its link's rate and the sender of the router's source quenches, at this moment.

        ``queue`` is ``LINK.ab`` or ``LINK.ab.QUEUE`` as among the router's profiles. Other queues that the rate or the
        sender concerns follow. Raises SimulationError; then nothing has changed.
        """
        after = self.scenario
        direction, _ = split_queue(queue)
        if rate_bps is not None:
            link, _, way = direction.partition(".")
            after = after.at_rate(link, "ab" if way == "ab" else "ba", float(rate_bps))
        changed = after.router(router)
        if settings is not None:
            changed = changed.model_copy(update={"profiles": {**changed.profiles, queue: settings}})
        if isq_mode is not None:
            changed = changed.model_copy(update={"isq": changed.isq.model_copy(update={"mode": isq_mode})})
        after = after.with_router(changed)
        # Before anything is changed: the tables may be unable to say it.
        install.check(after, changed, self.chip)
        if rate_bps is not None:
            try:
                self._simulation.set_rate(direction, float(rate_bps))
            except ValueError as error:
                raise SimulationError(str(error)) from error
        self.follow(after, router)
        if isinstance(self._controller, Controller):
            self._controller.answer(self._number(router), answers=changed.isq.mode != "off")

    def look(self) -> dict[str, Any]:
        """The network as it is now (``quench_simulator.Simulation.snapshot``)."""
        return self._simulation.snapshot()

    def forget(self) -> None:
        """Forget what sources have recorded: one that runs for hours keeps nothing."""
        self._simulation.forget_records()

    def tally(self, router: str) -> Tally:
        """The counts of a router's controller."""
        return self._controller.tallies[self._number(router)]

    def missing_copies(self, router: Router) -> tuple[int | None, int | None]:
        """A clone session and a multicast group to which a router copied packets, and that nobody made."""
        return self._simulation.router(router.name).missing_copies()

    def result(self) -> Result:
        """The results until now, with the scenario as it began."""
        return Result(self._first, self._simulation.results(), self._controller.tallies)

    def _number(self, router: str) -> int:
        return [each.name for each in self.scenario.routers].index(router)

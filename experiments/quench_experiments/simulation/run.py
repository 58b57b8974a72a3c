# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Running a scenario."""

from collections.abc import Callable, Iterator
from pathlib import Path

from quench_experiments.errors import SimulationError
from quench_experiments.simulation.install import check
from quench_experiments.simulation.result import Result
from quench_experiments.simulation.running import RunningSimulation
from quench_experiments.simulation.scenario import Router, Scenario

PARTS = 200
"""The number of steps after which a run reports its progress."""


def simulate(
    scenario: Scenario,
    *,
    program: Path | None = None,
    threads: int = 1,
    progress: Callable[[float], None] | None = None,
) -> Result:
    """Write the routers' tables, run to the end, and measure.

    ``program`` is Quench's JSON with its P4Info beside it; None: what ``make p4`` builds. A scenario's own program
    comes before it. ``threads``, 1 to 256, share the run: they change its time, not its results. ``progress`` is called
    with the share of the simulated time that is over, 0 to 1, after each of 200 steps.
    Raises SimulationError.
    """
    running = RunningSimulation(scenario, program, threads)
    rates = list(_rates(scenario))
    for _, after, router in rates:
        check(after, router, running.chip)
    for at_s, after, router in rates:
        _go_on(running, at_s, scenario.duration_s, progress)
        running.follow(after, router.name)
    _go_on(running, scenario.duration_s, scenario.duration_s, progress)
    if scenario.program is not None:
        for router in scenario.routers:
            _check_copies(router.name, *running.missing_copies(router))
    return running.result()


def _go_on(
    running: RunningSimulation, until_s: float, duration_s: float, progress: Callable[[float], None] | None
) -> None:
    if progress is not None:
        for part in range(int(running.now_s / duration_s * PARTS) + 1, int(until_s / duration_s * PARTS) + 1):
            running.run_until(min(until_s, part / PARTS * duration_s))
            progress(part / PARTS)
    running.run_until(until_s)


def _check_copies(router: str, session: int | None, group: int | None) -> None:
    """Raise SimulationError for copies that went nowhere: the run says nothing about the program as it is meant."""
    for kind, key, number in (
        ("clones to session", "clone_session", session),
        ("sends to group", "multicast_group", group),
    ):
        if number is not None:
            raise SimulationError(
                f"router {router!r}: the program {kind} {number}, which nobody made: its description needs "
                f"{{{key}: {number}, ports: [...]}}; without ports the copies are dropped"
            )


def _rates(scenario: Scenario) -> Iterator[tuple[float, Scenario, Router]]:
    """The changes of rates that a router's queues have settings for: when, the scenario from then on, the router."""
    for change in sorted(scenario.changes, key=lambda change: change.at_s):
        if change.rate_bps is None or change.at_s >= scenario.duration_s:
            continue
        scenario = scenario.at_rate(change.link, change.direction, change.rate_bps)
        name = f"{change.link}.{change.direction}"
        router = scenario.sender(name)
        if router is None:
            continue
        managed = router.profiles if scenario.program is None else router.queue_settings
        if any(f"{each}.".startswith(f"{name}.") for each in managed):
            yield change.at_s, scenario, router

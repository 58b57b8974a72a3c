# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Running a scenario."""

from pathlib import Path

from quench_switch import Simulation

from quench_experiments.errors import SimulationError
from quench_experiments.simulation.chip import chip_of
from quench_experiments.simulation.controller import Controller, Silent
from quench_experiments.simulation.install import Paths, install
from quench_experiments.simulation.program import load_program, of_scenario
from quench_experiments.simulation.result import Result
from quench_experiments.simulation.scenario import Scenario

NS_PER_S = 1_000_000_000


def simulate(scenario: Scenario, *, program: Path | None = None) -> Result:
    """Write the routers' tables, run to the end, and measure.

    ``program`` is Quench's JSON with its P4Info beside it; None: what ``make p4`` builds. A scenario's own program
    comes before it.
    Raises SimulationError.
    """
    compiled = load_program(program) if scenario.program is None else of_scenario(scenario.program)
    chip = chip_of(compiled)
    chip.check(scenario)
    try:
        simulation = Simulation(chip.simulator_json(scenario), compiled.json)
    except ValueError as error:
        raise SimulationError(str(error)) from error
    paths = Paths(scenario)
    for router in scenario.routers:
        install(scenario, router, paths.routes(router.name), chip, simulation.router(router.name))
    # Source quenches are Quench's: a program of one's own has no controller that answers its packet-ins.
    controller = Controller(scenario, compiled) if scenario.program is None else Silent(scenario)
    simulation.run_until(round(scenario.duration_s * NS_PER_S), controller.packet_in)
    return Result(scenario, simulation.results(), controller.tallies)

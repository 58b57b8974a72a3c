# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The routers' chip, as far as a simulation depends on it: ports, the speed of its clock, and where its program counts.

A real chip is made for links of 10 Gb/s and more: its low-pass filters run in cycles of its clock, and forget an
average within milliseconds. The papers' links have 1 to 10 Mb/s. So the clock of a simulated one is slower: with 1000,
a link of 10 Mb/s is to the chip what one of 10 Gb/s is to the real one (docs/validation/tna.md).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quench.client.pipelines import Pipeline, pipeline_of
from quench.config.isq import MeterConfig
from quench.profiles import ProfileSettings
from quench_switch.arch import Architecture, architecture

from quench_experiments.errors import SimulationError
from quench_experiments.simulation.program import Program
from quench_experiments.simulation.scenario import MAX_PORTS, Router, Scenario

SLOWDOWN = 1000
"""The slowdown of a clock that programs see."""
_COUNTERS = {role: f"port_{role}" for role in ("marked", "dropped_early", "dropped_forced")}


@dataclass(frozen=True, slots=True)
class Chip:
    """The chip of all routers of a scenario, and the seam to its program."""

    program: Program
    pipeline: Pipeline[Any]

    @property
    def _architecture(self) -> Architecture:
        return architecture(self.pipeline.arch)

    def slowdown(self, router: Router) -> int:
        """The factor by which the chip's clock is slower than time."""
        return router.slowdown or (SLOWDOWN if self._architecture.has_clock else 1)

    def check(self, scenario: Scenario) -> None:
        """Raises SimulationError for a network that the chip has too few ports for, or a program too few next hops."""
        program = scenario.program
        takes_groups = self.pipeline.takes_groups if program is None else program.takes_groups
        if scenario.equal_paths == "all" and not takes_groups:
            title = "the TNA program" if program is None else program.description.title
            raise SimulationError(f"equal_paths: {title} takes one next hop for each route: give 'first'")
        for router in scenario.routers:
            if program is not None and router.queues < program.description.queues:
                raise SimulationError(
                    f"router {router.name!r}: {program.description.title} needs {program.description.queues} queues of "
                    f"each port, and it has {router.queues}"
                )
        most = self._architecture.last_port or MAX_PORTS
        for router in scenario.routers:
            links = len(scenario.ports(router.name))
            if links > most:
                raise SimulationError(f"{links} links end at {router.name!r}: its chip has {most} ports from 1 on")

    def simulator_json(self, scenario: Scenario) -> str:
        """The simulator's input, with what it has to know of the chip."""
        values = json.loads(scenario.simulator_json())
        for router, written in zip(scenario.routers, values["routers"], strict=True):
            written |= {"cpu_port": self.pipeline.cpu_port, "slowdown": self.slowdown(router)}
        if scenario.program is None and self.pipeline.average_filter is not None:
            arrays = json.loads(self.program.json)
            per_pkt = self.pipeline.filter_value_of_packet(_mean_packet_bytes(scenario))
            values["average"] = {"filter": _named(arrays["filter_arrays"], self.pipeline.average_filter)[0]} | {
                "per_pkt": per_pkt
            }
            # Pipelines share no counters: each has its own.
            values["counters"] = {role: _named(arrays["counter_arrays"], name) for role, name in _COUNTERS.items()}
        elif self._architecture.p4info_by_barefoot:
            # A description leaves the name of the pipe out.
            arrays = json.loads(self.program.json)
            counters = {role: _named(arrays["counter_arrays"], names[0]) for role, names in values["counters"].items()}
            values["counters"] = counters
        return json.dumps(values, separators=(",", ":"))

    def settings(self, settings: ProfileSettings, rate_bps: int, slowdown: int) -> ProfileSettings:
        """A profile as the chip's clock sees it. Raises ValueError."""
        settings = settings.at_rate(rate_bps)
        return settings.model_copy(update={"report_interval": settings.report_interval / slowdown})


def chip_of(program: Program) -> Chip:
    """The chip that runs a program of Quench's."""
    return Chip(program, pipeline_of(program.schema))


def at_slowdown(limit: MeterConfig | None, slowdown: int) -> MeterConfig | None:
    """A limit per second of time, as one per second of the chip's clock."""
    # Without the configuration's upper limit, which is for a real clock.
    return limit and limit.model_copy(update={"rate": limit.rate * slowdown})


def _mean_packet_bytes(scenario: Scenario) -> int:
    """The size of the packets that averages are counted in: the profiles of one scenario hardly differ in it."""
    profiles = [profile for router in scenario.routers for profile in router.profiles.values()]
    return profiles[0].mean_packet_bytes if profiles else 1000


def _named(arrays: list[Mapping[str, Any]], name: str) -> list[str]:
    return [each["name"] for each in arrays if f".{each['name']}".endswith(f".{name}")]

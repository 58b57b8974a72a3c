# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The ends of a run's flows, and the TCP of each host."""

from dataclasses import dataclass

from quench_topologies.demo.scenarios import Scenario
from quench_topologies.errors import TopologyError
from quench_topologies.loaded_plan import LoadedPlan


@dataclass(frozen=True, slots=True)
class Flow:
    """A TCP connection that sends without a pause."""

    sender: str
    receiver: str
    beside: bool = False
    """Whether it is one of the other flows of a mixed run."""


def flows_of(loaded: LoadedPlan, scenario: Scenario, mix: float) -> list[Flow]:
    """All flows of a run; mix is the share of the others where a run has others. Raises TopologyError."""
    if scenario.beside is None:
        return [
            Flow(*place.pairs[number % len(place.pairs)]) for place in loaded.places for number in range(place.flows)
        ]
    flows: list[Flow] = []
    seen = others_so_far = 0
    for place in loaded.places:
        if len(place.pairs) < 2:
            raise TopologyError(f"--scheme {scenario.name}: both kinds of flows need hosts of their own: --pairs 2")
        of_others = len(place.pairs) // 2
        pairs, other_pairs = place.pairs[:-of_others], place.pairs[-of_others:]
        seen += place.flows
        others = round(mix * seen) - others_so_far
        others_so_far += others
        flows += [Flow(*pairs[number % len(pairs)]) for number in range(place.flows - others)]
        flows += [Flow(*other_pairs[number % len(other_pairs)], beside=True) for number in range(others)]
    if not 0 < others_so_far < seen:
        raise TopologyError(
            f"--mix {mix:g}: {seen} flows are {seen - others_so_far} of one kind and {others_so_far} of the other: "
            "choose a share or --flows that leaves some of each"
        )
    return flows


def algorithms_of(flows: list[Flow], scenario: Scenario) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The algorithm of quench-host and its settings for each host with a flow. Both ends have the same."""
    result = {}
    for flow in flows:
        mine = (scenario.host_algorithm, scenario.host_settings)
        chosen = (scenario.beside, ()) if flow.beside and scenario.beside is not None else mine
        result[flow.sender] = result[flow.receiver] = chosen
    return result

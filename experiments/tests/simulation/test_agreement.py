# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The models and the simulator agree: on every field's name, every choice and every default that is written out."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel
from quench_experiments.simulation import scenario as models
from quench_experiments.simulation import source as sources
from quench_experiments.simulation.program import load_program
from quench_experiments.simulation.scenario import Scenario
from quench_experiments.simulation.stack import Stack
from quench_simulator import Simulation
from simulated import n1

UNKNOWN = "no_such_field"
PAIR = {"name": "x", "from": "s0", "to": "c0"}
STREAM = PAIR | {"rate_bps": 1e5, "packet_bytes": 500}
SOURCES: dict[type[BaseModel], dict[str, Any]] = {
    sources.Ftp: PAIR | {"kind": "ftp", "stack": "tcp"},
    sources.Files: PAIR | {"kind": "files", "stack": "tcp", "file_bytes": 1, "pause_s": 0},
    sources.Web: {"name": "x", "kind": "web", "servers": ["s0"], "clients": ["c0"], "stack": "tcp"}
    | {"object_pkts": 8, "packet_bytes": 960},
    sources.Cbr: STREAM | {"kind": "cbr"},
    sources.OnOff: STREAM | {"kind": "on_off", "on_s": 1, "off_s": 1},
    sources.Voip: PAIR | {"kind": "voip", "calls_per_s": 1, "holding_s": 10},
}
CHANGE = {"at_s": 1, "link": "bottleneck", "direction": "ab"}
PCAP = {"link": "bottleneck", "path": "/nowhere/x.pcap"}
Raw = dict[str, Any]

PLACES: dict[type[BaseModel], Callable[[Raw], Raw]] = {
    models.Scenario: lambda raw: raw,
    models.Host: lambda raw: raw["hosts"][0],
    models.Router: lambda raw: raw["routers"][0],
    models.Link: lambda raw: raw["links"][0],
    models.Direction: lambda raw: raw["links"][0]["ab"],
    models.Change: lambda raw: raw["changes"][0],
    models.Measure: lambda raw: raw["measure"],
    models.Pcap: lambda raw: raw["measure"]["pcap"][0],
    Stack: lambda raw: raw["stacks"]["tcp"],
} | dict.fromkeys(SOURCES, lambda raw: raw["sources"][0])
"""The place of each model in what the simulator gets."""


def raw_with(model: type[BaseModel]) -> Raw:
    """The simulator's input, with an instance of the model in it."""
    values = n1(flows=1, changes=[CHANGE], measure={"pcap": [PCAP]})
    if model in SOURCES:
        values["sources"] = [SOURCES[model]]
    raw: Raw = json.loads(Scenario.parse(values).simulator_json())
    return raw


def refusal(raw: Raw) -> str:
    with pytest.raises(ValueError, match=r"^\S") as caught:
        Simulation(json.dumps(raw), load_program().json)
    return str(caught.value)


@pytest.mark.parametrize("model", PLACES, ids=lambda model: model.__name__)
def test_the_simulator_knows_the_same_fields(model: type[BaseModel]) -> None:
    raw = raw_with(model)
    PLACES[model](raw)[UNKNOWN] = 1
    names = re.findall(r"`(\w+)`", refusal(raw))
    ours = {field.alias or name for name, field in model.model_fields.items()}
    if model is Scenario:
        # The simulator gets the JSON beside the scenario, and the names of counters and averages.
        ours = ours - {"program"} | {"counters", "average"}
    if model is models.Router:
        ours = ours - models.CONTROL_PLANE | {"cpu_port"}
    # The kind of a source has chosen the model before its fields are read.
    assert (names[0], set(names[1:])) == (UNKNOWN, ours - {"kind"})


def choices(model: type[BaseModel]) -> Iterator[tuple[str, Any]]:
    for name, field in model.model_fields.items():
        for part in (field.annotation, *get_args(field.annotation)):
            if get_origin(part) is Literal and name != "kind":
                yield from ((name, value) for value in get_args(part))


@pytest.mark.parametrize(
    ("model", "name", "value"), [(model, *choice) for model in PLACES for choice in choices(model)]
)
def test_the_simulator_takes_every_choice(model: type[BaseModel], name: str, value: str) -> None:
    raw = raw_with(model)
    raw["measure"]["pcap"] = []
    PLACES[model](raw)[name] = value
    if (name, value) == ("scheduler", "scfq"):
        raw["routers"][0]["queues"] = 2
    Simulation(json.dumps(raw), load_program().json)
    PLACES[model](raw)[name] = UNKNOWN
    assert UNKNOWN in refusal(raw)


DISTRIBUTIONS = [
    3,
    {"distribution": "constant", "value": 3},
    {"distribution": "uniform", "low": 1, "high": 3},
    {"distribution": "exponential", "mean": 3},
    {"distribution": "pareto", "mean": 3, "shape": 1.5},
    {"distribution": "pareto_ii", "mean": 3, "shape": 1.5},
]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_the_simulator_takes_every_distribution(distribution: Any) -> None:
    source = SOURCES[sources.OnOff] | {"on_s": distribution}
    scenario = Scenario.parse(n1(flows=1, sources=[source]))
    Simulation(scenario.simulator_json(), load_program().json)
    raw = json.loads(scenario.simulator_json())
    raw["sources"][0]["on_s"][UNKNOWN] = 1
    assert UNKNOWN in refusal(raw)


def filled(model: type[BaseModel], values: dict[str, Any]) -> dict[str, Any]:
    """Every field that is a number or a flag and may be left out, with a value of its own."""
    samples = {bool: True, int: 4, float: 2.0}
    for name, field in model.model_fields.items():
        for kind, sample in samples.items():
            if field.annotation in (kind | None, kind) and not field.is_required():
                values.setdefault(field.alias or name, sample)
    return values


def test_the_simulator_takes_every_number_of_a_stack() -> None:
    stack = filled(Stack, {"min_rto_s": 0.2, "initial_rto_s": 1.0, "max_rto_s": 60.0, "delayed_ack_s": 0.04})
    scenario = Scenario.parse(n1(flows=1, stacks={"tcp": stack | {"clock_s": 0.1}}))
    Simulation(scenario.simulator_json(), load_program().json)


@pytest.mark.parametrize("model", SOURCES, ids=lambda model: model.__name__)
def test_the_simulator_takes_every_number_of_a_source(model: type[BaseModel]) -> None:
    start_s = {"start_s": 0.5, "stop_s": 4.0} if "stop_s" in model.model_fields else {"start_s": 0.5}
    limits = {"packet_s": 0.02, "ecn": 2} if model is sources.Voip else {"ecn": 2}
    known = {name: value for name, value in (start_s | limits).items() if name in model.model_fields}
    source = filled(model, SOURCES[model] | known | {"group": "g"})
    scenario = Scenario.parse(n1(flows=1, sources=[source]))
    Simulation(scenario.simulator_json(), load_program().json)

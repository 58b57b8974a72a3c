# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From the words of the command line to the demo's runs. Everything is checked before anything starts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from quench.config.yaml_file import parse_yaml
from quench.errors import ConfigError
from quench_switch.outside.units import parse_probability, parse_rate_bps, parse_seconds

from quench_topologies.demo import DEFAULT_MIX, DEFAULT_REVERSE_LOSS, DEFAULT_SCHEDULER
from quench_topologies.demo.flows import flows_of
from quench_topologies.demo.scenarios import Scenario, SchemeOptions, parse_scenarios
from quench_topologies.demo.setting import flows_for, times_for
from quench_topologies.errors import TopologyError
from quench_topologies.loaded_plan import LoadedPlan, LoadSettings
from quench_topologies.papers.catalogue import find_topology
from quench_topologies.papers.paper_network import PaperNetwork
from quench_topologies.papers.voice_net import VW_SCHEDULERS
from quench_topologies.plan import ISQ_MODES

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class DemoWords:
    """The command line; None: the topology's own."""

    topology: str
    schemes: Sequence[str]
    settings: Sequence[str]
    """KEY=VALUE of profiles."""
    isq_levels: bool
    isq_mode: str
    paper: bool
    mix: float | None
    flows: int | None
    pairs: int | None
    rate: str | None
    delay: str | None
    reverse_loss: str | None
    scheduler: str | None


@dataclass(frozen=True, slots=True)
class DemoPlan:
    """The demo that is going to run."""

    topology: PaperNetwork
    loaded: LoadedPlan
    load_settings: LoadSettings
    scenarios: tuple[Scenario, ...]
    mix: float
    """Share of the other flows in a mixed run."""
    warmup_s: float
    """Unless the user gives another."""
    measured_s: float
    """The same."""


def plan_demo(words: DemoWords) -> DemoPlan:
    """Raises TopologyError, one line, for words that make no sense."""
    topology = find_topology(words.topology)
    if words.isq_mode not in ISQ_MODES:
        raise TopologyError(f"--isq-mode {words.isq_mode}: choose one of {', '.join(ISQ_MODES)}")
    tcp = topology.tcp_plan(paper=words.paper)
    rate_bps = topology.row.rate_bps if words.rate is None else parsed("--rate", parse_rate_bps, words.rate)
    options = SchemeOptions(topology.thresholds_for(tcp), _settings(words.settings), words.isq_levels, rate_bps)
    scenarios = parse_scenarios(words.schemes, options)
    mixed = any(scenario.beside is not None for scenario in scenarios)
    if words.mix is not None and not mixed:
        raise TopologyError("--mix: all flows are of one kind: write SCHEME+ALGO, such as ecn+plain")
    mix = DEFAULT_MIX if words.mix is None else words.mix
    delay_ns = topology.row.delay_ns if topology.demo_path is None else topology.demo_path.delay_ns
    if words.delay is not None:
        delay_ns = round(parsed("--delay", parse_seconds, words.delay) * 1e9)
    least = 2 if mixed else 1
    flows = flows_for(topology, options.thresholds, rate_bps, delay_ns) if words.flows is None else words.flows
    warmup_s, measured_s = times_for(options.thresholds, rate_bps)
    settings = LoadSettings(
        # In a network for programs of one's own the profile only says which queues are managed.
        profile=next(
            (each.profile for each in scenarios if each.program is None), topology.row.thresholds.profile("red")
        ),
        rate_bps=rate_bps,
        delay_ns=delay_ns,
        pairs=max(topology.pairs, least) if words.pairs is None else words.pairs,
        flows=max(flows, least) if words.flows is None else flows,
        tcp=tcp,
        isq_mode=words.isq_mode,
        reverse_loss=_reverse_loss(words),
        scheduler=_scheduler(words),
    )
    loaded = topology.build(settings)
    for scenario in scenarios:
        flows_of(loaded, scenario, mix)
    return DemoPlan(topology, loaded, settings, scenarios, mix, warmup_s, measured_s)


def _reverse_loss(words: DemoWords) -> float:
    if words.topology == "n2":
        if words.reverse_loss is None:
            return DEFAULT_REVERSE_LOSS
        return parsed("--reverse-loss", parse_probability, words.reverse_loss)
    if words.reverse_loss is not None:
        raise TopologyError(f"--reverse-loss: {words.topology} has no lossy link: choose --topology n2")
    return 0.0


def _scheduler(words: DemoWords) -> str:
    if words.scheduler is None:
        return DEFAULT_SCHEDULER
    if words.topology != "vw":
        raise TopologyError(f"--scheduler: {words.topology} has one queue a port: choose --topology vw")
    if words.scheduler not in VW_SCHEDULERS:
        raise TopologyError(f"--scheduler {words.scheduler}: choose one of {', '.join(VW_SCHEDULERS)}")
    return words.scheduler


def _settings(texts: Sequence[str]) -> dict[str, Any]:
    result = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise TopologyError(f"--set {text}: write it as KEY=VALUE, such as maxp=0.2")
        try:
            result[key.strip().replace("-", "_")] = parse_yaml(f"--set {text}", value)
        except ConfigError as error:
            raise TopologyError(f"--set {text}: {value!r} is not a value of YAML") from error
    return result


def parsed(option: str, parse: Callable[[str], Number], text: str) -> Number:
    """An option's value with its unit. Raises TopologyError."""
    try:
        return parse(text)
    except ValueError as error:
        raise TopologyError(f"{option}: {error}") from error

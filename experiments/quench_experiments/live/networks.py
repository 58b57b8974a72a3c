# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The networks that can be watched by name: the papers' with a load that does not end, and the runs of experiments."""

from typing import Any, Final

from quench.errors import ConfigError
from quench_topologies.datagrams import VoiceCalls
from quench_topologies.loaded_plan import shared_out
from quench_topologies.papers.catalogue import TOPOLOGIES
from quench_topologies.papers.paper_network import PaperNetwork
from quench_topologies.papers.three_links import CBR, CBR_SHARE, SESSIONS

from quench_experiments.definition import load
from quench_experiments.definition.experiment import SCHEME
from quench_experiments.definition.schemes import PRESETS
from quench_experiments.definition.setup import Setup
from quench_experiments.definition.table import SEED
from quench_experiments.simulation.scenario import Measure, Scenario

ENDLESS_S: Final = 1e9
"""The longest scenario: 31 years."""
DEFAULT_SCHEME: Final = "ecn"
DEFAULT_SEED: Final = 1
N1_FLOWS: Final = 20
"""Fewer than the paper's 45, with which a window has three packets and no room to swing."""
IP_TCP_BYTES: Final = 40
_START: Final = ["0s", "2s"]


def find(name: str, scheme: str | None = None, seed: int | None = None) -> tuple[str, Scenario]:
    """A title and the scenario, without an end, of a network, an experiment's key or file, or a run's id.

    Of an experiment it is the first run of the scheme; None: of its first scheme. Raises ConfigError.
    """
    if name in TOPOLOGIES:
        chosen = scheme or DEFAULT_SCHEME
        if chosen not in PRESETS:
            raise ConfigError(f"--scheme {chosen}: choose one of {', '.join(PRESETS)}")
        setup, title = _setup(TOPOLOGIES[name], chosen), f"{name}/{chosen}"
    else:
        setup, title, seed = _of_experiment(name, scheme, seed)
    number = DEFAULT_SEED if seed is None else seed
    endless = {"duration_s": ENDLESS_S, "warmup_s": 0.0, "measure": Measure()}
    return f"{title}/{SEED}={number}", setup.scenario(number).model_copy(update=endless)


def _of_experiment(name: str, scheme: str | None, seed: int | None) -> tuple[Setup, str, int | None]:
    is_file = name.endswith((".yaml", ".yml"))
    key = name if is_file else name.partition("/")[0]
    try:
        experiment = load(key)
    except ConfigError as error:
        if is_file:
            raise
        known = ", ".join(TOPOLOGIES)
        raise ConfigError(
            f"--simulate {name}: choose one of {known}, or what 'quench experiment list' shows"
        ) from error
    if experiment.is_computed:
        raise ConfigError(f"--simulate {name}: {experiment.key} is computed: it has no network")
    if key != name:
        if scheme is not None:
            raise ConfigError("--scheme: the run's id says the scheme already")
        found = experiment.labels_of([name])
        if name not in found:
            raise ConfigError(f"--simulate {name}: no such run: 'quench experiment show {key} --runs' lists them")
        own = found[name][SEED]
        assert isinstance(own, int)
        return experiment.setup_of(name), name.rpartition("/")[0], own if seed is None else seed
    for part in experiment.parts:
        for point in part.points():
            if scheme is None or point.labels.get(SCHEME) == scheme:
                title = point.run_id(experiment.key, DEFAULT_SEED).rpartition("/")[0]
                return part.setup(point), title, seed
    known = ", ".join(dict.fromkeys(scheme for part in experiment.parts for scheme in part.model.schemes))
    raise ConfigError(f"--scheme {scheme}: {experiment.key} has {known}")


def _setup(network: PaperNetwork, scheme: str) -> Setup:
    """A paper's network with its thresholds, and flows that never end."""
    thresholds = network.row.thresholds
    profile = thresholds.profile(PRESETS[scheme].router)
    del profile["scheme"]
    return Setup.model_validate(
        {
            "topology": {"kind": network.name, "buffer": network.row.buffer},
            "profile": profile,
            "stack": {"preset": "linux-paper", "segment_bytes": thresholds.mean_packet_bytes - IP_TCP_BYTES},
            "traffic": _TRAFFIC[network.name](network),
            "scheme": {"preset": scheme},
            "duration": f"{ENDLESS_S:g}s",
        }
    )


def _flows(group: str, count: int, from_: str, to: str) -> dict[str, Any]:
    return {"group": group, "count": count, "from": from_, "to": to, "start": _START, "source": {"kind": "ftp"}}


def _n1(_network: PaperNetwork) -> list[dict[str, Any]]:
    return [_flows("flow", N1_FLOWS, "servers", "clients")]


def _n2(network: PaperNetwork) -> list[dict[str, Any]]:
    return [_flows("flow", network.flows, "sender", "clients")]


def _mp(network: PaperNetwork) -> list[dict[str, Any]]:
    entries = network.row.routers - 1
    shares = shared_out(network.flows, entries)
    return [_flows(f"from{number}", count, f"enter{number}", "leave") for number, count in enumerate(shares, 1)]


def _g3(network: PaperNetwork) -> list[dict[str, Any]]:
    shares = shared_out(network.flows, len(SESSIONS))
    sender, receiver = CBR
    constant = {"kind": "cbr", "rate_bps": CBR_SHARE * network.row.rate_bps, "packet_bytes": 1000}
    return [
        *(_flows(f"{one}-{other}-", count, one, other) for (one, other), count in zip(SESSIONS, shares, strict=True)),
        {"group": "constant", "from": sender, "to": receiver, "source": constant},
    ]


def _vw(network: PaperNetwork) -> list[dict[str, Any]]:
    calls = VoiceCalls()
    voice = {
        "kind": "voip",
        "calls_per_s": calls.arrivals_per_s,
        "holding_s": calls.holding_s,
        "max_calls": calls.limit,
        "initial_calls": round(calls.arrivals_per_s * calls.holding_s),
    }
    return [
        _flows("flow", network.flows, "sources", "clients"),
        {"group": "voice", "from": "voice-source", "to": "voice-sink", "source": voice},
    ]


_TRAFFIC: Final = {"n1": _n1, "n2": _n2, "mp": _mp, "g3": _g3, "vw": _vw}

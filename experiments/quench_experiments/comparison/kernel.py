# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Kernel TCP over the embedded switch, as ``quench demo`` measures it, and the same network in simulation."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from quench.config.isq import IsqConfig
from quench.profiles.settings import parse_settings
from quench_switch.outside.files import read_json
from quench_topologies.papers import declared
from quench_topologies.plan import ETHERNET_HEADER_BYTES

from quench_experiments.comparison.cases import PACKET_BYTES
from quench_experiments.errors import ComparisonError
from quench_experiments.simulation.run import simulate
from quench_experiments.simulation.scenario import Direction, Host, Link, Router, Scenario
from quench_experiments.simulation.source import Source
from quench_experiments.simulation.stack import Stack

FLOWS = (8, 30)
PAIRS = 4
DELAY = f"{declared.N1.delay_ns // 1_000_000}ms"
"""The papers', one way; the demo's own is shorter."""
MAX_SUMMARY_BYTES = 16 << 20
WARMUP_S = 10.0
START_SPREAD_S = 2.0
"""The demo's flows start within this time."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One scheme on one of the two."""

    utilisation: float
    goodput_bps: float
    """Payload of all flows together."""
    loss: float
    mean_queue_pkts: float
    sd_queue_pkts: float
    marked_pkts: float
    isqs: float
    retransmitted_pkts: float


@dataclass(frozen=True, slots=True)
class Pair:
    """One scheme on both."""

    scheme: str
    flows: int
    kernel: Measured
    simulated: tuple[Measured, ...]
    """One for each seed."""


def run_demo(flows: int, seconds: float, schemes: Sequence[str], out: Path) -> dict[str, Any]:
    """The demo's summary. Needs root. Raises ComparisonError.

    Interrupted, it ends the demo and waits until that has taken back its network.
    """
    quench = Path(sys.executable).with_name("quench")
    words = [str(quench), "demo", "--topology", "n1", "--pairs", str(PAIRS), "--flows", str(flows), "--paper"]
    words += ["--delay", DELAY]
    words += ["--warmup", f"{WARMUP_S:g}s", "--seconds", f"{seconds:g}", "--out", str(out)]
    words += ["--scheme", ",".join(schemes)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as demo:
        try:
            output, errors = demo.communicate()
        except BaseException:
            demo.terminate()
            demo.communicate()
            raise
    if demo.returncode != 0:
        said = (errors or output).strip().splitlines() or ["nothing"]
        raise ComparisonError(f"'{' '.join(words)}' failed with status {demo.returncode} and said: {said[-1]}")
    return read_summary(out)


def read_summary(folder: Path) -> dict[str, Any]:
    """The summary that a demo wrote. Raises ComparisonError."""
    path = folder / "summary.json"
    try:
        summary: dict[str, Any] = read_json(path, MAX_SUMMARY_BYTES)
    except (OSError, ValueError) as error:
        raise ComparisonError(f"{path}: {error}") from None
    return summary


def of_kernel(scheme: Mapping[str, Any]) -> Measured:
    """A scheme of the summary."""
    return Measured(
        utilisation=scheme["utilisation_percent"] / 100,
        goodput_bps=scheme["goodput_total_bps"],
        loss=scheme["loss_percent"] / 100,
        mean_queue_pkts=scheme["queue_mean_pkts"],
        sd_queue_pkts=scheme["queue_sd_pkts"],
        marked_pkts=scheme["marked_pkts"],
        isqs=scheme["isqs_sent_pkts"],
        retransmitted_pkts=scheme["retransmitted_pkts"],
    )


def of_simulation(scheme: Mapping[str, Any], settings: Mapping[str, Any], seed: int) -> Measured:
    """The same scheme, simulated. Raises SimulationError."""
    result = simulate(scenario(scheme, settings, seed))
    link = result.link("bottleneck.ab")
    flows = result.groups["flows"]
    router = result.metrics()
    return Measured(
        utilisation=link["utilisation"],
        goodput_bps=flows["goodput_total_bps"],
        loss=link["loss"],
        mean_queue_pkts=link["queue_mean_pkts"],
        sd_queue_pkts=link["queue_sd_pkts"],
        marked_pkts=link["marked_pkts"],
        isqs=router["router.s1.isqs_marked"] + router["router.s1.isqs_dropped"],
        retransmitted_pkts=flows["retransmitted_pkts"],
    )


def pairs(summary: Mapping[str, Any], seeds: Sequence[int]) -> list[Pair]:
    """Each scheme of a demo beside its simulation. Raises SimulationError."""
    settings = summary["settings"]
    return [
        Pair(
            scheme=scheme["name"],
            flows=settings["flows"],
            kernel=of_kernel(scheme),
            simulated=tuple(of_simulation(scheme, settings, seed) for seed in seeds),
        )
        for scheme in summary["schemes"]
    ]


def scenario(scheme: Mapping[str, Any], settings: Mapping[str, Any], seed: int) -> Scenario:
    """The demo's dumbbell with a scheme's own profile and hosts."""
    # The demo's rates, buffers and queues count a frame's header, the simulation's do not.
    frame_bytes = PACKET_BYTES + ETHERNET_HEADER_BYTES
    buffer_bytes = declared.N1.buffer_bytes(frame_bytes)
    rate_bps = settings["rate_bps"] * PACKET_BYTES / frame_bytes
    access = Direction(rate_bps=declared.N1.source.rate_bps * PACKET_BYTES / frame_bytes)
    delay_s = settings["delay_one_way_ns"] / 1e9
    numbers = range(1, settings["pairs"] + 1)
    ends = [(f"server{number}", "s1", number) for number in numbers]
    ends += [(f"client{number}", "s2", number) for number in numbers]
    return Scenario(
        seed=seed,
        duration_s=settings["warmup_s"] + settings["measured_s"],
        warmup_s=settings["warmup_s"],
        hosts=tuple(
            Host(name=name, address=IPv4Address(f"10.{int(switch == 's2')}.{number}.1"))
            for name, switch, number in ends
        ),
        routers=(
            Router(
                name="s1",
                profiles={"bottleneck.ab": parse_settings(scheme["profile"])},
                isq=IsqConfig(mode=settings["isq_mode"]),
            ),
            Router(name="s2"),
        ),
        links=(
            Link(
                name="bottleneck",
                a="s1",
                b="s2",
                delay_s=delay_s,
                ab=Direction(rate_bps=rate_bps, buffer_pkts=buffer_bytes // frame_bytes),
                ba=Direction(rate_bps=settings["rate_bps"], buffer_bytes=buffer_bytes),
            ),
            *(
                Link(name=name, a=name, b=switch, delay_s=declared.N1.source.delay_s, ab=access, ba=access)
                for name, switch, _ in ends
            ),
        ),
        stacks={"hosts": _stack(scheme)},
        sources=tuple(
            Source.model_validate(
                {
                    "kind": "ftp",
                    "name": f"f{flow}",
                    "from": f"server{1 + flow % settings['pairs']}",
                    "to": f"client{1 + flow % settings['pairs']}",
                    "stack": "hosts",
                    "group": "flows",
                    "start_spread_s": START_SPREAD_S,
                }
            )
            for flow in range(settings["flows"])
        ),
    )


def _stack(scheme: Mapping[str, Any]) -> Stack:
    """The kernel's TCP in paper mode with the algorithm's parameters, as quench-host reports them."""
    return Stack.model_validate(
        {
            "preset": "linux-paper",
            "algorithm": scheme["host_algorithm"],
            "parameters": scheme["host_params"],
        }
    )

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The wire bench: packets a second, kernel TCP and round trips through each device, beside the plainest forwarder.

The devices take turns, several rounds in one run. The switch has cores of its own: on two cores one, and the rest
shares the other; on more each of the others has its own. Needs root; everything is in namespaces of the bench's own.
"""

import os
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import script
import typer
from rich.console import Console
from wire_devices import Device, Switch, devices
from wire_figures import SIZES, print_pacing, print_table, short, wire_figures
from wire_measure import LOADED_BYTES, Cores, Wire
from wire_network import Network, network

PRIORITY = -20
"""The nice value of everything here: other work of the machine disturbs less."""
PARTS = ("rate", "tcp", "trip", "offloads", "pacing")
PACED_RATES_BPS = (1e6, 10e6, 100e6, 1e9, 10e9)
QUICK_ROUNDS, QUICK_S = 2, 0.2


class Run:
    """All devices in turn, and what they did."""

    def __init__(self, wire: Wire, made: Network, cores: Cores, folder: Path, console: Console) -> None:
        self._wire = wire
        self._network = made
        self._cores = cores
        self._folder = folder
        self._console = console
        self.rounds: list[dict[str, dict[str, Any]]] = []
        self.pacing: list[list[dict[str, Any]]] = []

    def round(self, tried: Sequence[Device], parts: Collection[str], *, backwards: bool) -> None:
        """Each device once; every second round in the opposite order."""
        order = list(reversed(tried)) if backwards else list(tried)
        self.rounds.append({device.name: self._measured(device, parts) for device in order})

    def _measured(self, device: Device, parts: Collection[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        with device.running(self._network, self._cores.device, self._folder) as running:
            if "rate" in parts or "trip" in parts:
                sizes = SIZES if "rate" in parts else (LOADED_BYTES,)
                found["rates"] = [self._wire.rate(running, size) for size in sizes]
            if "tcp" in parts:
                found["tcp"] = self._wire.tcp()
            if "trip" in parts:
                loaded = next(each for each in found["rates"] if each["bytes"] == LOADED_BYTES)
                found["round_trip"] = self._wire.round_trip(running, loaded["pkts_per_s"] / 2)
        if "offloads" in parts:
            # Started again: a device looks at the interfaces when it begins.
            self._network.set_offloads(on=True)
            try:
                with device.running(self._network, self._cores.device, self._folder):
                    found["tcp_offloads"] = self._wire.tcp()
            finally:
                self._network.set_offloads(on=False)
        self._console.print(f"  {device.name}: {short(found)}")
        return found

    def pace(self) -> None:
        """A port with each rate, of the switch with Quench's program."""
        turn = []
        for rate_bps in PACED_RATES_BPS:
            words = ("--port", f"2:rate={rate_bps:.0f}bps")
            device = Switch(f"paced at {rate_bps:g} b/s", arguments=words)
            with device.running(self._network, self._cores.device, self._folder) as running:
                turn.append(self._wire.paced(running, rate_bps))
        self.pacing.append(turn)


def main(
    rounds: Annotated[int, typer.Option(min=1, help="Turns of all devices.")] = 5,
    seconds: Annotated[float, typer.Option(min=0.1, help="Of each measurement.")] = 0.5,
    pairs: Annotated[int, typer.Option(min=1, max=16, help="Of ports, each with a sender of its own.")] = 1,
    device_cores: Annotated[int, typer.Option(min=1, help="For the device.")] = 1,
    arguments: Annotated[
        list[str] | None, typer.Option(help="Words for the switch, such as '--threads 2': adds variants. Repeatable.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Of the devices, those that begin so. Repeatable.")] = None,
    part: Annotated[list[str] | None, typer.Option(help=f"Of {', '.join(PARTS)}, these. Repeatable.")] = None,
    quick: script.QuickOption = False,
    as_json: script.JsonOption = False,
) -> None:
    """Measure, and print ratios to the forwarder."""
    console = script.console()
    chosen = [each for each in devices(arguments or []) if only is None or each.name.startswith(tuple(only))]
    parts = set(part or PARTS)
    cores = Cores.shared_out(device_cores)
    os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
    turns = min(rounds, QUICK_ROUNDS) if quick else rounds
    with tempfile.TemporaryDirectory(prefix="quench-bench-") as name, network(pairs, Path(name)) as made:
        run = Run(Wire(made, cores, QUICK_S if quick else seconds), made, cores, Path(name), console)
        for number in range(turns):
            if parts != {"pacing"}:
                run.round(chosen, parts, backwards=number % 2 == 1)
            if "pacing" in parts:
                run.pace()
    figures = wire_figures(run.rounds, run.pacing)
    if run.rounds:
        print_table(console, run.rounds, figures)
    print_pacing(console, run.pacing)
    details = {"cores": asdict(cores), "pairs": pairs, "rounds": run.rounds, "pacing": run.pacing}
    script.finish(figures, details, as_json=as_json)


if __name__ == "__main__":
    script.run(main)

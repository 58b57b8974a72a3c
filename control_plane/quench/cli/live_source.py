# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The sources of the live feed as options, for each command that shows one: a controller, a switch, a recording."""

import inspect
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from quench_switch.outside.units import parse_rate_bps

from quench.cli.completed import DEFAULT_SOCKET
from quench.cli.lazy import EXPERIMENTS, SIMULATOR, not_installed
from quench.cli.options import (
    DeviceOption,
    SocketOption,
    TlsCaOption,
    TlsCertOption,
    TlsKeyOption,
    controller,
    controller_at,
    parsed,
    tls_of,
)
from quench.cli.shared_options import with_options
from quench.errors import ControllerError
from quench.live import LEAST_SPEED, MOST_SPEED

if TYPE_CHECKING:
    from quench.feed.source import Source

MAX_SEED = (1 << 53) - 1

ResultArgument = Annotated[
    Path | None,
    typer.Argument(metavar="[RESULT]", help="Play back a simulation: its series.parquet, or the folder with it."),
]
LoneOption = Annotated[
    str | None,
    typer.Option(
        "--address", metavar="HOST:PORT", help="Watch the switch at this P4Runtime server, without a controller."
    ),
]
LoneRateOption = Annotated[
    str | None,
    typer.Option("--rate", metavar="RATE", help="With --address: rate of the switch's ports, such as 10Mbps."),
]
SimulateOption = Annotated[
    str | None,
    typer.Option(
        "--simulate",
        metavar="NAME",
        help="Simulate a network (n1, n2, mp, g3, vw), or an experiment or a run of one, and watch that.",
    ),
]
SchemeOption = Annotated[
    str | None,
    typer.Option(
        "--scheme", metavar="NAME", help="With --simulate: the scheme.", show_default="ecn, or the experiment's first"
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="NUMBER",
        min=0,
        max=MAX_SEED,
        help="With --simulate: of all random draws.",
        show_default="1",
    ),
]
SpeedOption = Annotated[
    float,
    typer.Option(
        "--speed",
        metavar="TIMES",
        min=LEAST_SPEED,
        max=MOST_SPEED,
        help="With RESULT and --simulate: seconds of it in a second.",
    ),
]
_RECORDINGS = "quench_experiments.simulation.recording"
_SIMULATIONS = "quench_experiments.live.source"


def takes_source(*, after: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command these options behind one of its own; its parameter ``open_source`` opens what they name."""
    options = inspect.signature(source_of).parameters.values()
    return lambda command: with_options(
        command, options, "open_source", lambda values: partial(source_of, **values), after=after
    )


def source_of(
    socket: SocketOption = DEFAULT_SOCKET,
    *,
    result: ResultArgument = None,
    address: LoneOption = None,
    device_id: DeviceOption = None,
    rate: LoneRateOption = None,
    tls_ca: TlsCaOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
    simulate: SimulateOption = None,
    scheme: SchemeOption = None,
    seed: SeedOption = None,
    speed: SpeedOption = 1.0,
) -> "Source":
    """The source that the options name; without any the controller at the socket. Raises ControllerError, ConfigError.

    A source waits for a controller that is away; somebody who types a command gets an error instead.
    """
    tls = tls_of(tls_ca, tls_cert, tls_key)
    if sum(each is not None for each in (result, address, simulate)) > 1:
        raise ControllerError("give RESULT, --address or --simulate: one of them is shown")
    if simulate is None and (scheme is not None or seed is not None):
        raise ControllerError("--scheme and --seed belong to --simulate")
    if result is not None:
        from quench.live.sources.playback import PlaybackSource

        return PlaybackSource(_experiments(_RECORDINGS).read_recording(result), speed)
    if simulate is not None:
        source: Source = _experiments(_SIMULATIONS).simulated(simulate, scheme, seed, speed)
        return source
    if address is not None:
        from quench.config.fields import server_address
        from quench.live.sources.lone import LoneSource

        rate_bps = None if rate is None else parsed("--rate", parse_rate_bps, rate)
        server = parsed("--address", server_address, address)
        if device_id is None:
            from quench.service.direct import DirectSwitch

            device_id = DirectSwitch(server, None, tls).device_id()
        return LoneSource(server, device_id, tls, rate_bps)
    if rate is not None:
        raise ControllerError("--rate belongs to --address: a controller knows the rates")
    from quench.live.sources.controller import ControllerSource

    socket = controller_at(socket)
    controller(socket).call("ping")
    return ControllerSource(socket)


def _experiments(module: str) -> Any:
    """A module of the experiments, which this package does not need otherwise. Raises ControllerError."""
    missing = next((name for name in ("quench_experiments", *EXPERIMENTS, SIMULATOR) if find_spec(name) is None), None)
    if missing is not None:
        raise ControllerError(not_installed(missing))
    return import_module(module)

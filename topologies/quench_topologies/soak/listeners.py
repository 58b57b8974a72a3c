# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The places where the campaign's network listens: more than a network needs, so that all of them are attacked."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from quench_topologies.bmv2 import FIRST_THRIFT_PORT
from quench_topologies.network import RunningNetwork
from quench_topologies.plan import NetworkPlan
from quench_topologies.soak.readers import Places

METRICS = ("127.0.0.1", 9464)
FIRST_DIGESTS_PORT = 9190
"""The port of device 1; those of the others follow."""


def switch_options(plan: NetworkPlan, disk: Path) -> Mapping[str, Sequence[str]]:
    """Thrift and digests for each switch, and a log file of its own for the last: the others log to stderr."""
    options = {
        each.name: [
            *("--thrift-addr", _address(plan, each.name, FIRST_THRIFT_PORT)),
            *("--notifications-addr", f"tcp://{_address(plan, each.name, FIRST_DIGESTS_PORT)}"),
        ]
        for each in plan.switches
    }
    last = plan.switches[-1].name
    options[last] += ["--log-file", str(disk / f"{last}-file.log")]
    return options


def places(network: RunningNetwork, page: str) -> Places:
    """All listeners; ``page`` is the live page's HOST:PORT."""
    found: list[tuple[str, Sequence[str | int]]] = []
    for name, switch in network.switches.items():
        found.append(("P4Runtime", (switch.address, switch.device_id)))
        found.append(("traces", (switch.address,)))
        found.append(("Thrift", (_address(network.plan, name, FIRST_THRIFT_PORT),)))
        found.append(("digests", (_address(network.plan, name, FIRST_DIGESTS_PORT),)))
    host, port = METRICS
    return [*found, ("metrics", (f"{host}:{port}",)), ("page", (page,)), ("socket", (str(network.socket),))]


def _address(plan: NetworkPlan, name: str, first_port: int) -> str:
    return f"127.0.0.1:{first_port + plan.device_id(name) - 1}"

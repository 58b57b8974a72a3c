# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The controller's YAML file for a planned network."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml
from quench.config.model import MAX_NETWORK_HOSTS, MAX_NETWORK_LINKS, MAX_NETWORK_SWITCHES
from quench_switch.outside.files import write_files

from quench_topologies.plan import Endpoint, NetworkPlan, SwitchPlan
from quench_topologies.program import OwnProgram, Program


def controller_config(
    plan: NetworkPlan,
    addresses: Mapping[str, str],
    program: Program | OwnProgram,
    socket: Path,
    metrics: tuple[str, int] | None = None,
) -> dict[str, Any]:
    """The contents of the file; addresses are the switches' P4Runtime servers, HOST:PORT.

    A network that is larger than a picture has room for has no picture.
    """
    return {
        "switches": [_switch(plan, switch, addresses[switch.name], program) for switch in plan.switches],
        "isq": {"mode": plan.isq_mode},
        "socket": str(socket),
        **({"metrics": f"{metrics[0]}:{metrics[1]}"} if metrics is not None else {}),
        **({"network": _network(plan)} if _has_picture(plan) else {}),
    }


def write_controller_config(path: Path, config: Mapping[str, Any]) -> None:
    """Write the file."""
    write_files((path, yaml.safe_dump(dict(config), sort_keys=False)))


def _has_picture(plan: NetworkPlan) -> bool:
    sizes = len(plan.hosts), len(plan.switches), len(plan.links)
    limits = MAX_NETWORK_HOSTS, MAX_NETWORK_SWITCHES, MAX_NETWORK_LINKS
    return all(size <= limit for size, limit in zip(sizes, limits, strict=True))


def _network(plan: NetworkPlan) -> dict[str, Any]:
    """The network as the live page draws it."""
    return {
        "hosts": [host.name for host in plan.hosts],
        "switches": [switch.name for switch in plan.switches],
        "links": [{**_end(plan, "a", link.a), **_end(plan, "b", link.b)} for link in plan.links],
    }


def _end(plan: NetworkPlan, side: str, end: Endpoint) -> dict[str, Any]:
    return {side: end.node, **({} if plan.is_host(end.node) else {f"{side}_port": end.port})}


def _switch(plan: NetworkPlan, switch: SwitchPlan, address: str, program: Program | OwnProgram) -> dict[str, Any]:
    return {
        "name": switch.name,
        "address": address,
        "device_id": plan.device_id(switch.name),
        "pipeline": program.pipeline(),
        "router_address": str(plan.router_address(switch.name)),
        "ports": {
            number: {"rate": f"{port.rate_bps}bps", **program.port(port)}
            for number, port in switch.ports.items()
            if port.queue_profiles
        },
        "routes": [
            {
                "prefix": str(route.prefix),
                "next_hops": [
                    {
                        "port": hop.port,
                        "source_mac": plan.mac(Endpoint(switch.name, hop.port)),
                        "destination_mac": hop.mac,
                    }
                    for hop in route.hops
                ],
            }
            for route in plan.routes(switch)
        ],
        **({"classes": [asdict(each) for each in switch.classes]} if switch.classes else {}),
    }

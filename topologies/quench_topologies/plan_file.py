# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""topology.json of p4lang/tutorials, on Quench's switches.

The file names hosts (ip, mac, commands), switches (runtime_json) and links (node, node, latency in ms, bandwidth in
Mb/s). The switches run quench.p4 instead of an exercise's program: of a runtime_json the IPv4 routes are taken over,
and whatever has no counterpart is refused. A switch without runtime_json gets the routes of the shortest paths.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from ipaddress import AddressValueError, IPv4Interface, IPv4Network, NetmaskValueError
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from quench_switch.outside.files import read_file, read_json

from quench_topologies.errors import NodeError, TopologyError
from quench_topologies.loaded_plan import Bottleneck, LoadedPlan, Place
from quench_topologies.plan import (
    Endpoint,
    HopPlan,
    HostPlan,
    LinkPlan,
    NetworkPlan,
    PortPlan,
    RoutePlan,
    SwitchPlan,
    TcpPlan,
)

_MAC = re.compile(r"[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}")
_SWITCH_END = re.compile(r"(.+)-p([0-9]+)")
_LATENCY = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(us|ms|s)?")
_LATENCY_NS = {"us": 1e3, "ms": 1e6, None: 1e6, "s": 1e9}
_ROUTE_PARAMETERS = {"dstAddr", "port"}
MAX_BYTES = 16 << 20
"""The size of the largest file that is read."""
MAX_LATENCY_NS = 3600e9
MAX_RATE_MBPS = 1e9
CAPACITY_BYTES = 90_000
"""The capacity of a queue with a bandwidth; the file has no key for it."""

Model = TypeVar("Model", bound=BaseModel)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Host(_Strict):
    ip: str
    mac: str | None = None
    commands: tuple[str, ...] = ()


class _Switch(_Strict):
    runtime_json: str | None = None
    cli_input: str | None = None
    program: str | None = None


class _Topology(_Strict):
    hosts: dict[str, _Host]
    switches: dict[str, _Switch]
    links: list[Annotated[list[str | int | float], Field(min_length=2, max_length=4)]]


class _Entry(_Strict):
    table: str
    match: dict[str, Any] = {}
    action_name: str
    action_params: dict[str, Any] = {}
    default_action: bool = False
    priority: int | None = None


class _Runtime(_Strict):
    target: str = "bmv2"
    p4info: str | None = None
    bmv2_json: str | None = None
    table_entries: list[_Entry] = []
    multicast_group_entries: list[Any] = []
    clone_session_entries: list[Any] = []


def load_topology(path: Path, profile: Mapping[str, Any]) -> NetworkPlan:
    """The network of a file. Queues with a bandwidth get the profile. Raises TopologyError: FILE: what, where."""
    topology = _read(path, _Topology)
    root = _folder_of_references(path, topology)
    try:
        hosts = {name: _host(name, host, index) for index, (name, host) in enumerate(topology.hosts.items(), start=1)}
        links, ports = _links(topology, profile)
        uplinks = _uplink_rates(topology)
        plan = NetworkPlan(
            hosts=tuple(_with_uplink(host, uplinks.get(host.name)) for host in hosts.values()),
            switches=tuple(
                SwitchPlan(name, ports[name], _routes(name, switch, root)) for name, switch in topology.switches.items()
            ),
            links=links,
        )
    except TopologyError as error:
        line = _line_of(path, error.node) if isinstance(error, NodeError) else ""
        raise TopologyError(f"{path}: {line}{error}") from error
    return plan


def read_plan(path: Path, profile: Mapping[str, Any], tcp: TcpPlan, flows: int) -> LoadedPlan:
    """The network of a file with flows from the first half of its hosts, in the file's order, to the second half.

    Every queue with the profile that leads to another switch counts as congested. Raises TopologyError.
    """
    plan = replace(load_topology(path, profile), tcp=tcp)
    names = [host.name for host in plan.hosts]
    half = len(names) // 2
    if not half:
        raise TopologyError(f"{path}: hosts: {len(names)}; a network needs two")
    bottlenecks = []
    for switch in plan.switches:
        for number, port in switch.ports.items():
            far = plan.peer(Endpoint(switch.name, number))
            if port.profile is not None and far is not None and not plan.is_host(far.node):
                bottlenecks.append(Bottleneck(switch.name, number, far.node, far.port))
    pairs = tuple(zip(names[:half], names[-half:], strict=True))
    return LoadedPlan(plan, tuple(bottlenecks), (Place(pairs, flows),))


def _read(path: Path, model: type[Model]) -> Model:
    try:
        return model.model_validate(read_json(path, MAX_BYTES))
    except OSError as error:
        raise TopologyError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(str(part) for part in fault["loc"])
        raise TopologyError(f"{path}: {place}: {fault['msg']}") from error
    except ValueError as error:
        raise TopologyError(f"{path}: is not JSON: {error}") from error


def _line_of(path: Path, node: str) -> str:
    """The line in which a file has a node's key, for a message; empty where it is written otherwise."""
    text = read_file(path, MAX_BYTES).decode(errors="replace")
    found = re.search(re.escape(json.dumps(node, ensure_ascii=False)) + r"\s*:", text)
    return "" if found is None else f"line {text.count(chr(10), 0, found.start()) + 1}: "


def _folder_of_references(path: Path, topology: _Topology) -> Path:
    """The tutorials name a runtime_json from the exercise's folder, in which topology.json may lie one level down."""
    names = [switch.runtime_json for switch in topology.switches.values() if switch.runtime_json]
    parent = path.resolve().parent
    for folder in (parent, parent.parent):
        if all((folder / name).is_file() for name in names):
            return folder
    return parent


def _host(name: str, host: _Host, index: int) -> HostPlan:
    try:
        address = IPv4Interface(host.ip)
    except (AddressValueError, NetmaskValueError) as error:
        raise TopologyError(f"hosts.{name}.ip: {error}") from error
    if address.network.prefixlen > 30 and not host.commands:
        raise TopologyError(f"hosts.{name}.ip: {host.ip} leaves no address for a gateway: give a longer subnet")
    mac = host.mac or f"02:00:00:01:{index >> 8:02x}:{index & 0xFF:02x}"
    if not _MAC.fullmatch(mac):
        raise TopologyError(f"hosts.{name}.mac: {mac!r} is not a MAC address")
    return HostPlan(name, address, mac.lower(), commands=host.commands)


def _with_uplink(host: HostPlan, rate_bps: int | None) -> HostPlan:
    return HostPlan(host.name, host.address, host.mac, rate_bps, host.commands)


def _links(
    topology: _Topology, profile: Mapping[str, Any]
) -> tuple[tuple[LinkPlan, ...], dict[str, dict[int, PortPlan]]]:
    ports: dict[str, dict[int, PortPlan]] = {name: {} for name in topology.switches}
    links = []
    for index, words in enumerate(topology.links):
        a, b = (_endpoint(topology, str(word), index) for word in words[:2])
        if a.node in topology.hosts and b.node in topology.hosts:
            raise TopologyError(f"links.{index}: joins two hosts; a host needs a switch")
        delay_ns, rate_bps = _latency_ns(words, index), _rate_bps(words, index)
        # Hosts cannot delay what they send: their switch's port does it for both directions.
        to_host = a.node in topology.hosts or b.node in topology.hosts
        for end in (a, b):
            if end.node in ports:
                ports[end.node][end.port] = PortPlan(
                    rate_bps,
                    CAPACITY_BYTES if rate_bps is not None else None,
                    2 * delay_ns if to_host else delay_ns,
                    profile=profile if rate_bps is not None else None,
                )
        links.append(LinkPlan(a, b))
    return tuple(links), ports


def _endpoint(topology: _Topology, text: str, index: int) -> Endpoint:
    if text in topology.hosts:
        return Endpoint(text)
    match = _SWITCH_END.fullmatch(text)
    if match is None or match[1] not in topology.switches:
        raise TopologyError(f"links.{index}: {text!r} is neither a host nor SWITCH-pPORT of one of the switches")
    port = int(match[2])
    if not 1 <= port <= 255:
        raise TopologyError(f"links.{index}: port {port} of {match[1]}: choose from 1 to 255")
    return Endpoint(match[1], port)


def _latency_ns(words: list[str | int | float], index: int) -> int:
    if len(words) < 3:
        return 0
    match = _LATENCY.fullmatch(str(words[2]).strip())
    if match is None:
        raise TopologyError(f"links.{index}: {words[2]!r} is not a latency in ms, such as 5 or '5ms'")
    latency_ns = float(match[1]) * _LATENCY_NS[match[2]]
    if latency_ns > MAX_LATENCY_NS:
        raise TopologyError(f"links.{index}: a latency of more than {MAX_LATENCY_NS / 1e9:g} s")
    return round(latency_ns)


def _rate_bps(words: list[str | int | float], index: int) -> int | None:
    if len(words) < 4:
        return None
    try:
        rate_mbps = float(words[3])
    except (ValueError, OverflowError) as error:
        raise TopologyError(f"links.{index}: {str(words[3])[:40]!r} is not a bandwidth in Mb/s") from error
    if not 0 < rate_mbps <= MAX_RATE_MBPS:
        raise TopologyError(f"links.{index}: {words[3]!r} is not a bandwidth above 0 and up to {MAX_RATE_MBPS:g} Mb/s")
    return round(rate_mbps * 1e6)


def _uplink_rates(topology: _Topology) -> dict[str, int]:
    return {
        str(word): rate_bps
        for index, words in enumerate(topology.links)
        for word in words[:2]
        if str(word) in topology.hosts and (rate_bps := _rate_bps(words, index)) is not None
    }


def _routes(name: str, switch: _Switch, root: Path) -> tuple[RoutePlan, ...] | None:
    if switch.program is not None or switch.cli_input is not None:
        field = "program" if switch.program is not None else "cli_input"
        raise TopologyError(f"switches.{name}.{field}: not supported: every switch runs quench.p4; use runtime_json")
    if switch.runtime_json is None:
        return None
    runtime = _read(root / switch.runtime_json, _Runtime)
    where = switch.runtime_json
    for field in ("multicast_group_entries", "clone_session_entries"):
        if getattr(runtime, field):
            raise TopologyError(f"{where}: {field}: not supported: the controller has no such entries; take them out")
    routes = (_route(entry, f"{where}: table_entries.{index}") for index, entry in enumerate(runtime.table_entries))
    return tuple(route for route in routes if route is not None)


def _route(entry: _Entry, where: str) -> RoutePlan | None:
    """The route of an entry; None for a default action that drops, which is ours as well. Raises TopologyError."""
    action = entry.action_name.rpartition(".")[2]
    if entry.default_action and action in ("drop", "NoAction"):
        return None
    if entry.table.rpartition(".")[2] != "ipv4_lpm" or action != "ipv4_forward" or entry.default_action:
        raise TopologyError(
            f"{where}: not supported: {entry.action_name} in {entry.table}; only ipv4_forward in ipv4_lpm is taken over"
        )
    matches = list(entry.match.values())
    if len(matches) != 1 or not isinstance(matches[0], list) or len(matches[0]) != 2:
        raise TopologyError(f'{where}: match is not one prefix such as ["10.0.1.0", 24]')
    if set(entry.action_params) != _ROUTE_PARAMETERS:
        raise TopologyError(f"{where}: action_params are not dstAddr and port")
    mac, port = str(entry.action_params["dstAddr"]), entry.action_params["port"]
    if not _MAC.fullmatch(mac) or not isinstance(port, int):
        raise TopologyError(f"{where}: dstAddr is not a MAC address or port not a number")
    try:
        prefix = IPv4Network(f"{matches[0][0]}/{matches[0][1]}", strict=False)
    except ValueError as error:
        raise TopologyError(f"{where}: {error}") from error
    return RoutePlan(prefix, (HopPlan(port, mac.lower()),))

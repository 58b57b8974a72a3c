# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``quench.port.v1.Ports``: queues and links of the ports, beside P4Runtime on the same gRPC server.

P4Runtime does not cover what a traffic manager does. The messages are ``google.protobuf.Struct``, so that
any gRPC client can speak it without generated code:

* ``Set {port, <options>}`` changes the named options of a port (see ``PortOptions``), answers like ``Get``;
* ``Get {port?}`` answers ``{ports: [{port, <options>, <statistics>}]}``, all ports if none is named;
* ``ResetStats {port?}`` restarts the statistics of ports and queues;
* ``Stats {}`` answers machine-wide counts, ``{switch: {...}, controller: {...}}``;
* ``Primary {role?}`` answers ``{device_id, election_id?}`` of the role's primary controller.

Only the primary may call ``Set`` and ``ResetStats``, as P4Runtime's ``Write``. They take ``device_id``, ``role`` and
``election_id``. While there is no primary at all these may be left out. docs/trust-model.md says why.

Identifiers travel as decimal strings, for election ids have 128 bits. Other numbers travel as IEEE doubles: exact
up to 2^53. Fields about single queues (``weights``, ``queue_capacity_bytes``, ``queue_capacity_pkts``,
``queue_rate_pps``) are a Struct by queue number, written in decimal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from google.protobuf import json_format, struct_pb2

from quench_switch.errors import DataPlaneError
from quench_switch.outside.units import UnitError
from quench_switch.p4runtime.arbitration import Arbitration
from quench_switch.p4runtime.calls import Turns, parse, unary
from quench_switch.p4runtime.errors import RequestError, invalid
from quench_switch.p4runtime.limits import SMALL_REQUEST_BYTES, SMALL_TURNS
from quench_switch.p4runtime.values import MAX_PORT
from quench_switch.port_options import parse_queue

if TYPE_CHECKING:
    from quench_switch._native import PortOptions, RealtimeSwitch
    from quench_switch.p4runtime.grpc_server import GrpcServer, Method

SERVICE: Final = "quench.port.v1.Ports"

_INTEGERS: Final = ("rate_bps", "rate_pps", "capacity_pkts", "capacity_bytes", "queues", "delay_ns")
_INTEGERS_BY_QUEUE: Final = ("queue_capacity_pkts", "queue_capacity_bytes", "queue_rate_pps")
BY_QUEUE: Final = (*_INTEGERS_BY_QUEUE, "weights")
"""Options and statistics of single queues."""
MAX_IDENTIFIER_DIGITS: Final = 39
"""The largest number of digits: that of a 128-bit number."""
_OPTIONS: Final = (*_INTEGERS, *BY_QUEUE, "scheduler", "loss", "hold", "overhead_bytes")


def _fields(data: bytes) -> dict[str, Any]:
    """The values of a request. Raises INVALID_ARGUMENT, also for numbers that JSON does not have."""
    request = parse(struct_pb2.Struct, data)
    try:
        return json_format.MessageToDict(request)
    except ValueError as error:
        raise invalid(f"the request has a number that is not finite: {error}") from None


def _whole(fields: Mapping[str, Any], name: str, least: int = 0) -> int:
    value = fields[name]
    if isinstance(value, bool) or not isinstance(value, float) or not value.is_integer() or not least <= value < 2**53:
        raise invalid(f"{name} is not a whole number")
    return int(value)


def _by_queue(fields: Mapping[str, Any], name: str) -> dict[int, Any]:
    given = fields[name]
    if not isinstance(given, dict):
        raise invalid(f"{name} is not a struct of queue numbers")
    try:
        queues = {parse_queue(queue): value for queue, value in given.items()}
    except UnitError as error:
        raise invalid(f"{name}: queue {error}") from None
    for queue, value in queues.items():
        if isinstance(value, bool) or not isinstance(value, float):
            raise invalid(f"{name}: queue {queue}: not a number")
    if name in _INTEGERS_BY_QUEUE:
        return {queue: _whole({name: value}, name) for queue, value in queues.items()}
    return queues


def _options(fields: Mapping[str, Any]) -> PortOptions:
    options: PortOptions = {}
    for name in fields:
        if name == "port":
            continue
        if name not in _OPTIONS:
            raise invalid(f"unknown option {name!r}: there are {', '.join(_OPTIONS)}")
        if name == "hold":
            if not isinstance(fields[name], bool):
                raise invalid("hold is not true or false")
            options["hold"] = fields[name]
        elif name == "loss":
            loss = fields[name]
            if isinstance(loss, bool) or not isinstance(loss, float) or not (0 <= loss <= 1) or math.isnan(loss):
                raise invalid("loss is not a probability from 0 to 1")
            options["loss"] = loss
        elif name == "scheduler":
            if not isinstance(fields[name], str):
                raise invalid("scheduler is not a name")
            options["scheduler"] = fields[name]
        elif name == "overhead_bytes":
            options["overhead_bytes"] = _whole(fields, name, least=-(2**31))
        elif name in BY_QUEUE:
            options[name] = _by_queue(fields, name)  # type: ignore[literal-required]
        else:
            options[name] = _whole(fields, name)  # type: ignore[literal-required]
    return options


_CLAIM: Final = ("device_id", "role", "election_id")
"""Fields that say in whose name a request changes something."""


def _identifier(fields: Mapping[str, Any], name: str, bits: int) -> int | None:
    """A number that a double may not hold; None if it is not given."""
    if name not in fields:
        return None
    value = fields[name]
    if isinstance(value, str) and len(value) <= MAX_IDENTIFIER_DIGITS and value.isascii() and value.isdigit():
        number = int(value)
        if number < 1 << bits:
            return number
    elif not isinstance(value, str):
        return _whole(fields, name)
    raise invalid(f"{name} is not a decimal number of {bits} bits")


def _role(fields: Mapping[str, Any]) -> str:
    role = fields.get("role", "")
    if not isinstance(role, str):
        raise invalid("role is not a name")
    return role


class PortsServer:
    """The service for one switch."""

    def __init__(self, switch: RealtimeSwitch, controller_counts: Mapping[str, int], arbitration: Arbitration) -> None:
        self._switch = switch
        self._controller_counts = controller_counts
        self._arbitration = arbitration
        self._turns = Turns(SMALL_TURNS)

    def register(self, server: GrpcServer) -> None:
        """Add the service to a gRPC server."""
        methods = {
            "Set": self._set,
            "Get": self._get,
            "ResetStats": self._reset_stats,
            "Stats": self._stats,
            "Primary": self._primary,
        }
        server.add(SERVICE, {name: self._handler(method) for name, method in methods.items()})

    def _handler(self, method: Callable[[dict[str, Any]], dict[str, Any]]) -> Method:
        async def handle(data: bytes) -> struct_pb2.Struct:
            try:
                answer = method(_fields(data))
            except DataPlaneError as error:
                raise RequestError.of_data_plane(error) from error
            response = struct_pb2.Struct()
            response.update(answer)
            return response

        return unary(self._turns, SMALL_REQUEST_BYTES, handle)

    def _port(self, fields: Mapping[str, Any]) -> int:
        if "port" not in fields:
            raise invalid("the request names no port")
        port = _whole(fields, "port")
        if port > MAX_PORT:
            raise invalid(f"port {port}: ports are 0 to {MAX_PORT}")
        return port

    def _selected(self, fields: Mapping[str, Any]) -> list[int]:
        unknown = set(fields) - {"port"}
        if unknown:
            raise invalid(f"unknown field {min(unknown)!r}: the request takes only port")
        return [self._port(fields)] if "port" in fields else sorted(self._switch.ports())

    def _report(self, ports: list[int]) -> dict[str, Any]:
        return {"ports": [to_struct({"port": port, **self._switch.port_get(port)}) for port in ports]}

    def _take_claim(self, fields: dict[str, Any]) -> None:
        """Refuse a change that is not the primary's, and remove the identification from the fields."""
        claim: dict[str, Any] = {name: fields.pop(name) for name in _CLAIM if name in fields}
        device_id = _identifier(claim, "device_id", 64)
        if device_id is not None:
            self._arbitration.check_device(device_id)
        self._arbitration.check_owner(_role(claim), _identifier(claim, "election_id", 128))

    def _set(self, fields: dict[str, Any]) -> dict[str, Any]:
        self._take_claim(fields)
        port = self._port(fields)
        self._switch.port_set(port, _options(fields))
        return self._report([port])

    def _get(self, fields: dict[str, Any]) -> dict[str, Any]:
        return self._report(self._selected(fields))

    def _reset_stats(self, fields: dict[str, Any]) -> dict[str, Any]:
        self._take_claim(fields)
        for port in self._selected(fields):
            self._switch.port_reset_stats(port)
        return {}

    def _stats(self, fields: dict[str, Any]) -> dict[str, Any]:
        if fields:
            raise invalid("the request takes no fields")
        return {"switch": self._switch.stats(), "controller": dict(self._controller_counts)}

    def _primary(self, fields: dict[str, Any]) -> dict[str, Any]:
        if set(fields) - {"role"}:
            raise invalid("the request takes only role")
        answer = {"device_id": str(self._arbitration.device_id)}
        election_id = self._arbitration.primary_id(_role(fields))
        if election_id is not None:
            answer["election_id"] = str(election_id)
        return answer


def to_struct(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Struct knows only strings as keys."""
    return {
        name: {str(key): item for key, item in value.items()} if isinstance(value, Mapping) else value
        for name, value in fields.items()
    }

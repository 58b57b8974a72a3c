# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A client of ``quench.port.v1.Ports``, which ``ports.py`` describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Self, Unpack

import grpc
from google.protobuf import json_format, struct_pb2

from quench_switch.p4runtime.address import options_of
from quench_switch.p4runtime.errors import cut
from quench_switch.ports import BY_QUEUE, SERVICE, to_struct

if TYPE_CHECKING:
    from quench_switch._native import PortOptions

_REAL: Final = ("loss", "weights", "queue_mean_pkts", "queue_sd_pkts", "queue_mean_bytes", "queue_sd_bytes")
_REAL_OF_QUEUE: Final = ("mean_pkts", "sd_pkts", "mean_bytes", "sd_bytes")


class PortsError(RuntimeError):
    """The switch refused a request or is not there; the message says why."""


class PortsClient:
    """Blocking client of the service, usable as a context manager."""

    def __init__(
        self,
        address: str,
        timeout_s: float = 5.0,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        election_id: int | None = None,
    ) -> None:
        """``credentials``: of TLS, as :func:`grpc.ssl_channel_credentials` makes them; without, the text is plain.

        ``election_id``: of the primary in whose name ports are changed. Without, the switch is asked for its primary's.
        """
        self._address = address
        self._timeout_s = timeout_s
        self._election_id = election_id
        if credentials is None:
            self._channel = grpc.insecure_channel(address, options_of(address))
        else:
            self._channel = grpc.secure_channel(address, credentials, options_of(address))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._channel.close()

    def _call(self, method: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        request = struct_pb2.Struct()
        request.update(dict(fields))
        call = self._channel.unary_unary(
            f"/{SERVICE}/{method}",
            request_serializer=struct_pb2.Struct.SerializeToString,
            response_deserializer=struct_pb2.Struct.FromString,
        )
        try:
            response = call(request, timeout=self._timeout_s, wait_for_ready=True)
        except grpc.RpcError as error:
            # Every RpcError that a call raises is also its Call; grpcio types only the former.
            details = getattr(error, "details", str)()
            raise PortsError(f"{self._address}: {cut(details)}") from error
        try:
            return json_format.MessageToDict(response)
        except (AttributeError, ValueError):
            raise self._is_no_answer(method) from None

    def set(self, port: int, **options: Unpack[PortOptions]) -> dict[str, Any]:
        """Change the named options of a port; answers its new state."""
        return self._one_port("Set", to_struct({**self._claim(), "port": port, **options}))

    def get(self, port: int) -> dict[str, Any]:
        """Options and statistics of a port, see ``port_get`` of the data plane."""
        return self._one_port("Get", {"port": port})

    def get_all(self) -> list[dict[str, Any]]:
        """Options and statistics of all ports."""
        return self._ports("Get", {})

    def reset_stats(self, port: int | None = None) -> None:
        """Restart the statistics of a port and of its queues, or of all."""
        self._call("ResetStats", {**self._claim(), **({} if port is None else {"port": port})})

    def stats(self) -> dict[str, dict[str, int]]:
        """Machine-wide counts: of the data plane (``switch``) and of P4Runtime (``controller``)."""
        answer = self._call("Stats", {})
        if not all(isinstance(counts, dict) for counts in answer.values()):
            raise self._is_no_answer("Stats")
        return {part: _integers(counts) for part, counts in answer.items()}

    def _claim(self) -> dict[str, str]:
        if self._election_id is not None:
            return {"election_id": str(self._election_id)}
        return {name: value for name, value in self._call("Primary", {}).items() if name == "election_id"}

    def _ports(self, method: str, fields: Mapping[str, Any]) -> list[dict[str, Any]]:
        states = self._call(method, fields).get("ports")
        if not isinstance(states, list) or not all(isinstance(state, dict) for state in states):
            raise self._is_no_answer(method)
        try:
            return [_integers(state) for state in states]
        except ValueError:
            raise self._is_no_answer(method) from None

    def _one_port(self, method: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        states = self._ports(method, fields)
        if len(states) != 1:
            raise self._is_no_answer(method)
        return states[0]

    def _is_no_answer(self, method: str) -> PortsError:
        return PortsError(f"{self._address}: what it sends is no answer to {method}")


def _integers(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Whole numbers as ``int`` again, also those of queues; Struct knows doubles and strings only."""

    def restore(name: str, value: Any) -> Any:
        if isinstance(value, list):
            return [restore(name, item) for item in value]
        if isinstance(value, dict):
            by_queue = name in BY_QUEUE
            return {
                int(key) if by_queue else key: restore(name if by_queue else key, item) for key, item in value.items()
            }
        if isinstance(value, float) and value.is_integer() and name not in (*_REAL, *_REAL_OF_QUEUE):
            return int(value)
        return value

    return {name: restore(name, value) for name, value in fields.items()}

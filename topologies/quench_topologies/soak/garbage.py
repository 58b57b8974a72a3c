# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Malformed requests, from a seed."""

import contextlib
import json
import random
import socket
from pathlib import Path
from typing import Any

import grpc
from finsy.proto import p4r
from quench.service.protocol import ControlClient

from quench_topologies.errors import TopologyError
from quench_topologies.soak.wires import PREFACE

CLIENTS = 32
AT_ONCE = 8
"""Clients at the controller's socket, which takes only so many."""
TIMEOUT_S = 2.0
MAX_BYTES = 100_000
_SERVICE = "/p4.v1.P4Runtime/"
_METHODS = ("Write", "Read", "SetForwardingPipelineConfig", "GetForwardingPipelineConfig", "Capabilities", "Nonsense")
_SOCKET_METHODS = ("ping", "stats", "thresholds.show", "thresholds.set", "isq.show", "isq.set", "reports", "nonsense")
_VALUES: tuple[Any, ...] = (None, True, -1, 1e308, "", "s1", "\u0000", [], {}, [[]], {"a": {}}, 2**70, "x" * 1000)


def throw_at_socket(path: Path, draw: random.Random) -> None:
    """Half lines, bytes and requests that make no sense. Raises TopologyError for a whole line without an answer.

    Raises ControllerError if an honest request among them is refused.
    """
    for _ in range(CLIENTS // AT_ONCE):
        with contextlib.ExitStack() as stack:
            for _ in range(AT_ONCE):
                client = stack.enter_context(socket.socket(socket.AF_UNIX))
                client.settimeout(TIMEOUT_S)
                client.connect(str(path))
                _misbehave(client, draw)
            ControlClient(path, TIMEOUT_S).call("ping")


def _misbehave(client: socket.socket, draw: random.Random) -> None:
    if draw.random() < 0.5:
        # The controller may hang up before all is sent.
        with contextlib.suppress(OSError):
            client.sendall(no_line(draw))
        return
    line = bad_request(draw)
    client.sendall(line)
    if not _answered(client):
        raise TopologyError(f"no answer at the controller's socket to {line[:200].decode()!r}")


def _answered(client: socket.socket) -> bool:
    try:
        return bool(client.recv(1 << 16))
    except OSError:
        return False


def no_line(draw: random.Random) -> bytes:
    """Bytes without the end of a line."""
    if draw.random() < 0.5:
        return draw.randbytes(draw.randrange(MAX_BYTES)).replace(b"\n", b"")
    return b'{"method": "ping", "params": ' + b"[" * draw.randrange(5000)


def bad_request(draw: random.Random) -> bytes:
    """A line that the controller has to answer."""
    names = ("switch", "port", "queue", "settings", "mode", "after", "rate", "nonsense")
    params = {draw.choice(names): draw.choice(_VALUES) for _ in range(draw.randrange(5))}
    request = draw.choice(({"method": draw.choice(_SOCKET_METHODS), "params": params}, params, [params], None))
    return json.dumps(request).encode() + b"\n"


def throw_at_p4runtime(address: str, draw: random.Random) -> None:
    """Bytes, broken HTTP/2, and broken protobuf to every method, beside the controller's session."""
    host, _, port = address.rpartition(":")
    for _ in range(CLIENTS):
        with contextlib.suppress(OSError), socket.create_connection((host, int(port)), TIMEOUT_S) as client:
            beginning = PREFACE if draw.random() < 0.5 else b""
            client.sendall(beginning + draw.randbytes(draw.randrange(MAX_BYTES)))
    with grpc.insecure_channel(address) as channel:
        for _ in range(CLIENTS):
            message = _protobuf(draw)
            with contextlib.suppress(grpc.RpcError):
                call: Any = channel.unary_unary(_SERVICE + draw.choice(_METHODS))
                call(message, timeout=TIMEOUT_S, wait_for_ready=True)
        with contextlib.suppress(grpc.RpcError):
            stream: Any = channel.stream_stream(_SERVICE + "StreamChannel")
            list(stream(iter([_protobuf(draw) for _ in range(CLIENTS)]), timeout=TIMEOUT_S))


def _protobuf(draw: random.Random) -> bytes:
    """A message as a controller writes it, with some of its bytes changed. It is no primary's."""
    request = p4r.WriteRequest(device_id=draw.randrange(3))
    request.election_id.low = draw.randrange(1, 3)
    for _ in range(draw.randrange(8)):
        entry = request.updates.add(type=p4r.Update.INSERT).entity.table_entry
        entry.table_id = draw.getrandbits(32)
        entry.match.add(field_id=draw.getrandbits(32)).lpm.value = draw.randbytes(draw.randrange(64))
    data = bytearray(request.SerializeToString())
    for _ in range(draw.randrange(4)):
        data[draw.randrange(len(data))] = draw.randrange(256)
    return bytes(data)

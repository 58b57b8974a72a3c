# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile clients of each protocol that Quench serves: they send anything, read nothing, and come and go.

The fault campaign has them beside its traffic (``readers``), and a fuzzer at full speed
(``topologies/tests/soak/fuzz_listeners.py``).
"""

import contextlib
import json
import random
import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, cast

import grpc
from finsy.proto import p4r

from quench_topologies.soak import garbage, wires

TIMEOUT_S = 2.0
"""The time for each step of an attack, and for the answer to an honest question."""
MOST_CLIENTS = 3
"""The number of clients of one protocol at one place, at once: fewer than fill any limit, so that honest clients have
room."""
_CHANNEL = (("grpc.use_local_subchannel_pool", 1),)
"""Without it a new channel inherits the pause that the last one makes after a failure."""
_FAILURES = (OSError, grpc.RpcError, ValueError)
"""The errors of an answer that does not come, or is none. A call on a channel that was closed is a ValueError."""


class Listener(ABC):
    """A place where a process listens, and what hostile clients do there."""

    protocol: ClassVar[str]

    def __init__(self, address: str) -> None:
        """``address``: HOST:PORT, or the path of a socket."""
        self.address = address

    def attack(self, draw: random.Random, hold_s: float) -> None:
        """One of the protocol's attacks, by up to MOST_CLIENTS that stay so long.

        If nobody listens, nothing happens.
        """
        with contextlib.suppress(*_FAILURES):
            self._attack(draw, hold_s)

    def answers(self) -> bool:
        """Whether an honest question is answered."""
        try:
            return self._ask()
        except _FAILURES:
            return False

    @abstractmethod
    def _attack(self, draw: random.Random, hold_s: float) -> None:
        """Raises _FAILURES."""

    @abstractmethod
    def _ask(self) -> bool:
        """Raises _FAILURES."""

    def _connect(self) -> socket.socket:
        host, _, port = self.address.rpartition(":")
        return socket.create_connection((host, int(port)), TIMEOUT_S)

    def _send_to_all(self, draw: random.Random, pieces: list[bytes], hold_s: float) -> None:
        """Each client sends its piece, reads a little or nothing, and leaves with a reset or in order."""
        with contextlib.ExitStack() as stack:
            for piece in pieces:
                client = stack.enter_context(self._connect())
                client.settimeout(TIMEOUT_S)
                # The server may hang up before all is sent.
                with contextlib.suppress(OSError):
                    client.sendall(piece)
                if draw.random() < 0.3:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, wires.RESET_ON_CLOSE)
            time.sleep(hold_s)

    def _question(self, question: bytes, answer: bytes) -> bool:
        """Whether an answer to this question begins so."""
        with self._connect() as client:
            client.settimeout(TIMEOUT_S)
            client.sendall(question)
            got = b""
            while len(got) < len(answer) and (more := client.recv(1 << 12)):
                got += more
            return got.startswith(answer)


class _Grpc(Listener):
    """A service of the switch's gRPC server."""

    @contextmanager
    def _channel(self) -> Iterator[grpc.Channel]:
        with grpc.insecure_channel(self.address, _CHANNEL) as channel:
            yield channel

    def _below(self, draw: random.Random, path: str, hold_s: float) -> None:
        """HTTP/2 by hand: calls that are half sent, and frames with wrong bytes."""
        pieces = []
        for _ in range(draw.randint(1, MOST_CLIENTS)):
            piece = wires.half_call(path.encode(), draw.randrange(1 << 20), draw.randbytes(draw.randrange(64)))
            pieces.append(wires.mutated(draw, piece) if draw.random() < 0.5 else piece)
        self._send_to_all(draw, pieces, hold_s)


class P4Runtime(_Grpc):
    """Reads of everything that nobody fetches, calls that are half sent, streams of wrong messages, and bytes."""

    protocol = "P4Runtime"
    _SERVICE = "/p4.v1.P4Runtime/"

    def __init__(self, address: str, device_id: int) -> None:
        super().__init__(address)
        self._device_id = device_id

    def _attack(self, draw: random.Random, hold_s: float) -> None:
        kind = draw.randrange(4)
        if kind == 0:
            self._read_without_fetching(draw, hold_s)
        elif kind == 1:
            self._below(draw, self._SERVICE + draw.choice(("Write", "Read", "StreamChannel")), hold_s)
        elif kind == 2:
            self._stream(draw, hold_s)
        else:
            size = draw.randrange(garbage.MAX_BYTES)
            self._send_to_all(draw, [wires.PREFACE * draw.randrange(2) + draw.randbytes(size)], hold_s)

    def _read_without_fetching(self, draw: random.Random, hold_s: float) -> None:
        request = _everything(self._device_id).SerializeToString()
        with self._channel() as channel:
            read = cast("Any", channel.unary_stream(self._SERVICE + "Read"))
            calls = [read(request, timeout=TIMEOUT_S + hold_s) for _ in range(draw.randint(1, MOST_CLIENTS))]
            time.sleep(hold_s)
            if draw.random() < 0.2:
                # One that fetches late.
                for _ in calls[0]:
                    pass
            for call in calls:
                call.cancel()

    def _stream(self, draw: random.Random, hold_s: float) -> None:
        """Whatever parses as a message is no primary's: its election id is 0 or one that is taken."""
        messages = [wires.mutated(draw, _stream_message(draw, self._device_id)) for _ in range(draw.randrange(1, 20))]
        with self._channel() as channel:
            stream = cast("Any", channel.stream_stream(self._SERVICE + "StreamChannel"))
            call = stream(iter(messages), timeout=TIMEOUT_S)
            time.sleep(hold_s)
            for _ in call if draw.random() < 0.5 else ():
                pass
            call.cancel()

    def _ask(self) -> bool:
        with self._channel() as channel:
            ask = cast("Any", channel.unary_unary(self._SERVICE + "Capabilities"))
            return bool(ask(b"", timeout=TIMEOUT_S))


class Traces(_Grpc):
    """Clients that ask for traces and take none, with wrong requests among them."""

    protocol = "traces"
    _METHOD = "/quench.trace.v1.PacketTraces/Trace"
    _ONE_PACKET = b"\x10\x01"

    def _attack(self, draw: random.Random, hold_s: float) -> None:
        if draw.random() < 0.3:
            self._below(draw, self._METHOD, hold_s)
            return
        requests = [b"", self._ONE_PACKET, b"\x18\x80\x80\x10", draw.randbytes(draw.randrange(40))]
        with self._channel() as channel:
            trace = cast("Any", channel.unary_stream(self._METHOD))
            for _ in range(draw.randint(1, MOST_CLIENTS)):
                trace(draw.choice(requests), timeout=TIMEOUT_S + hold_s)
            time.sleep(hold_s)
            # The channel's end cancels all of them.

    def _ask(self) -> bool:
        with self._channel() as channel:
            trace = cast("Any", channel.unary_stream(self._METHOD))
            call = trace(self._ONE_PACKET, timeout=TIMEOUT_S)
            # The first answer is empty, and comes without a packet.
            began = next(call) is not None
            call.cancel()
            return began


class Thrift(Listener):
    """Large reads that nobody takes, lengths that lie, halves of calls, and bytes."""

    protocol = "Thrift"

    def _attack(self, draw: random.Random, hold_s: float) -> None:
        pieces = []
        for _ in range(draw.randint(1, MOST_CLIENTS)):
            piece = wires.thrift_calls(draw)
            pieces.append(wires.mutated(draw, piece) if draw.random() < 0.5 else piece)
        self._send_to_all(draw, pieces, hold_s)

    def _ask(self) -> bool:
        return self._question(wires.thrift_call("standard:bm_mgmt_get_info"), wires.THRIFT_REPLY)


class Digests(Listener):
    """Greetings that are wrong or half, subscribers that read nothing and send what none may, and silence."""

    protocol = "digests"

    def _attack(self, draw: random.Random, hold_s: float) -> None:
        pieces = []
        for _ in range(draw.randint(1, MOST_CLIENTS)):
            piece = wires.SUBSCRIBER[: draw.randrange(9)] + draw.randbytes(draw.choice((0, 1, 5000)))
            pieces.append(wires.mutated(draw, piece) if draw.random() < 0.5 else piece)
        self._send_to_all(draw, pieces, hold_s)

    def _ask(self) -> bool:
        return self._question(wires.SUBSCRIBER, wires.PUBLISHER)


class Http(Listener):
    """Half heads, garbage, bodies that never come, and connections that say nothing."""

    path: ClassVar[str]

    def _attack(self, draw: random.Random, hold_s: float) -> None:
        pieces = []
        for _ in range(draw.randint(1, MOST_CLIENTS)):
            piece = wires.http_request(draw, self.address, self.path)
            pieces.append(wires.mutated(draw, piece) if draw.random() < 0.5 else piece)
        self._send_to_all(draw, pieces, hold_s)

    def _ask(self) -> bool:
        question = f"GET {self.path} HTTP/1.1\r\nHost: {self.address}\r\nConnection: close\r\n\r\n"
        return self._question(question.encode(), b"HTTP/1.1 200 ")


class Metrics(Http):
    """The controller's metrics."""

    protocol = "metrics"
    path = "/metrics"


class Page(Http):
    """The page of ``quench live``."""

    protocol = "page"
    path = "/forms"


class ControlSocket(Listener):
    """Half lines, bytes and bad requests at the controller's socket."""

    protocol = "socket"

    def _connect(self) -> socket.socket:
        client = socket.socket(socket.AF_UNIX)
        try:
            client.settimeout(TIMEOUT_S)
            client.connect(self.address)
        except BaseException:
            client.close()
            raise
        return client

    def _attack(self, draw: random.Random, hold_s: float) -> None:
        pieces = []
        for _ in range(draw.randint(1, MOST_CLIENTS)):
            piece = garbage.bad_request(draw) if draw.random() < 0.5 else garbage.no_line(draw)
            pieces.append(wires.mutated(draw, piece) if draw.random() < 0.3 else piece)
        self._send_to_all(draw, pieces, hold_s)

    def _ask(self) -> bool:
        return self._question(json.dumps({"method": "ping"}).encode() + b"\n", b'{"result"')


PROTOCOLS: tuple[type[Listener], ...] = (P4Runtime, Thrift, Traces, Digests, Page, Metrics, ControlSocket)


def _everything(device_id: int) -> p4r.ReadRequest:
    """A read of all entities of all kinds."""
    request = p4r.ReadRequest(device_id=device_id)
    for kind in (
        "table_entry",
        "action_profile_member",
        "action_profile_group",
        "counter_entry",
        "meter_entry",
        "register_entry",
        "value_set_entry",
        "digest_entry",
    ):
        getattr(request.entities.add(), kind).SetInParent()
    request.entities.add().direct_counter_entry.table_entry.SetInParent()
    request.entities.add().direct_meter_entry.table_entry.SetInParent()
    request.entities.add().packet_replication_engine_entry.multicast_group_entry.SetInParent()
    request.entities.add().packet_replication_engine_entry.clone_session_entry.SetInParent()
    return request


def _stream_message(draw: random.Random, device_id: int) -> bytes:
    message = p4r.StreamMessageRequest()
    kind = draw.randrange(3)
    if kind == 0:
        message.arbitration.device_id = draw.choice((device_id, 0, 2**64 - 1))
        message.arbitration.role.name = "x" * draw.choice((0, 1, 300))
    elif kind == 1:
        message.packet.payload = draw.randbytes(draw.randrange(1600))
        message.packet.metadata.add(metadata_id=draw.getrandbits(32), value=draw.randbytes(4))
    else:
        message.digest_ack.list_id = draw.getrandbits(64)
        message.digest_ack.digest_id = draw.getrandbits(32)
    return message.SerializeToString()

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Below P4Runtime: HTTP/2 frames that never become a request (RFC 9113, RFC 7541)."""

import contextlib
import logging
import os
import random
import socket
import struct
import sys
import time
from pathlib import Path

import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import U128, p4r
from quench_switch.p4runtime import limits
from quench_switch.p4runtime import server as p4runtime_server

sys.path.insert(0, str(Path(__file__).parent))

from test_limits import MOST_BYTES, PATIENCE_S, Memory

_log = logging.getLogger(__name__)

DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 8, 9
ACK, END_HEADERS = 1, 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
FRAME_BYTES = 16_384


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def number(value, bits):
    """An integer of HPACK, of which the first byte has so many bits."""
    most = (1 << bits) - 1
    if value < most:
        return bytes([value])
    encoded, value = [most], value - most
    while value >= 128:
        encoded.append(value & 127 | 128)
        value >>= 7
    return bytes([*encoded, value])


def field(name, value, first=0):
    """A literal; ``first`` is 0x40 for one that enters the dynamic table."""
    return bytes([first]) + number(len(name), 7) + name + number(len(value), 7) + value


def request_headers(path):
    """The headers of a call of gRPC."""
    fields = {b":method": b"POST", b":scheme": b"http", b":path": path, b":authority": b"x", b"te": b"trailers"}
    return b"".join(field(*each) for each in (fields | {b"content-type": b"application/grpc"}).items())


REQUEST = request_headers(b"/p4.v1.P4Runtime/Capabilities")
TINY = field(b"a", b"b")
FLOODS = {
    "tiny fields": (REQUEST, TINY * (FRAME_BYTES // len(TINY))),
    "long fields": (REQUEST, field(b"a", b"b" * 1000) * 15),
    "names for the table": (REQUEST, b"".join(field(b"n%d" % place, b"v", 0x40) for place in range(1500))),
    "a string without end": (REQUEST + b"\0" + number(2**31 - 1, 7), bytes(FRAME_BYTES)),
    "strings of 1 MiB": (REQUEST + b"\0" + number(1, 7) + b"a" + number(1 << 20, 7), b"x" * FRAME_BYTES),
}


def open_connection(address, *, acknowledge):
    host, port = address.split(":")
    sock = socket.create_connection((host, int(port)), PATIENCE_S)
    sock.sendall(PREFACE + frame(SETTINGS, 0, 0))
    if acknowledge:
        sock.recv(1)
        sock.sendall(frame(SETTINGS, ACK, 0))
    return sock


def is_closed_within(sock, seconds):
    """Whether the switch ends a connection."""
    sock.settimeout(seconds)
    try:
        while sock.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


@pytest.fixture
def victim(start, connect, record_property):
    """A switch; after the attack another client is served, and memory is below the limit."""
    process, address = start("--no-p4", "--log-level", "info")
    memory = Memory(process.pid)
    yield address
    added = memory.added_bytes()
    stream = connect(address).stream()
    stream.arbitrate(1)
    assert stream.receive("arbitration")
    process.terminate()
    _, log = process.communicate(timeout=PATIENCE_S)
    assert len(log.splitlines()) < 20, "no peer may fill the disk"
    record_property("peak_over_idle_mib", round(added / 2**20, 1))
    assert added < MOST_BYTES


def flood(socks, data, seconds):
    """Send to all as fast as it goes; those that the switch closes are left out."""
    end = time.monotonic() + seconds
    for sock in socks:
        sock.settimeout(1)
    while socks and time.monotonic() < end:
        for sock in list(socks):
            try:
                sock.sendall(data)
            except OSError:
                sock.close()
                socks.remove(sock)
    for sock in socks:
        sock.close()


@pytest.mark.parametrize("kind", FLOODS)
def test_continuation_frames(victim, kind):
    """The limit on metadata holds, even if a client never acknowledges the settings."""
    first, rest = FLOODS[kind]
    socks = [open_connection(victim, acknowledge=False) for _ in range(16)]
    for sock in socks:
        sock.sendall(frame(HEADERS, 0, 1, first))
    flood(socks, frame(CONTINUATION, 0, 1, rest) * 8, 1)


def test_a_client_that_makes_no_call_is_disconnected(victim):
    with open_connection(victim, acknowledge=True) as silent, open_connection(victim, acknowledge=True) as half:
        half.sendall(frame(HEADERS, 0, 1, REQUEST))
        assert is_closed_within(silent, limits.FIRST_CALL_MS / 1000 * 4)
        assert is_closed_within(half, limits.FIRST_CALL_MS / 1000 * 4)


REQUESTS = {
    "reset at once": b"".join(
        frame(HEADERS, END_HEADERS, stream, REQUEST) + frame(RST_STREAM, 0, stream, bytes(4))
        for stream in range(1, 401, 2)
    ),
    "pings": frame(PING, 0, 0, bytes(8)) * 2000,
    "settings": frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 1)) * 2000,
    "windows": frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1)) * 2000,
    "unknown frames": frame(0x77, 0xFF, 5, bytes(FRAME_BYTES)) * 16,
}


@pytest.mark.parametrize("kind", REQUESTS)
def test_a_flood_of_frames(victim, kind):
    flood([open_connection(victim, acknowledge=True) for _ in range(16)], REQUESTS[kind], 1)


def test_calls_that_end_and_are_reset_at_once(victim):
    """The threads of HTTP/2 and of the interpreter may not wait for each other."""

    def calls(numbers, *, reset):
        head = request_headers(b"/no.such/method")
        heads = [(stream, frame(HEADERS, END_HEADERS, stream, head)) for stream in numbers]
        return b"".join(each + reset * frame(RST_STREAM, 0, stream, bytes(4)) for stream, each in heads)

    for number in range(100):
        with open_connection(victim, acknowledge=True) as sock, contextlib.suppress(OSError):
            sock.settimeout(0.02)
            sock.sendall(calls(range(1, 61, 2), reset=0))
            time.sleep(number % 5 / 1000)
            sock.sendall(calls(range(101, 161, 2), reset=1))
            while sock.recv(1 << 16):
                pass


def test_small_frames_that_nobody_reads_take_what_they_hold(victim):
    """HTTP/2 keeps each frame in the buffer that it came in: others' frames make this a large one."""
    write = frame(HEADERS, END_HEADERS, 1, request_headers(b"/p4.v1.P4Runtime/Write"))
    message = frame(DATA, 0, 1, bytes(1) + struct.pack(">I", limits.MESSAGE_BYTES - 1))
    socks = [open_connection(victim, acknowledge=True) for _ in range(16)]
    for sock in socks:
        sock.sendall(write + message)
    flood(socks, (frame(DATA, 0, 1, b"x") + frame(0x77, 0, 0, bytes(FRAME_BYTES))) * 20, 2)


def call_of(path, stream, *messages):
    """A whole call."""
    data = b"".join(bytes(1) + struct.pack(">I", len(message)) + message for message in messages)
    pieces = [data[place : place + FRAME_BYTES] for place in range(0, len(data), FRAME_BYTES)]
    frames = [frame(DATA, piece is pieces[-1], stream, piece) for piece in pieces]
    return frame(HEADERS, END_HEADERS, stream, request_headers(path)) + b"".join(frames)


def window_updates(sock):
    """The bytes that the switch adds to the connection's window, one update after the other."""
    # ``open_connection`` has taken the first byte.
    seen = bytes(1)
    while data := sock.recv(1 << 16):
        seen += data
        while len(seen) >= 9 and len(seen) >= 9 + (size := int.from_bytes(seen[:3], "big")):
            if seen[3] == WINDOW_UPDATE and seen[5:9] == bytes(4):
                yield int.from_bytes(seen[9:13], "big")
            seen = seen[9 + size :]


def test_requests_are_given_back_to_the_window_before_their_answers_are_fetched(victim):
    # Protobuf skips a field that it does not know.
    unknown = b"\xfa\x01\xe0\xd4\x03" + bytes(60_000)
    with open_connection(victim, acknowledge=True) as sock:
        # Less than the switch waits for the answers to be fetched.
        sock.settimeout(limits.CLIENT_S / 2)
        updates = window_updates(sock)
        assert next(updates) == limits.CONNECTION_WINDOW_BYTES - 65_535
        no_room = frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0))
        calls = [call_of(b"/p4.v1.P4Runtime/Capabilities", 2 * place + 1, unknown) for place in range(24)]
        sock.sendall(no_room + b"".join(calls))
        # HTTP/2 does not tell of the last part.
        given_back = 0
        while given_back < len(calls) * len(unknown) // 2:
            given_back += next(updates)


def test_a_stream_that_is_over_and_not_fetched_loses_its_place(server, client, monkeypatch):
    monkeypatch.setattr(p4runtime_server, "CLIENT_S", 0.5)
    no_room = frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0))
    update = p4r.MasterArbitrationUpdate(device_id=1, election_id=U128.encode(9))
    message = p4r.StreamMessageRequest(arbitration=update).SerializeToString()
    with open_connection(server.address, acknowledge=True) as sock:
        stream = client.stream()
        stream.arbitrate(1)
        assert stream.receive("arbitration").status.code == Code.OK
        # The switch keeps the first answers for it and waits with the others.
        sock.sendall(no_room + call_of(b"/p4.v1.P4Runtime/StreamChannel", 1, *[message] * 10))
        while stream.receive("arbitration").status.code == Code.ALREADY_EXISTS:
            pass


def any_frames(chance):
    """Frames of any kind, flags, stream and content, some of them of calls that are well made."""
    while True:
        stream, flags = chance.choice([0, 1, 1, 1, 3, 2, chance.getrandbits(31)]), chance.getrandbits(8)
        block = request_headers(chance.choice([b"/p4.v1.P4Runtime/Read", b"/p4.v1.P4Runtime/StreamChannel", b"/", b""]))
        message = chance.randbytes(chance.choice([0, 1, 5, 20, 300]))
        yield chance.choice(
            [
                frame(HEADERS, flags & ~8, chance.getrandbits(5) | 1, chance.choice([block, block[:-3], message])),
                frame(DATA, flags & ~8, stream, bytes([flags & 1]) + struct.pack(">I", len(message)) + message),
                frame(chance.randrange(12), flags, stream, message),
                frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", chance.getrandbits(32))),
                frame(SETTINGS, 0, 0, struct.pack(">HI", chance.randrange(8), chance.getrandbits(32))),
                chance.randbytes(9),
            ]
        )


def test_any_frames_keep_nobody_out(victim):
    seed = int(os.environ.get("QUENCH_TEST_SEED") or random.randrange(2**32))
    _log.warning("QUENCH_TEST_SEED=%d", seed)
    chance = random.Random(seed)
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        frames = any_frames(chance)
        with open_connection(victim, acknowledge=chance.random() < 0.5) as sock:
            sock.settimeout(0.05)
            with contextlib.suppress(OSError):
                for _ in range(chance.randrange(1, 40)):
                    sock.sendall(next(frames))
                sock.recv(1 << 16)

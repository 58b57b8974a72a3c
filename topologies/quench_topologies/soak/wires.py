# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Bytes of HTTP/2, Thrift, HTTP and nanomsg as a client sends them, whole, half or with wrong lengths, from a seed."""

import random
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
RESET_ON_CLOSE = struct.pack("ii", 1, 0)
THRIFT_REPLY = struct.pack("!I", 0x80010002)
"""The beginning of each answer that is no exception."""
PUBLISHER, SUBSCRIBER = b"\0SP\0\0\x20\0\0", b"\0SP\0\0\x21\0\0"
"""Greetings of nanomsg's PUB/SUB."""
_DATA, _HEADERS, _SETTINGS = 0, 1, 4
_END_HEADERS = 4
_THRIFT_CALL = 0x80010001
_I32, _STRING, _LIST, _STOP = 8, 11, 15, b"\0"
_TABLES = ("MyIngress.route", "", "x" * 2000)
_LIES = (2**31 - 1, -1, 65_536, 1 << 20)
_METHODS = ("GET", "POST", "PUT", "HEAD", "OPTIONS", "X", "")
_PATHS = ("/", "/forms", "/metrics", "/updates", "/change", "/preview", "/play", "/nothing", "/../../etc", "*", "//")
_ENDS = (b"", b"\r\n", b"\r\n\r\n", b"\n\n", b"\0")


def mutated(draw: random.Random, data: bytes) -> bytes:
    """Bytes changed, cut off, doubled, or moved."""
    changed = bytearray(data)
    for _ in range(draw.randrange(1, 5)):
        place = draw.randrange(len(changed) + 1)
        kind = draw.randrange(4)
        if kind == 0 and place < len(changed):
            changed[place] = draw.randrange(256)
        elif kind == 1:
            del changed[place:]
        elif kind == 2:
            changed[place:place] = draw.randbytes(draw.randrange(1, 9))
        else:
            changed += changed[place : place + 1000]
    return bytes(changed)


def half_call(path: bytes, message_bytes: int, beginning: bytes) -> bytes:
    """A gRPC call whose message has more bytes than are sent (RFC 9113; HPACK without tables, RFC 7541)."""
    fields = (
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", path),
        (b":authority", b"x"),
        (b"te", b"trailers"),
        (b"content-type", b"application/grpc"),
    )
    head = b"".join(b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in fields)
    message = b"\0" + struct.pack("!I", message_bytes + len(beginning) + 1) + beginning
    return PREFACE + _frame(_SETTINGS, 0, 0) + _frame(_HEADERS, _END_HEADERS, 1, head) + _frame(_DATA, 0, 1, message)


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack("!I", len(payload))[1:] + bytes([kind, flags]) + struct.pack("!I", stream) + payload


def thrift_call(name: str, *fields: bytes) -> bytes:
    """A call by TBinaryProtocol; ``name`` is SERVICE:METHOD."""
    return struct.pack("!I", _THRIFT_CALL) + _text(name) + struct.pack("!I", 0) + b"".join(fields) + _STOP


def thrift_calls(draw: random.Random) -> bytes:
    """Some calls of one client: reads of all entries, lengths that lie, and a call without an end."""
    calls = []
    for _ in range(draw.randint(1, 4)):
        kind = draw.randrange(4)
        if kind < 2:
            table = draw.choice(_TABLES)
            name = draw.choice(
                ("bm_mt_get_entries", "bm_mt_get_default_entry", "bm_register_read_all", "bm_get_config")
            )
            calls.append(thrift_call(f"standard:{name}", _number(1, 0), _string(2, table)))
        elif kind == 2:
            lie = struct.pack("!bhbi", _LIST, draw.randrange(4), draw.choice((_STRING, _I32)), draw.choice(_LIES))
            calls.append(thrift_call("standard:bm_mt_add_entry", _number(1, 0), _string(2, ""), lie))
        else:
            calls.append(thrift_call("standard:bm_mgmt_get_info")[: draw.randrange(1, 40)])
    return b"".join(calls)


def _text(text: str) -> bytes:
    return struct.pack("!I", len(text)) + text.encode()


def _number(field: int, value: int) -> bytes:
    return struct.pack("!bhi", _I32, field, value)


def _string(field: int, text: str) -> bytes:
    return struct.pack("!bh", _STRING, field) + _text(text)


def http_request(draw: random.Random, host: str, path: str) -> bytes:
    """A request that is half, wrong, or right with an answer that nobody takes; nothing at all is one of them."""
    kind = draw.randrange(5)
    if kind == 0:
        return b""
    if kind == 1:
        return draw.randbytes(draw.randrange(1, 2000))
    if kind == 2:
        return _websocket(draw, host)
    names = ("X", "Content-Length", "Transfer-Encoding", "Connection", "Authorization", "Content-Type", "Origin")
    values = ("", "0", "-1", "99999999", "chunked", "close", "Bearer x", "multipart/form-data", "x" * 9000, "\x00")
    headers = [f"Host: {draw.choice((host, 'evil.example', ''))}"]
    headers += [f"{draw.choice(names)}: {draw.choice(values)}" for _ in range(draw.randrange(5))]
    first = f"{draw.choice(_METHODS)} {draw.choice((path, *_PATHS))} HTTP/{draw.choice(('1.1', '1.0', '9', ''))}"
    body = (
        draw.randbytes(draw.randrange(200)) if draw.random() < 0.5 else b'{"settings": ' + b"[" * draw.randrange(3000)
    )
    return "\r\n".join((first, *headers)).encode() + draw.choice(_ENDS) + body


def _websocket(draw: random.Random, host: str) -> bytes:
    """A watcher of the live page, and frames of its own that are wrong (RFC 6455)."""
    head = (
        f"GET /updates HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        "Sec-WebSocket-Protocol: quench\r\n\r\n"
    )
    frame = bytes([draw.randrange(256), draw.randrange(256)]) + struct.pack("!Q", draw.choice((0, 1 << 20, 2**63)))
    return head.encode() + frame * draw.randrange(3) + draw.randbytes(draw.randrange(100))

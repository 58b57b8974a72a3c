# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""CSIG on the wire: tags in front of IP, and the TCP option that returns them."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass

from hostlab.hosts import Pair, counters, quench_host
from hostlab.netns import Namespace, run
from hostlab.packets import Segment

BANDWIDTH, DELAY = 0, 2
BEST = {
    ("compact", BANDWIDTH): 31,
    ("compact", DELAY): 0,
    ("wide", BANDWIDTH): (1 << 20) - 1,
    ("wide", DELAY): 0,
}
ETHERTYPES = {"compact": 0x9900, "wide": 0x88B5}
# Kind 253 and experiment "CS". In a SYN it has no content.
OFFER = b"\xfd\x04CS"
_CONTENT_BYTES = {"compact": 2, "wide": 6}
_NOP, _EXPERIMENT = 1, 253


@dataclass(frozen=True)
class Tag:
    """A tag, read from its content."""

    about: int
    number: int
    locator: int = 0

    def content(self, form: str) -> bytes:
        if form == "compact":
            return struct.pack("!H", self.about << 13 | self.number << 7 | self.locator)
        return struct.pack("!HI", self.locator, self.about << 28 | self.number << 8)


def read(form: str, content: bytes) -> Tag:
    if form == "compact":
        (word,) = struct.unpack("!H", content)
        return Tag(word >> 13, word >> 7 & 31, word & 127)
    locator, word = struct.unpack("!HI", content)
    return Tag(word >> 28, word >> 8 & 0xFFFFF, locator)


def tag_of(segment: Segment, form: str) -> Tag | None:
    """The tag of a data packet, which must be of this format if there is one."""
    if not segment.tag:
        return None
    assert int.from_bytes(segment.tag[:2], "big") == ETHERTYPES[form]
    return read(form, segment.tag[2:])


def returned(segment: Segment, form: str) -> Tag | None:
    """The tag that a segment returns."""
    options, content_bytes = segment.options, _CONTENT_BYTES[form]
    while options and options[0]:
        if options[0] == _NOP:
            options = options[1:]
            continue
        if options.startswith(OFFER):
            return None
        if options[0] == _EXPERIMENT and options[2:4] == b"CS":
            assert options[1] == 4 + content_bytes
            return read(form, options[4 : 4 + content_bytes])
        options = options[options[1] :]
    return None


def option(form: str, tag: Tag) -> bytes:
    """The option that returns a tag, with padding."""
    content = tag.content(form)
    return (
        b"\1\1" * (form == "compact")
        + struct.pack("!BB", _EXPERIMENT, 4 + len(content))
        + b"CS"
        + content
        + (b"\1\1" * (form == "wide"))
    )


def rewrite(form: str, change: Callable[[Tag], Tag]) -> Callable[[Segment], bytes]:
    """A rule of the wire that changes tags, as a switch does."""

    def rule(segment: Segment) -> bytes:
        tag = tag_of(segment, form)
        if tag is None:
            return segment.frame
        content = change(tag).content(form)
        return segment.frame[:14] + content + segment.frame[14 + len(content) :]

    return rule


def csig_programs() -> set[str]:
    """The programs of CSIG that the machine has, by name. The kernel frees a detached one in its own time."""
    deadline_s = time.monotonic() + 5
    while True:
        loaded = json.loads(run("bpftool", "-j", "prog", "show").stdout)
        found = {name for prog in loaded if (name := prog.get("name", "")).startswith("q_csig")}
        if not found or time.monotonic() > deadline_s:
            return found
        time.sleep(0.05)


def one_packet_at_a_time(ns: Namespace, device: str) -> None:
    """Let TCP hand over single packets only, so that each of them can have a tag."""
    ns.run("ip", "link", "set", "dev", device, "gso_max_segs", "1")


def enable(pair: Pair, form: str, *, receiver: bool = True) -> None:
    """Enable both ends, with the window of other tests; ``receiver``: with CSIG, too."""
    common = ("enable", "--algo", "ecn", "--set", "max_cwnd_pkts=40")
    for ns, device, has_csig in ((pair.sender, "h0", True), (pair.receiver, "h1", receiver)):
        one_packet_at_a_time(ns, device)
        quench_host(ns, *common, "--dev", device, *(("--csig", form) if has_csig else ()))


# Linux: linux/bpf.h. The number of the system call is that of the machine's headers.
_SYS_BPF = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
_BPF_MAP_LOOKUP_ELEM, _BPF_MAP_GET_FD_BY_ID = 1, 14
# struct q_csig_end of q_shared.h.
_END_BYTES, _ANSWERS_OFFSET = 80, 64


def _bpf(command: int, attributes: bytes) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    result: int = libc.syscall(_SYS_BPF, command, buffer, len(attributes))
    if result < 0:
        raise OSError(ctypes.get_errno(), "bpf")
    return result


def answers_of(sock: socket.socket) -> tuple[int, int]:
    """The newest delay and bandwidth of one connection, as a program reads them from the map by its own socket."""
    maps = json.loads(run("bpftool", "-j", "map", "show", "name", "q_csig_ends").stdout)
    value = ctypes.create_string_buffer(_END_BYTES)
    for found in maps if isinstance(maps, list) else [maps]:
        fd = _bpf(_BPF_MAP_GET_FD_BY_ID, struct.pack("=I12x", found["id"]))
        key = ctypes.c_int(sock.fileno())
        pointers = (ctypes.addressof(key), ctypes.addressof(value))
        try:
            _bpf(_BPF_MAP_LOOKUP_ELEM, struct.pack("=I4xQQQ", fd, *pointers, 0))
        except FileNotFoundError:
            continue
        finally:
            os.close(fd)
        delay, bandwidth = struct.unpack_from("=QQ", value.raw, _ANSWERS_OFFSET)
        return delay & 0xFFFFFFFF, bandwidth & 0xFFFFFFFF
    raise LookupError("the socket has no storage of CSIG")


def wait_for(ns: Namespace, counter: str, least: int = 1) -> dict[str, int]:
    """Wait until the counter has come so far."""
    deadline_s = time.monotonic() + 20
    while (count := counters(ns)).get(counter, 0) < least:
        assert time.monotonic() < deadline_s, count
        time.sleep(0.01)
    return count

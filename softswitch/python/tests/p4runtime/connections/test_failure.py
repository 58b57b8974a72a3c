# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A part that broke ends the process, with one line and a status: no switch that answers and does not work."""

import subprocess
import sys

import pytest

TIMEOUT_S = 30.0

# The kernel refuses to wait any longer: the descriptors that the switch's thread sleeps on are closed under it.
THREAD = """
import os
from quench_switch import realtime

real, descriptors = realtime.RealtimeSwitch, set()

def eventpolls():
    paths = {int(number): f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")}
    return {number for number, path in paths.items() if os.path.lexists(path) and "eventpoll" in os.readlink(path)}

def make(**options):
    before = eventpolls()
    switch = real(**options)
    descriptors.update(eventpolls() - before)
    return switch

def inject(switch, p4runtime):
    os.close(descriptors.pop())
    switch.packet_out(bytes(64))

realtime.RealtimeSwitch = make
"""

# A fault that nobody foresaw in what is done with each packet-in.
PACKET_INS = """
from quench_switch import realtime

def fault(packets):
    raise LookupError("injected")

def inject(switch, p4runtime):
    switch.packet_out(b"\\xff\\x00" + bytes(64))

before = realtime.P4RuntimeServer.__init__

def init(self, *args, **options):
    before(self, *args, **options)
    self._packets_in = fault

realtime.P4RuntimeServer.__init__ = init
"""

# The native module's panics are no Exceptions.
DIGESTS = """
from quench_switch import realtime

class Panic(BaseException):
    pass

class Broken:
    def __init__(self, switch):
        self._switch = switch

    def __getattr__(self, name):
        return getattr(self._switch, name)

    def wait_digests(self, timeout_ns):
        raise Panic("injected")

before = realtime.P4RuntimeServer.__init__

def init(self, switch, **options):
    before(self, Broken(switch), **options)

def inject(switch, p4runtime):
    pass

realtime.P4RuntimeServer.__init__ = init
"""

TICKS = """
from quench_switch import realtime

def inject(switch, p4runtime):
    p4runtime.device.digests = object()
"""

# The thread that accepts connections reports its end in this way.
CONNECTIONS = """
from quench_switch.p4runtime import grpc_server

kept, before = [], grpc_server.GrpcServer.__init__

def init(self, *args, **options):
    before(self, *args, **options)
    kept.append(self)

def inject(switch, p4runtime):
    kept[0]._handler.failed("injected")

grpc_server.GrpcServer.__init__ = init
from quench_switch import realtime
"""

RUN = """
import asyncio
import sys
from quench_switch.cli import switch as switch_cli

started = realtime.P4RuntimeServer.start

def start(self):
    started(self)
    asyncio.get_running_loop().call_later(0.2, inject, self._switch, self)

realtime.P4RuntimeServer.start = start
sys.argv = ["quench switch", *sys.argv[1:]]
switch_cli.app(prog_name="quench switch")
"""


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (THREAD, "the switch stopped: "),
        (PACKET_INS, "the packet-in thread: LookupError: injected"),
        (DIGESTS, "the digest thread: Panic: injected"),
        (TICKS, "digests and idle timeouts: AttributeError: "),
        (CONNECTIONS, "injected"),
    ],
    ids=["thread", "packet-ins", "digests", "ticks", "connections"],
)
def test_a_broken_part_ends_the_switch(fault, reason, files):
    args = [str(files[0]), "--p4info", str(files[1]), "--cpu-port", "510", "--grpc-server-addr", "127.0.0.1:0"]
    result = subprocess.run(
        [sys.executable, "-c", fault + RUN, *args], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert result.returncode == 1, result.stderr
    *log, last = result.stderr.strip().splitlines()
    assert last.startswith(f"quench switch: {reason}"), result.stderr
    assert any("ERROR" in line and "the switch fails" in line for line in log), result.stderr
    assert "'failures': 1" in result.stderr

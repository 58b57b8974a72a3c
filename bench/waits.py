# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Measure how long a writer and a packet wait for the switch, alone and beside readers of all its protocols.

The interfaces are in a namespace of the process, and go with it. Needs root.
"""

import itertools
import multiprocessing
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import script
from bm_runtime.standard import Standard
from figures import Figure
from finsy.proto import U128, p4i, p4r, p4r_grpc
from quench_switch._native import compile_p4
from quench_switch.bmv2_thrift.listener import CONNECTIONS
from quench_switch.trace.live import PATH
from quench_topologies.isolation import private_network
from rich.table import Table
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TMultiplexedProtocol import TMultiplexedProtocol
from thrift.transport.TTransport import TMemoryBuffer

PROGRAM: Final = Path(__file__).with_name("waits.p4")
ENTRIES: Final = 40_000
BATCH: Final = 100
P4RUNTIME, THRIFT = "127.0.0.1:9559", ("127.0.0.1", 9090)
NEAR, FAR = "port", "host"
EACH_S: Final = 0.005
ETHERTYPE: Final = 0x88B5
PATIENCE_S: Final = 120.0
SETTLED_S: Final = 2.0
"""All readers have a connection by then."""
TRACES: Final = 4
READS: Final = 4
REPETITIONS: Final = 3


def run(*words: str) -> None:
    """Run a command that has to succeed."""
    subprocess.run(words, check=True)


@contextmanager
def switch(folder: Path) -> Iterator[p4i.P4Info]:
    """A switch with the program, all its listeners and one port."""
    compiled = compile_p4(str(PROGRAM))
    program, info, ready = folder / "waits.json", folder / "waits.p4info.bin", folder / "ready"
    program.write_text(compiled.json)
    info.write_bytes(compiled.p4info_binary)
    command = [
        sys.executable,
        "-m",
        "quench_switch.cli.switch",
        str(program),
        "--p4info",
        str(info),
        "--device-id",
        "1",
    ]
    command += ["-i", f"1@{NEAR}", "--grpc-server-addr", P4RUNTIME, "--thrift-addr", f"{THRIFT[0]}:{THRIFT[1]}"]
    with subprocess.Popen([*command, "--ready-file", str(ready), "--log-level", "error"]) as process:
        try:
            deadline = time.monotonic() + PATIENCE_S
            while not ready.exists():
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError("the switch does not start")
                time.sleep(0.02)
            yield p4i.P4Info.FromString(compiled.p4info_binary)
        finally:
            process.terminate()


class Writer:
    """The primary, which writes single entries."""

    def __init__(self, info: p4i.P4Info) -> None:
        self._table = info.tables[0].preamble.id
        self._action = next(action.preamble.id for action in info.actions if action.preamble.alias == "send")
        self._stub = p4r_grpc.P4RuntimeStub(grpc.insecure_channel(P4RUNTIME))
        arbitration = p4r.MasterArbitrationUpdate(device_id=1, election_id=U128.encode(1))
        self._over = threading.Event()
        self._stream = self._stub.StreamChannel(self._requests(arbitration))
        next(self._stream)

    def _requests(self, arbitration: p4r.MasterArbitrationUpdate) -> Iterator[p4r.StreamMessageRequest]:
        yield p4r.StreamMessageRequest(arbitration=arbitration)
        self._over.wait()

    def write(self, kind: Any, places: range, port: int) -> None:
        """Write entries in one request."""
        request = p4r.WriteRequest(device_id=1, election_id=U128.encode(1))
        for place in places:
            entry = request.updates.add(type=kind).entity.table_entry
            entry.table_id = self._table
            # No packet of this bench goes there.
            entry.match.add(field_id=1).exact.value = (place + 1 << 16).to_bytes(6, "big").lstrip(b"\0")
            entry.action.action.action_id = self._action
            entry.action.action.params.add(param_id=1, value=bytes([port]))
        self._stub.Write(request, timeout=PATIENCE_S)

    def close(self) -> None:
        """End the stream."""
        self._over.set()


def reader(read: Callable[[], None], begun: Any) -> None:
    """Read in a process that takes no processor time of the writer's and the sender's processes."""
    os.nice(19)
    begun.put(None)
    read()


def thrift_reader() -> None:
    """Ask for the whole table, and take the answer as fast as it comes."""
    buffer = TMemoryBuffer()
    Standard.Client(TMultiplexedProtocol(TBinaryProtocol(buffer), "standard")).send_bm_mt_get_entries(
        0, "WaitsIngress.entries"
    )
    question = buffer.getvalue()
    with socket.create_connection(THRIFT) as connection:
        while True:
            connection.sendall(question)
            # Calls by Thrift are done one after the other, and there are many clients.
            connection.settimeout(None)
            connection.recv(1 << 20)
            # The answer is over when nothing has come for a while.
            connection.settimeout(0.1)
            try:
                while connection.recv(1 << 20):
                    pass
            except TimeoutError:
                continue


def p4runtime_reader() -> None:
    """Read everything, again and again."""
    stub = p4r_grpc.P4RuntimeStub(grpc.insecure_channel(P4RUNTIME))
    entities = [p4r.Entity(table_entry=p4r.TableEntry()), p4r.Entity(register_entry=p4r.RegisterEntry())]
    while True:
        for _ in stub.Read(p4r.ReadRequest(device_id=1, entities=entities)):
            pass


def tracer() -> None:
    """Ask for the traces of all packets, and read none."""
    channel = grpc.insecure_channel(P4RUNTIME)
    call = channel.unary_stream(PATH, request_serializer=bytes, response_deserializer=bytes)(b"")
    next(call)
    time.sleep(3600)


@contextmanager
def wait_of_packet(ethertype: int) -> Iterator[Callable[[], float]]:
    """Sends a packet with each call, and gives the time until it is back."""
    numbers = itertools.count(1)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ethertype)) as host:
        host.bind((FAR, ethertype))
        host.settimeout(PATIENCE_S)

        def wait() -> float:
            number = next(numbers)
            sent = time.perf_counter()
            host.send(bytes(12) + ethertype.to_bytes(2, "big") + number.to_bytes(8, "big") + bytes(42))
            while int.from_bytes(host.recv(2048)[14:22], "big") != number:
                pass
            return time.perf_counter() - sent

        yield wait


def packets(seconds: float, results: Any) -> None:
    """Send a packet each EACH_S, and measure the time until it is back."""
    with wait_of_packet(ETHERTYPE) as wait:
        results.put(None)
        waits, ends = [], time.monotonic() + seconds
        while time.monotonic() < ends:
            waits.append(wait())
            time.sleep(EACH_S)
    results.put(waits)


def measure(writer: Writer, seconds: float) -> list[dict[str, Any]]:
    """The waits of writes and packets at the same time, in milliseconds, of each part of the time."""
    results: Any = multiprocessing.Queue()
    sender = multiprocessing.Process(target=packets, args=(seconds, results), daemon=True)
    sender.start()
    results.get(timeout=PATIENCE_S)
    waits, ends, number = [], time.monotonic() + seconds, 0
    while time.monotonic() < ends:
        number += 1
        began = time.perf_counter()
        writer.write(p4r.Update.MODIFY, range(1), number % 2 + 1)
        waits.append(time.perf_counter() - began)
        time.sleep(EACH_S)
    packet_waits = results.get(timeout=PATIENCE_S)
    sender.join()
    slices = zip(_slices(waits), _slices(packet_waits), strict=True)
    return [{"writes": summary(writes), "packets": summary(sent)} for writes, sent in slices]


def _slices(waits: list[float]) -> list[list[float]]:
    """The waits in order, as many in each slice as in the others."""
    size = len(waits) // REPETITIONS
    return [waits[i * size : (i + 1) * size] for i in range(REPETITIONS)]


def summary(waits: list[float]) -> dict[str, float]:
    """Waits in seconds, summed up in milliseconds."""
    ordered = sorted(1000 * wait for wait in waits)
    return {
        "number": len(ordered),
        "median_ms": statistics.median(ordered),
        "p99_ms": ordered[int(0.99 * len(ordered))],
        "longest_ms": ordered[-1],
    }


def main(quick: script.QuickOption = False, as_json: script.JsonOption = False) -> None:
    """Measure both."""
    # Processes begin before gRPC has threads.
    multiprocessing.set_start_method("spawn")
    with private_network(), tempfile.TemporaryDirectory() as folder:
        run("ip", "link", "add", FAR, "type", "veth", "peer", "name", NEAR)
        for name in (FAR, NEAR):
            Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1")
            run("ip", "link", "set", name, "up")
        with switch(Path(folder)) as info:
            turns = _turns(Writer(info), 3.0 if quick else 20.0)
    figures = [
        Figure(f"{who}, {beside}, {name}", tuple(turn[who][key] for turn in measured), "ms", "less")
        for beside, measured in turns.items()
        for who in ("writes", "packets")
        for key, name in (("median_ms", "median"), ("p99_ms", "99 %"))
    ]
    table = Table("", "who waits", "number", "median", "99 %", "longest", title="Waits for the switch, the last turn")
    for beside, measured in turns.items():
        for who, each in measured[-1].items():
            times = [f"{each[name]:.1f} ms" for name in ("median_ms", "p99_ms", "longest_ms")]
            table.add_row(beside, who, str(each["number"]), *times)
    script.console().print(table)
    script.finish(figures, turns, as_json=as_json)


def _turns(writer: Writer, seconds: float) -> dict[str, list[dict[str, Any]]]:
    for first in range(0, ENTRIES, BATCH):
        writer.write(p4r.Update.INSERT, range(first, first + BATCH), 1)
    alone = measure(writer, seconds)
    kinds: list[Callable[[], None]] = [thrift_reader] * (CONNECTIONS - 1)
    kinds += [p4runtime_reader] * READS + [tracer] * TRACES
    begun: Any = multiprocessing.Queue()
    readers = [multiprocessing.Process(target=reader, args=(kind, begun), daemon=True) for kind in kinds]
    for each in readers:
        each.start()
    for _ in readers:
        begun.get(timeout=PATIENCE_S)
    time.sleep(SETTLED_S)
    beside = measure(writer, seconds)
    for each in readers:
        each.kill()
    writer.close()
    return {"alone": alone, "beside readers": beside}


if __name__ == "__main__":
    script.run(main)

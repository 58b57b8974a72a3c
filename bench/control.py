# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Measure the entries a second that a P4Runtime client writes and reads, and what packets wait meanwhile.

It prints JSON.

Usage: unshare -n control.py SIZE,... The sizes are those of tables, in entries. The interfaces are in the namespace of
the process, and go with it.
"""

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import grpc
from finsy.proto import U128, p4i, p4r, p4r_grpc
from quench_switch._native import VirtualSwitch, compile_p4
from waits import FAR, NEAR, P4RUNTIME, PATIENCE_S, run, summary, wait_of_packet

if TYPE_CHECKING:
    from quench_switch._native import Key

PROGRAM: Final = Path(__file__).with_name("control.p4")
Atomicity = p4r.WriteRequest
BATCHES: Final = {
    "batch_1": (1, 500, Atomicity.CONTINUE_ON_ERROR),
    "batch_100": (100, 10_000, Atomicity.CONTINUE_ON_ERROR),
    "batch_1000": (1000, 50_000, Atomicity.CONTINUE_ON_ERROR),
    "rollback_1000": (1000, 50_000, Atomicity.ROLLBACK_ON_ERROR),
    "atomic_1000": (1000, 50_000, Atomicity.DATAPLANE_ATOMIC),
    "atomic_10000": (10_000, 50_000, Atomicity.DATAPLANE_ATOMIC),
}
"""Updates of a request, the entries that are written beside those of the table, and the atomicity."""
FILL: Final = 1000
IN_FLIGHT: Final = 3
"""The requests of the client that are under way at a time."""
EACH_S: Final = 0.0005
TERNARY: Final = (10, 1000, 100_000)
MASKS: Final = 16
PACKETS: Final = 20_000
KINDS: Final = ("exact", "lpm", "ternary", "members", "groups")
TYPES: Final = {"exact": 0x88B5, "lpm": 0x88B6, "ternary": 0x88B7, "members": 0x88B8, "groups": 0x88B8}
"""The type of the packets that are looked up in the table of a kind."""
MEMBERS_OF_GROUP: Final = 4
STATE_MIB: Final = "4096"
Messages = Callable[[int], p4r.Entity]
INSERT: Final = p4r.Update.INSERT


class Switch:
    """A switch process with the program, and its objects' ids."""

    def __init__(self, folder: Path) -> None:
        compiled = compile_p4(str(PROGRAM))
        program, info, self._ready = folder / "control.json", folder / "control.p4info.bin", folder / "ready"
        program.write_text(compiled.json)
        info.write_bytes(compiled.p4info_binary)
        command = [sys.executable, "-m", "quench_switch.cli.switch", str(program), "--p4info", str(info)]
        command += ["--device-id", "1", "-i", f"1@{NEAR}", "--grpc-server-addr", P4RUNTIME, "--state-memory", STATE_MIB]
        self._command = [*command, "--ready-file", str(self._ready), "--log-level", "error"]
        self.info = p4i.P4Info.FromString(compiled.p4info_binary)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run it."""
        self._ready.unlink(missing_ok=True)
        with subprocess.Popen(self._command) as process:
            try:
                deadline = time.monotonic() + PATIENCE_S
                while not self._ready.exists():
                    if process.poll() is not None or time.monotonic() > deadline:
                        raise RuntimeError("the switch does not start")
                    time.sleep(0.02)
                self.process_id = process.pid
                yield
            finally:
                process.terminate()

    def busy_s(self) -> float:
        """The processor time of the process so far."""
        times = Path(f"/proc/{self.process_id}/stat").read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")

    def memory_bytes(self) -> int:
        """The memory of the process."""
        return int(Path(f"/proc/{self.process_id}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def messages(self, kind: str) -> Messages:
        """The entities of a kind, by number."""
        items: list[Any] = [*self.info.tables, *self.info.actions]
        names = {item.preamble.alias: item.preamble.id for item in items}
        profile = self.info.action_profiles[0].preamble.id

        def action(number: int) -> p4r.Action:
            param = p4r.Action.Param(param_id=1, value=(number % 65_535 + 1).to_bytes(2, "big"))
            return p4r.Action(action_id=names["mark"], params=[param])

        def entry(table: str, number: int, *match: p4r.FieldMatch, priority: int = 0) -> p4r.Entity:
            does = p4r.TableAction(action=action(number))
            return p4r.Entity(
                table_entry=p4r.TableEntry(table_id=names[table], match=match, priority=priority, action=does)
            )

        def exact(number: int) -> p4r.Entity:
            value = p4r.FieldMatch.Exact(value=(number + 1).to_bytes(6, "big"))
            return entry("by_value", number, p4r.FieldMatch(field_id=1, exact=value))

        def lpm(number: int) -> p4r.Entity:
            length = 32 + number % 16
            value = p4r.FieldMatch.LPM(value=((number + 1) << 16).to_bytes(6, "big"), prefix_len=length)
            return entry("by_prefix", number, p4r.FieldMatch(field_id=1, lpm=value))

        def ternary(number: int) -> p4r.Entity:
            mask = (1 << 48) - (1 << number % MASKS)
            value = p4r.FieldMatch.Ternary(value=((number + 1) << 16).to_bytes(6, "big"), mask=mask.to_bytes(6, "big"))
            match = p4r.FieldMatch(field_id=1, ternary=value)
            return entry("by_mask", number, match, priority=number % 1000 + 1)

        def member(number: int) -> p4r.Entity:
            made = p4r.ActionProfileMember(action_profile_id=profile, member_id=number + 1, action=action(number))
            return p4r.Entity(action_profile_member=made)

        def group(number: int) -> p4r.Entity:
            made = p4r.ActionProfileGroup(action_profile_id=profile, group_id=number + 1)
            for place in range(MEMBERS_OF_GROUP):
                made.members.add(member_id=(number + place) % FILL + 1, weight=1)
            return p4r.Entity(action_profile_group=made)

        return {"exact": exact, "lpm": lpm, "ternary": ternary, "members": member, "groups": group}[kind]


class Client:
    """The primary."""

    def __init__(self) -> None:
        self._channel = grpc.insecure_channel(P4RUNTIME)
        self._stub = p4r_grpc.P4RuntimeStub(self._channel)
        # Requests are encoded before the time is taken: it is the switch's.
        self._write: Any = self._channel.unary_unary("/p4.v1.P4Runtime/Write")
        self._over = threading.Event()
        self._stream = self._stub.StreamChannel(self._requests())
        next(self._stream)

    def _requests(self) -> Iterator[p4r.StreamMessageRequest]:
        arbitration = p4r.MasterArbitrationUpdate(device_id=1, election_id=U128.encode(1))
        yield p4r.StreamMessageRequest(arbitration=arbitration)
        self._over.wait()

    def write(self, requests: list[bytes]) -> None:
        """Write, with some requests under way at a time."""
        calls: deque[Any] = deque()
        for request in requests:
            if len(calls) >= IN_FLIGHT:
                calls.popleft().result()
            calls.append(self._write.future(request, timeout=10 * PATIENCE_S))
        for call in calls:
            call.result()

    def read(self, entity: p4r.Entity) -> int:
        """The number of entities that a wildcard selects."""
        request = p4r.ReadRequest(device_id=1, entities=[entity])
        return sum(len(response.entities) for response in self._stub.Read(request))

    def close(self) -> None:
        """End the stream."""
        self._over.set()
        self._channel.close()


def encoded(
    messages: Messages, update: Any, places: range, batch: int, atomicity: Any = Atomicity.CONTINUE_ON_ERROR
) -> list[bytes]:
    """Requests for entities, so many in each."""
    requests = []
    for first in places[::batch]:
        request = p4r.WriteRequest(device_id=1, election_id=U128.encode(1), atomicity=atomicity)
        for number in range(first, min(first + batch, places.stop)):
            request.updates.add(type=update, entity=messages(number))
        requests.append(request.SerializeToString())
    return requests


def packets(ethertype: int, begun: Any, ends: Any, results: Any) -> None:
    """Send packets until the end, and measure the time until each is back."""
    waits = []
    with wait_of_packet(ethertype) as wait:
        while not ends.is_set():
            waits.append(wait())
            begun.set()
            time.sleep(EACH_S)
    results.put(waits)


@contextmanager
def traffic(ethertype: int, waits: dict[str, float]) -> Iterator[None]:
    """Packets meanwhile; what they waited is there afterwards."""
    begun: Any = multiprocessing.Event()
    ends: Any = multiprocessing.Event()
    results: Any = multiprocessing.Queue()
    sender = multiprocessing.Process(target=packets, args=(ethertype, begun, ends, results), daemon=True)
    sender.start()
    begun.wait(PATIENCE_S)
    yield
    ends.set()
    waits.update(summary(results.get(timeout=PATIENCE_S)))
    sender.join()


def measured(switch: Switch, count: int, work: Callable[[], object]) -> dict[str, float]:
    """Entries a second, and the switch's processor time for each."""
    busy_s, began = switch.busy_s(), time.perf_counter()
    work()
    took_s = time.perf_counter() - began
    return {"entries_per_s": count / took_s, "busy_us_per_entry": (switch.busy_s() - busy_s) / count * 1e6}


def of_kind(switch: Switch, kind: str, size: int) -> dict[str, Any]:
    """Writes into a table that has so many entries, by batch, reads of all, and the waits of packets."""
    messages = switch.messages(kind)
    result: dict[str, Any] = {}
    with switch.running():
        client = Client()
        if kind == "groups":
            client.write(encoded(switch.messages("members"), INSERT, range(FILL), FILL))
        before_bytes = switch.memory_bytes()
        result["fill"] = measured(switch, size, partial(client.write, encoded(messages, INSERT, range(size), FILL)))
        result["memory_bytes_per_entry"] = (switch.memory_bytes() - before_bytes) / size
        wildcard = {
            "members": p4r.Entity(action_profile_member=p4r.ActionProfileMember()),
            "groups": p4r.Entity(action_profile_group=p4r.ActionProfileGroup()),
        }.get(kind, p4r.Entity(table_entry=p4r.TableEntry(table_id=messages(0).table_entry.table_id)))
        result["read"] = measured(switch, size, lambda: client.read(wildcard))
        for name, (batch, count, atomicity) in BATCHES.items():
            places = range(size, size + count)
            kinds = (INSERT, p4r.Update.DELETE)
            inserts, deletes = (encoded(messages, update, places, batch, atomicity) for update in kinds)
            waits: dict[str, float] = {}
            with traffic(TYPES[kind], waits):
                written = {
                    "insert": measured(switch, len(places), partial(client.write, inserts)),
                    "delete": measured(switch, len(places), partial(client.write, deletes)),
                }
            result[name] = {**written, "packets": waits}
        client.close()
    return result


def ternary_packets() -> dict[str, float]:
    """The processor time of a packet in nanoseconds, by the number of ternary entries, from memory to memory."""
    compiled = compile_p4(str(PROGRAM))
    times = {}
    for count in TERNARY:
        memory = VirtualSwitch()
        memory.load(compiled.json)
        for number in range(count):
            mask = (1 << 48) - (1 << number % MASKS)
            key: Key = [("ternary", ((number + 1) << 16).to_bytes(6, "big"), mask.to_bytes(6, "big")), None]
            name = "ControlIngress.by_mask"
            memory.table_insert(name, key, number % 1000 + 1, ("action", "ControlIngress.mark", [b"\1"]))
        rest = bytes(6) + TYPES["ternary"].to_bytes(2, "big") + bytes(46)
        frames = [((number * 7919 % count + 1) << 16).to_bytes(6, "big") + rest for number in range(PACKETS)]
        rounds = []
        for attempt in range(3):
            began = time.process_time_ns()
            for place, frame in enumerate(frames):
                now_ns = 1_000_000 * (attempt * PACKETS + place + 1)
                memory.receive(1, frame, now_ns)
                memory.advance(now_ns)
            rounds.append((time.process_time_ns() - began) / PACKETS)
        times[str(count)] = min(rounds)
    return times


def main() -> None:
    """Measure all kinds and sizes."""
    sizes = [int(word) for word in sys.argv[1].split(",")]
    kinds = sys.argv[2].split(",") if len(sys.argv) > 2 else KINDS
    # Processes begin before gRPC has threads.
    multiprocessing.set_start_method("spawn")
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", FAR, "type", "veth", "peer", "name", NEAR)
    for name in (FAR, NEAR):
        Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1")
        run("ip", "link", "set", name, "up")
    with tempfile.TemporaryDirectory() as folder:
        switch = Switch(Path(folder))
        result = {
            "tables": {kind: {str(size): of_kind(switch, kind, size) for size in sizes} for kind in kinds},
            "ternary_packet_ns": ternary_packets(),
        }
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs STF statements on the embedded switch in virtual time: no waiting, the same result every time."""

from __future__ import annotations

import logging
import operator
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import InitVar, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quench_switch._native import VirtualSwitch
from quench_switch.errors import DataPlaneError
from quench_switch.outside.files import TEST_BYTES, read_file
from quench_switch.reached import load_program

from .arrays import meter_command, meter_rates, register_command, set_custom_crc
from .compare import Difference, PortTraffic, first_difference, unexpected
from .messages import Messages, expected_digest, program_log, received_digests
from .names import Handle, StfError, action_call, number, resolve, table_key
from .profiles import add_member, reference
from .replication import Replication
from .statements import (
    Action,
    Add,
    AddMember,
    CheckCounter,
    Command,
    Expect,
    ExpectDigest,
    ExpectLog,
    NoPacket,
    Packet,
    Remove,
    SetDefault,
    Statement,
    Wait,
)
from .syntax import parse
from .tofino import OWN_COMMANDS, architecture_of, set_filter

if TYPE_CHECKING:
    from quench_switch._native import TableAction, Traces

_log = logging.getLogger(__name__)

PACKET_GAP_NS: Final = 1_000_000
"""Virtual time between two packets."""
SETTLE_NS: Final = 1_000_000_000
"""Virtual time for which the switch may work on what it has before the next statement; also ``wait``."""
MAX_RECEIVED_BYTES: Final = 256 << 20
"""The largest size of all packets that a test keeps to compare them."""

_COMPARE: Final[dict[str, Callable[[int, int], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(slots=True)
class StfRun:
    """One test on one loaded program."""

    switch: VirtualSwitch
    ports: dict[int, PortTraffic] = field(default_factory=dict)
    logged: Messages = field(default_factory=lambda: Messages("log"))
    digests: Messages = field(default_factory=lambda: Messages("digest"))
    start_ns: InitVar[int] = 0
    priority_queues: int = 1
    """The number of queues of each port."""
    _now_ns: int = field(init=False)
    _received_bytes: int = 0
    _after_command: bool = False
    _has_rate: bool = False
    """A port has a rate: packets are sent while those before them wait in its queue."""
    _handles: dict[str, Handle] = field(default_factory=dict)
    _added: dict[str, list[Handle]] = field(default_factory=dict)
    _program: dict[str, Any] = field(default_factory=dict)
    _replication: Replication = field(init=False)

    def __post_init__(self, start_ns: int) -> None:
        self._now_ns = start_ns
        program = self.switch.program()
        if program is None:
            raise StfError("no program is loaded")
        self._program = program
        self._replication = Replication(self.switch)

    @property
    def now_ns(self) -> int:
        """The virtual time that the test has come to."""
        return self._now_ns

    def run(self, statements: Iterable[Statement]) -> Difference | None:
        """Carry out all statements; the first difference, None if the test passes."""
        statements = list(statements)
        for statement in statements:
            try:
                self._prepare(statement)
            except StfError as error:
                return Difference(statement.line, str(error))
        with program_log(self._logged) if self.logged.expected else nullcontext():
            return self._run(statements)

    def _prepare(self, statement: Statement) -> None:
        """Only what a statement speaks of is kept: ports, log, digests."""
        body = statement.body
        if isinstance(body, Packet | Expect):
            self.ports.setdefault(body.port, PortTraffic())
        elif isinstance(body, ExpectLog):
            self.logged.expected.append((statement.line, body.text))
        elif isinstance(body, ExpectDigest):
            self.digests.expected.append((statement.line, expected_digest(body, self._program["digests"])))

    def _run(self, statements: Sequence[Statement]) -> Difference | None:
        last_line = statements[-1].line if statements else 1
        for statement in statements:
            try:
                difference = self._execute(statement)
            except DataPlaneError as error:
                return Difference(statement.line, error.message)
            except StfError as error:
                return Difference(statement.line, str(error))
            except OverflowError:
                return Difference(statement.line, "a number is larger than anything that it could mean")
            if difference is not None:
                return Difference(statement.line, difference)
        try:
            self._settle()
        except StfError as error:
            return Difference(last_line, str(error))
        messages = [self.logged.difference(last_line), self.digests.difference(last_line)]
        return first_difference(self.ports, last_line, messages)

    def _execute(self, statement: Statement) -> str | None:
        body = statement.body
        if isinstance(body, Packet):
            self._send(body)
            return None
        if isinstance(body, Expect):
            self.ports[body.port].expect(statement.line, body)
            return None
        if isinstance(body, ExpectLog | ExpectDigest):
            return None
        self._settle()
        if isinstance(body, NoPacket):
            return self._no_packet(statement.line)
        if isinstance(body, CheckCounter):
            return self._check_counter(body)
        if isinstance(body, Wait):
            self._now_ns += SETTLE_NS
            return None
        self._after_command = True
        if isinstance(body, Add):
            self._add(body)
        elif isinstance(body, SetDefault):
            self._set_default(body)
        elif isinstance(body, Remove):
            self._remove(body)
        elif isinstance(body, AddMember):
            add_member(self.switch, self._program, body)
        else:
            answer = self._command(body)
            if answer is not None:
                _log.debug("line %d: %s: %s", statement.line, body.name, answer)
        return None

    # -- Time and packets ---------------------------------------------------------------------------------

    def _send(self, packet: Packet) -> None:
        # As with BMv2, whose runtime CLI is slow: commands have settled when the next packet comes.
        self._now_ns += SETTLE_NS if self._after_command else PACKET_GAP_NS
        self._after_command = False
        _log.debug("%d ns: in %d %s", self._now_ns, packet.port, packet.data.hex())
        if self._has_rate:
            self._collect(self._now_ns)
        self.switch.receive(packet.port, packet.data, self._now_ns)
        if not self._has_rate:
            self._settle()

    def _settle(self) -> None:
        """Let the switch work until it is idle, at most for a second of its time."""
        limit_ns = self._now_ns + SETTLE_NS
        self._collect(self._now_ns)
        while (due_ns := self.switch.next_event_ns()) is not None and due_ns <= limit_ns:
            self._now_ns = max(self._now_ns, due_ns)
            self._collect(self._now_ns)

    def _collect(self, now_ns: int) -> None:
        for port, packet, time_ns in self.switch.advance(now_ns):
            _log.debug("%d ns: out %d %s", time_ns, port, packet.hex())
            # Ports that the test does not mention have no interface in BMv2's runner: nobody looks there.
            if port in self.ports:
                self.ports[port].received.append(packet)
                self._received_bytes += len(packet)
        for text in received_digests(self.switch.take_digests(), self._program):
            _log.debug("%d ns: digest %s", now_ns, text)
            self._keep(self.digests, text)
        if self._received_bytes > MAX_RECEIVED_BYTES:
            raise StfError(f"more than {MAX_RECEIVED_BYTES} bytes of packets and messages came out")

    def _logged(self, text: str) -> None:
        self._keep(self.logged, text)

    def _keep(self, messages: Messages, text: str) -> None:
        if messages.expected and self._received_bytes <= MAX_RECEIVED_BYTES:
            messages.received.append(text)
            self._received_bytes += len(text)

    def _no_packet(self, line: int) -> str | None:
        for port, traffic in self.ports.items():
            extra = unexpected(port, traffic, line)
            if extra is not None:
                return extra.message
        return None

    # -- Tables -------------------------------------------------------------------------------------------

    def _table(self, name: str) -> dict[str, Any]:
        # Compilers turn statements outside tables into tables of their own, which no test means.
        known = self._program["tables"]
        tables = {table["name"]: table for table in known if not table["name"].startswith("tbl_")}
        table: dict[str, Any] = tables[resolve(name, tables, "table")]
        return table

    def _action(self, table: dict[str, Any], action: Action) -> tuple[str, list[bytes]]:
        actions = {known["name"]: known for known in self._program["actions"]}
        return action_call(actions, table["actions"], action)

    @staticmethod
    def _priority(table: dict[str, Any], priority: int | None) -> int:
        """Data-plane priorities start at 1, STF's at 0; tables without ternary fields have none."""
        ranked = any(field["match"] in ("ternary", "range", "optional") for field in table["key"])
        return (priority or 0) + 1 if ranked else 0

    def _add(self, add: Add) -> None:
        table = self._table(add.table)
        name = table["name"]
        key, priority = table_key(table, add.matches), self._priority(table, add.priority)
        self.switch.table_insert(name, key, priority, self._entry_action(table, add.action))
        handle = Handle(name, key, priority)
        self._added.setdefault(name, []).append(handle)
        if add.handle is not None:
            self._handles[add.handle] = handle

    def _entry_action(self, table: dict[str, Any], action: Action) -> TableAction:
        return reference(action) if table["profile"] is not None else ("action", *self._action(table, action))

    def _set_default(self, statement: SetDefault) -> None:
        table = self._table(statement.table)
        action, values = self._action(table, statement.action)
        self.switch.table_set_default(table["name"], ("action", action, values))

    def _remove(self, remove: Remove) -> None:
        if remove.handle is not None:
            handle = self._named(remove.handle)
            self.switch.table_delete(handle.table, handle.key, handle.priority)
        elif remove.table is not None:
            table = self._table(remove.table)
            key, priority = table_key(table, remove.matches), self._priority(table, remove.priority)
            self.switch.table_delete(table["name"], key, priority)
        else:
            for table in self._program["tables"]:
                for entry in self.switch.table_entries(table["name"]):
                    if not entry["is_const"]:
                        self.switch.table_delete(table["name"], entry["key"], entry["priority"])

    def _named(self, name: str) -> Handle:
        if name not in self._handles:
            raise StfError(f"no entry was added as {name!r}")
        return self._handles[name]

    # -- Counters, registers, meters ----------------------------------------------------------------------

    def _counts(self, name: str, index: int | str) -> tuple[int, int]:
        """(packets, bytes) of an indexed counter, or of an entry's direct counter."""
        if isinstance(index, str):
            return self._direct_counts(self._named(index))
        counter = self._array("counter", name)
        full, table = counter["name"], counter["direct_table"]
        if table is None:
            return self.switch.counter_read(full, index)
        added = self._added.get(table, [])
        if index >= len(added):
            raise StfError(f"counter {full!r}: the test has added {len(added)} entries, there is no entry {index}")
        return self._direct_counts(added[index])

    def _direct_counts(self, handle: Handle) -> tuple[int, int]:
        entry = self.switch.table_get(handle.table, handle.key, handle.priority)
        if entry is None or entry["counter"] is None:
            raise StfError(f"the entry of table {handle.table!r} is gone or has no counter")
        return entry["counter"]

    def _check_counter(self, check: CheckCounter) -> str | None:
        packets, octets = self._counts(check.counter, check.index)
        if check.unit is None:
            return None
        value = packets if check.unit == "packets" else octets
        if _COMPARE[check.comparison](value, check.value):
            return None
        return (
            f"counter {check.counter}({check.index}): {check.unit} are {value},"
            f" expected {check.comparison} {check.value}"
        )

    def _array(self, kind: str, name: str) -> dict[str, Any]:
        arrays = {array["name"]: array for array in self._program[f"{kind}s"]}
        array: dict[str, Any] = arrays[resolve(name, arrays, kind)]
        return array

    def _command(self, command: Command) -> str | None:
        name, args = command.name, command.args
        if name.startswith(("mirroring_", "mc_")):
            return self._replication.run(name, [number(arg) for arg in args])
        if name.startswith("counter_"):
            return self._counter_command(name, args)
        if name.startswith("register_"):
            return register_command(self.switch, self._array("register", args[0]), name, args)
        if name == "set_queue_rate":
            self._set_queue_rate(*(number(arg) for arg in args))
            return None
        if name.startswith("set_crc"):
            set_custom_crc(self.switch, name, args)
            return None
        if (own := OWN_COMMANDS.get(name)) is not None:
            own(self.switch, self._program, args)
            return None
        if name == "filter_set":
            entry = self._named(args[1][1:]) if args[1].startswith("$") else None
            set_filter(self.switch, self._array("filter", args[0])["name"], entry or number(args[1]), args[2:])
            return None
        if name == "meter_set_rates" and args[1].startswith("$"):
            entry = self._named(args[1][1:])
            self.switch.direct_meter_write(entry.table, entry.key, entry.priority, meter_rates(args[2:]))
            return None
        return meter_command(self.switch, self._array("meter", args[0]), name, args)

    def _set_queue_rate(self, rate_pps: int, port: int, priority: int | None = None) -> None:
        """Set the rate of each queue of a port, or of one; that of a single queue is the port's."""
        if self.priority_queues == 1 and not priority:
            self.switch.port_set(port, {"rate_pps": rate_pps})
        else:
            queues = range(self.priority_queues) if priority is None else [priority]
            if queues[-1] >= self.priority_queues:
                raise StfError(f"priority {priority}: a port has {self.priority_queues} queues (--priority-queues)")
            self.switch.port_set(port, {"queue_rate_pps": dict.fromkeys(queues, rate_pps)})
        self._has_rate = True

    def _counter_command(self, name: str, args: tuple[str, ...]) -> str | None:
        if name == "counter_read":
            packets, octets = self._counts(args[0], number(args[1]))
            return f"{packets} packets, {octets} bytes"
        array = self._array("counter", args[0])
        if name == "counter_write":
            index, packets, octets = (number(arg) for arg in args[1:])
            self.switch.counter_write(array["name"], index, packets, octets)
        else:
            for index in range(array["size"]):
                self.switch.counter_write(array["name"], index, 0, 0)
        return None


def run_test(
    json: str,
    test: Path,
    *,
    seed: int = 1,
    interpreted: bool = False,
    priority_queues: int = 1,
    on_traces: Callable[[Traces], None] | None = None,
) -> Difference | None:
    """Run one STF file on a fresh switch with the program of a BMv2 JSON text, as machine code unless ``interpreted``.

    All packets are traced where ``on_traces`` is given, which is called with the traces after the test.

    Raises :class:`~quench_switch.stf.syntax.StfSyntaxError` and, for a program that does not load,
    ``DataPlaneError``.
    """
    statements = list(parse(read_file(test, TEST_BYTES).decode(), str(test)))
    program = load_program(json, interpreted=interpreted)
    cpu_port = architecture_of(json).cpu_port
    switch = VirtualSwitch(seed=seed, cpu_port=cpu_port, interpreted=interpreted, priority_queues=priority_queues)
    switch.load(program)
    run = StfRun(switch, priority_queues=priority_queues)
    if on_traces is None:
        return run.run(statements)
    traces = switch.trace()
    difference = run.run(statements)
    on_traces(traces)
    return difference

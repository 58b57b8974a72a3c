# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Packets through the text of a program, in a process of its own: ``python -m quench_switch.trace.trial SECONDS``.

The process reads a ``Trial`` as JSON from its input and writes an ``Outcome`` as JSON. Its working folder is for it
alone. It limits itself first, so that no program and no packet can take memory, time or disk from others.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from quench_switch._native import CompileError, compile_p4
from quench_switch.arch import Arch
from quench_switch.errors import DataPlaneError
from quench_switch.outside.text import one_line, printable_lines
from quench_switch.stf.names import StfError
from quench_switch.stf.syntax import StfSyntaxError
from quench_switch.stf.tofino import guess_architecture

from . import packet_trace_pb2 as pb
from .offline import IDLE_NS, collect, start, work
from .setup import Setup, SetupError
from .tree import outcome_of, trees

MEMORY_BYTES: Final = 1 << 30
FILE_BYTES: Final = 4 << 20
"""Largest file that a trial may write: the program and its entries."""
TEXT_BYTES: Final = 256 << 10
"""Largest text of a program, and of its entries."""
MOST_PACKETS: Final = 64
PACKET_BYTES: Final = 10_000
MOST_GAP_NS: Final = 60_000_000_000
"""Longest virtual time between two packets."""
MOST_TRACES: Final = 256
MOST_TRACE_BYTES: Final = 2 << 20
"""Largest size of all traces of a trial; later packets have none."""
MOST_SENT: Final = 256
"""Packets that leave the switch and are told."""
OUTCOME_BYTES: Final = 8 << 20
"""Largest outcome."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A program, its entries and the packets."""

    name: str
    """The program's file, for messages; it is not read."""
    source: str
    """The text of the program."""
    entries: str
    """Statements of STF."""
    packets: list[tuple[int, str, int]]
    """Ports, bytes in hexadecimal, and the virtual time in ns since the packet before."""
    include: list[str] = field(default_factory=list)
    define: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """A field of a packet that came in."""

    header: str
    field: str
    offset_bits: int
    bits: int
    value: str


@dataclass(frozen=True, slots=True)
class Received:
    """A packet that came in."""

    outcome: str
    """The last line of its trace; empty where it has none."""
    fields: list[FieldPlace]
    """The fields that the parser took from it, as far as their places are known."""


@dataclass(slots=True)
class Outcome:
    """The result of a trial."""

    diagnostics: list[str] = field(default_factory=list)
    """Lines of the compiler; with errors nothing else is there."""
    error: str | None = None
    """A line where packets could not be sent."""
    packets: list[Received] = field(default_factory=list)
    """For each packet what the program did with it; fewer where there was no room for all."""
    trees: list[dict[str, Any]] = field(default_factory=list)
    """The traces (``quench_switch.trace.tree.Node``) of each packet that came in, copies inside."""
    sent: list[tuple[int, str]] = field(default_factory=list)
    """Ports, and bytes in hexadecimal."""
    omitted: str | None = None
    """A sentence that counts what was left out; None: nothing was."""


def run(trial: Trial) -> Outcome:
    """Compile and send. Files are written to the working folder."""
    outcome = Outcome()
    program, entries = Path(Path(trial.name).name), Path("entries.stf")
    program.write_text(trial.source, encoding="utf-8")
    entries.write_text(trial.entries, encoding="utf-8")
    arch = guess_architecture(program, trial.include, trial.define)
    try:
        compiled = compile_p4(str(program), trial.include, trial.define, arch=arch)
    except CompileError as error:
        outcome.diagnostics = printable_lines("\n".join(error.diagnostics)).splitlines()
        return outcome
    outcome.diagnostics = printable_lines("\n".join(compiled.warnings)).splitlines()
    try:
        # In front of a packet Tofino's parser finds metadata that are no bytes of it.
        _send(trial, Setup(compiled.json, entries=[entries]), outcome, knows_places=arch is not Arch.TNA)
    except DataPlaneError as error:
        outcome.error = one_line(error.message)
    except (SetupError, StfSyntaxError, StfError, UnicodeDecodeError) as error:
        outcome.error = one_line(str(error))
    return outcome


def _send(trial: Trial, setup: Setup, outcome: Outcome, *, knows_places: bool) -> None:
    switch, now_ns = start(setup)
    session = switch.trace()
    traces: list[pb.PacketTrace] = []
    size_bytes = omitted = 0

    def keep(trace: pb.PacketTrace) -> None:
        nonlocal size_bytes, omitted
        size_bytes += trace.ByteSize()
        if len(traces) < MOST_TRACES and size_bytes <= MOST_TRACE_BYTES:
            traces.append(trace)
        else:
            omitted += 1

    sent: list[tuple[int, bytes, int]] = []
    arrivals = []
    for port, octets, gap_ns in trial.packets:
        sent += work(switch, now_ns, now_ns + gap_ns)
        # No two packets come at one time: their traces are told apart by it.
        now_ns += max(gap_ns, 1)
        arrivals.append(now_ns)
        switch.receive(port, bytes.fromhex(octets), now_ns)
        sent += switch.advance(now_ns)
        collect(session, keep)
    sent += work(switch, now_ns, now_ns + IDLE_NS)
    collect(session, keep)
    outcome.sent = [(port, octets.hex()) for port, octets, _ in sent[:MOST_SENT]]
    left = (omitted + session.lost, "traces"), (len(sent[MOST_SENT:]), "packets that left")
    said = [f"{count} {what}" for count, what in left if count]
    outcome.omitted = f"There was no room for {' and '.join(said)}." if said else None
    layouts = _layouts(json.loads(setup.json))
    # Packets leave in another order than they came in, and the program's generator makes some of its own.
    came = {trace.input.time_ns: trace for trace in traces if not trace.input.parent_packet_id}
    for arrival_ns in arrivals:
        trace = came.get(arrival_ns)
        outcome.packets.append(
            Received("", [])
            if trace is None
            else Received(outcome_of(trace.root), list(_fields(trace, layouts)) if knows_places else [])
        )
    outcome.trees = [asdict(tree) for tree in trees(traces)]


def _layouts(program: Mapping[str, Any]) -> dict[str, list[tuple[str, int]]]:
    """The fields of each header with their widths, of headers whose fields all have one."""
    types = {each["name"]: each["fields"] for each in program["header_types"]}
    layouts = {}
    for header in program["headers"]:
        fields = [(name, width) for name, width, *_ in types[header["header_type"]]]
        if all(isinstance(width, int) for _, width in fields):
            layouts[header["name"]] = fields
    return layouts


def _fields(trace: pb.PacketTrace, layouts: Mapping[str, list[tuple[str, int]]]) -> Iterator[FieldPlace]:
    """The fields that the first parser took, as far as their places are known."""
    offset_bits = 0
    for event in trace.root.events:
        kind = event.WhichOneof("event")
        stage = event.pipeline_stage
        leaves = kind == "pipeline_stage" and stage.direction == pb.PipelineStageEvent.EXIT
        # The program skips bytes by a primitive whose length is no constant.
        if leaves or (kind == "primitive" and event.primitive.name == "advance"):
            return
        if kind == "extract":
            layout = layouts.get(event.extract.name)
            if layout is None:
                return
            values = {field.name.rpartition(".")[2]: field.value for field in event.extract.fields}
            for name, bits in layout:
                if name in values:
                    yield FieldPlace(event.extract.name, name, offset_bits, bits, values[name])
                offset_bits += bits


def _limit(time_s: int) -> None:
    """Seconds are those of the processor, and those of the clock."""
    for limit, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, time_s),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (most, most))
    # The server that started this process may be gone.
    signal.alarm(time_s)


def main() -> None:
    """Run one trial."""
    parser = ArgumentParser(description="Run the trial on stdin, and write its outcome to stdout: both are JSON.")
    parser.add_argument("seconds", type=int, help="limit of the processor's time, and of the clock's")
    _limit(parser.parse_args().seconds)
    trial = Trial(**json.loads(sys.stdin.buffer.read()))
    sys.stdout.write(json.dumps(asdict(run(trial))))


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Packets of a capture through a program, in virtual time."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from quench_switch._native import VirtualSwitch, read_pcap
from quench_switch.outside.files import TEST_BYTES, read_file
from quench_switch.outside.text import one_line
from quench_switch.reached import load_program
from quench_switch.stf.runner import StfRun
from quench_switch.stf.syntax import parse
from quench_switch.stf.tofino import architecture_of

from . import packet_trace_pb2 as pb
from .setup import Setup, SetupError

if TYPE_CHECKING:
    from quench_switch._native import Traces

_log = logging.getLogger(__name__)

CAPTURE_BYTES: Final = 64 << 20
IDLE_NS: Final = 60_000_000_000
"""Virtual time for which the switch may work after the last packet."""
TAKE_BYTES: Final = 1 << 20


def collect(session: Traces, keep: Callable[[pb.PacketTrace], None]) -> None:
    """Hand over all traces that are ready."""
    while traces := session.take(TAKE_BYTES):
        for trace in traces:
            keep(pb.PacketTrace.FromString(trace))


def start(setup: Setup) -> tuple[VirtualSwitch, int]:
    """A switch with its program, ports and entries, and the time at which packets may come.

    Raises ``DataPlaneError``, ``StfSyntaxError``, :class:`SetupError` and OSError.
    """
    program = load_program(setup.json, interpreted=True)
    cpu_port = setup.cpu_port or architecture_of(setup.json).cpu_port
    switch = VirtualSwitch(cpu_port=cpu_port, seed=setup.seed, priority_queues=setup.priority_queues)
    switch.load(program)
    for port, options in setup.ports.items():
        switch.port_set(port, options)
    now_ns = 0
    for path in setup.entries:
        text = read_file(path, TEST_BYTES).decode()
        if path.suffix == ".stf":
            run = StfRun(switch, start_ns=now_ns)
            difference = run.run(parse(text, str(path)))
            if difference is not None:
                raise SetupError(f"{path}:{difference.line}: {difference.message}")
            now_ns = run.now_ns
        else:
            # gRPC's messages take long to import, and not every packet needs them.
            from .p4runtime_entries import write

            write(switch, setup.p4info, setup.json, text, path)
    return switch, now_ns


def run(
    setup: Setup, capture: Path, ingress_port: int, packets: int | None, keep: Callable[[pb.PacketTrace], None]
) -> int:
    """Send the packets of a capture into a port, as far apart as they were captured, and keep the traces.

    Returns the number of traces that were lost. Raises as :func:`start`, and :class:`SetupError` for the capture.
    """
    switch, now_ns = start(setup)
    try:
        captured, is_cut = read_pcap(capture, CAPTURE_BYTES)
    except OSError as error:
        raise SetupError(f"{capture}: {error.strerror}") from error
    is_cut = is_cut and (packets is None or packets > len(captured))
    captured = captured[:packets]
    for warning in _incomplete(captured, is_cut=is_cut):
        _log.warning("%s: %s", one_line(str(capture)), warning)
    session = switch.trace()
    first_ns = captured[0][0] if captured else 0
    start_ns = now_ns
    for time_ns, packet, _ in captured:
        # Captures of several interfaces need not be in order.
        arrival_ns = max(now_ns, start_ns + time_ns - first_ns)
        deque(work(switch, now_ns, arrival_ns), maxlen=0)
        now_ns = arrival_ns
        switch.receive(ingress_port, packet, now_ns)
        switch.advance(now_ns)
        collect(session, keep)
    deque(work(switch, now_ns, now_ns + IDLE_NS), maxlen=0)
    collect(session, keep)
    return session.lost


def _incomplete(captured: Sequence[tuple[int, bytes, int]], *, is_cut: bool) -> Iterator[str]:
    """Say what of a capture's packets is missing: at most two lines, however many packets there are."""
    snapped = [(place, missing) for place, (_, _, missing) in enumerate(captured, 1) if missing]
    if snapped:
        place, missing = snapped[0]
        length = len(captured[place - 1][1]) + missing
        others = f" (in all {len(snapped)} packets are cut short)" if snapped[1:] else ""
        yield (
            f"packet {place} is cut short, {missing} of its {length} bytes were not captured{others}: "
            "only the captured bytes enter the switch, tcpdump -s 0 captures all"
        )
    if is_cut:
        yield (
            f"the file ends inside packet {len(captured) + 1}, and this packet is left out: "
            "the capture was not finished, or the file was not copied whole"
        )


def work(switch: VirtualSwitch, now_ns: int, until_ns: int) -> Iterator[tuple[int, bytes, int]]:
    """Let the switch do what is due until a time; gives what leaves on links: port, packet, and when."""
    while (due_ns := switch.next_event_ns()) is not None and due_ns <= until_ns:
        now_ns = max(now_ns, due_ns)
        yield from switch.advance(now_ns)
        switch.take_digests()

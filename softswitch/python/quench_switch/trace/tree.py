# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Traces as trees, of which the terminal shows lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from quench_switch.outside.text import printable

from . import packet_trace_pb2 as pb

FRAGMENT_CHARACTERS: Final = 60
"""The largest length of a statement behind its source line, in characters."""
FOLDERS: Final = 8
"""Parts at the end of a path that may distinguish it from others."""
FIELDS: Final = 24
"""The largest number of fields that are shown of one header."""

UNLIMITED_COLUMNS: Final = 1 << 20
"""The width for files and pipes, where a line has no end."""
NESTED_COPIES: Final = 6
"""Copies of copies that hang in one tree. Those of further ones have trees of their own, which are not indented."""
_MADE: Final = re.compile(r"(tbl|node)_\w+")
"""Names of tables and conditions that compilers make of statements."""

_NUMBER: Final = re.compile(r"0x[0-9a-f]{1,8}")
_COPIES: Final = {
    pb.CLONE_INGRESS: "clone in ingress",
    pb.CLONE_EGRESS: "clone in egress",
    pb.REPLICA: "replica",
    pb.RESUBMIT: "resubmitted",
    pb.RECIRCULATE: "recirculated",
}


@dataclass(slots=True)
class Node:
    """A line of a tree and those below it. Its text is printable."""

    text: str
    style: str = ""
    """As rich names it: ``bold`` for packets, stages and outcomes."""
    source: str = ""
    """``file:line  fragment`` with the short name of the file; empty where the program does not say it."""
    file: str = ""
    """The file as the program names it."""
    line: int = 0
    nodes: list[Node] = field(default_factory=list)

    def add(self, text: str, *, style: str = "") -> Node:
        """A new line below this one."""
        node = Node(printable(text), style)
        self.nodes.append(node)
        return node


def number(value: str) -> str:
    """A value with its decimal form, where that is another and still easy to read: not of a MAC address."""
    if not _NUMBER.fullmatch(value):
        return value
    decimal = int(value, 16)
    return f"{value} ({decimal})" if decimal > 9 else str(decimal)


def milliseconds(time_ns: int) -> str:
    """A time to print."""
    return f"{time_ns / 1e6:.6f} ms"


def _pairs(fields: Iterable[pb.FieldValue]) -> str:
    return ", ".join(f"{field.name}={number(field.value)}" for field in fields)


def _changes(changes: Iterable[pb.FieldChange]) -> str:
    return ", ".join(
        f"{change.name} = {number(change.after)}"
        + (f", was {number(change.before)}" if change.before != change.after else ", as before")
        for change in changes
    )


def _counter(counter: pb.CounterReading) -> str:
    return f"{counter.packets} packets ({counter.bytes} bytes)"


def is_made(event: pb.TableEvent) -> bool:
    """Whether the compiler made the table of statements."""
    return not event.key and _MADE.fullmatch(event.table) is not None


def table_line(event: pb.TableEvent) -> str:
    """The table, what was found in it, and the action."""
    entry = event.entry
    found = "miss"
    if event.hit:
        found = f"hit entry {entry.handle}"
        found += f", priority {entry.priority}" if entry.priority else ""
        found += f", member {entry.member}" if entry.HasField("member") else ""
        found += f", group {entry.group}" if entry.HasField("group") else ""
    action = f"{event.action}({_pairs(event.parameters)})" if event.action else "no action"
    return f"table {event.table}: {found}: {action}"


def _table(event: pb.TableEvent) -> list[str]:
    if is_made(event):
        return ["statements"]
    key = [
        f"{field.name} = {number(field.value)}" + (f" in {field.row}" if field.row else "") + f" ({field.match_kind})"
        for field in event.key
    ]
    lines = [table_line(event), *(f"key {field}" for field in key)]
    lines += [f"counter {_counter(event.counter)}"] if event.HasField("counter") else []
    lines += [f"meter {_changes([event.meter])}"] if event.HasField("meter") else []
    return lines


def _primitive(event: pb.PrimitiveEvent) -> str:
    parts = []
    if event.HasField("array"):
        array = event.array
        cell = f"{array.name}[{array.index}]"
        if array.out_of_range:
            cell += " (no such cell)"
        elif array.after:
            cell += f" = {number(array.after)}"
            cell += f", was {number(array.before)}" if array.before != array.after else ""
        elif array.HasField("counter"):
            cell += f" = {_counter(array.counter)}"
        parts.append(cell)
    if event.HasField("range"):
        parts.append(f"drawn from {event.range.low} to {event.range.high}")
    if event.calculation:
        parts.append(f"by {event.calculation}")
    if event.headers:
        parts.append(" from ".join(event.headers))
    if event.changes:
        parts.append(_changes(event.changes))
    if event.operands and not event.HasField("array"):
        parts.append(f"of {_pairs(event.operands)}")
    return f"{event.name} {'; '.join(parts)}"


def _copy(event: pb.CopyEvent, packet_id: int) -> str:
    text = _COPIES.get(event.kind, "copy")
    if event.kind in (pb.CLONE_INGRESS, pb.CLONE_EGRESS):
        text += f" by session {event.target}"
    elif event.kind == pb.REPLICA:
        text += f" for port {event.target}"
    if event.field_list:
        text += f", keeps field list {event.field_list}"
    return text if event.packet_id == packet_id else f"{text}: packet {event.packet_id}"


def _lines(event: pb.TraceEvent, packet_id: int) -> list[str]:
    """An event as a line, and further lines below it."""
    kind = event.WhichOneof("event")
    if kind == "parser_state":
        return [f"state {event.parser_state.name}"]
    if kind == "extract":
        fields = event.extract.fields
        rest = f", and {len(fields) - FIELDS} more" if len(fields) > FIELDS else ""
        return [f"extract {event.extract.name}: {_pairs(fields[:FIELDS])}{rest}"]
    if kind == "select":
        key = f"select {event.select.key}: " if event.select.key else ""
        return [f"{key}to {event.select.next_state}"]
    if kind == "parser_error":
        return [f"error {event.parser_error.error}"]
    if kind == "table":
        return _table(event.table)
    if kind == "condition":
        outcome = "true" if event.condition.outcome else "false"
        operands = f" ({_pairs(event.condition.operands)})" if event.condition.operands else ""
        name = "if" if _MADE.fullmatch(event.condition.name) else event.condition.name
        return [f"{name}: {outcome}{operands}"]
    if kind == "primitive":
        return [_primitive(event.primitive)]
    if kind == "copy":
        return [_copy(event.copy, packet_id)]
    if kind == "queue":
        queue = event.queue
        waited = (queue.dequeue_time_ns - queue.enqueue_time_ns) / 1e6
        return [
            f"queue {queue.queue} of port {queue.port}: {queue.enqueue_depth_pkts} packets"
            f" ({queue.enqueue_depth_bytes} bytes) in front of it, {queue.dequeue_depth_pkts}"
            f" ({queue.dequeue_depth_bytes} bytes) behind it, waited {waited:.6f} ms"
        ]
    if kind == "checksum":
        return [f"checksum {event.checksum.name}: {'right' if event.checksum.right else 'wrong'}"]
    if kind == "deparse":
        changed = [f"checksum {_changes([change])}" for change in event.deparse.checksums]
        return [f"emit {', '.join(event.deparse.headers)} and {event.deparse.payload_bytes} bytes", *changed]
    if kind == "action_call":
        return [f"action {event.action_call.action}"]
    return ["an event of a newer version"]


def short_names(files: Iterable[str]) -> dict[str, str]:
    """The end of each path that distinguishes it from the others, its name at the least.

    The work does not grow with hostile paths: those of many folders stay whole.
    """
    ends = {file: ["/".join(file.rsplit("/", n)[-n:]) for n in range(1, FOLDERS + 1)] for file in files}
    known = Counter(end for each in ends.values() for end in set(each))
    return {file: next((end for end in each if known[end] == 1), file) for file, each in ends.items()}


def _set_source(node: Node, source: pb.Source, files: Mapping[str, str]) -> None:
    if source.line:
        fragment = " ".join(source.fragment.split())
        if len(fragment) > FRAGMENT_CHARACTERS:
            fragment = fragment[:FRAGMENT_CHARACTERS] + "..."
        node.source = f"{printable(files[source.file])}:{source.line}  {printable(fragment)}"
        node.file, node.line = source.file, source.line


def outcome_of(root: pb.TraceTree) -> str:
    """The end of a packet in a line: the port that it was sent on, or why it was dropped."""
    if root.WhichOneof("outcome") == "transmit":
        sent = root.transmit
        return f"sent on port {sent.egress_port} at {milliseconds(sent.time_ns)}, {sent.packet_size} bytes"
    return f"dropped: {root.drop.reason}" if root.drop.reason else "dropped"


def _events(trace: pb.PacketTrace, tree: Node) -> Iterator[tuple[int, Node]]:
    """Adds the events; gives the copies and where they hang."""
    packet_id = trace.input.packet_id
    stage = action = tree
    files = short_names({event.source.file for event in trace.root.events})
    for event in trace.root.events:
        kind = event.WhichOneof("event")
        if kind == "pipeline_stage":
            entered = event.pipeline_stage.direction == pb.PipelineStageEvent.ENTER
            stage = tree.add(event.pipeline_stage.stage_name, style="bold") if entered else tree
            action = stage
            continue
        first, *rest = _lines(event, packet_id)
        # The steps of a state, table or action stand below it.
        is_inner = kind in ("primitive", "extract", "select", "parser_error")
        is_inner = is_inner or (kind == "condition" and event.condition.name in ("if", "verify", "assert"))
        node = (action if is_inner else stage).add(first)
        _set_source(node, event.source, files)
        for line in rest:
            node.add(line)
        if kind in ("parser_state", "table", "action_call"):
            action = node
        elif kind == "copy" and event.copy.packet_id != packet_id:
            yield event.copy.packet_id, node
    if trace.omitted_events:
        tree.add(f"{trace.omitted_events} events had no room", style="yellow")
    tree.add(outcome_of(trace.root), style="bold")


def draw(trace: pb.PacketTrace, copies: dict[int, pb.PacketTrace]) -> Node:
    """The tree of a packet, with the copies of it that are known; these are taken out of ``copies``."""
    start = trace.input
    text = f"packet {start.packet_id} into port {start.ingress_port} at {milliseconds(start.time_ns)}"
    text += f", {start.packet_bytes} bytes"
    if start.parent_packet_id:
        text += f", {_COPIES.get(start.copy_kind, 'copy')} of packet {start.parent_packet_id}"
    tree = Node(text, style="bold")
    # Without recursion: a packet may be cloned a thousand times in a row.
    left = [(trace, tree, 0)]
    while left:
        parent, node, depth = left.pop()
        for packet_id, place in _events(parent, node):
            copy = copies.pop(packet_id, None) if depth < NESTED_COPIES else None
            if copy is not None:
                left.append((copy, place, depth + 1))
    return tree


def trees(traces: Iterable[pb.PacketTrace]) -> Iterator[Node]:
    """A tree for each packet that arrived, in their order; copies hang in the trees of their originals."""
    left = {trace.input.packet_id: trace for trace in traces}
    # Each packet has a smaller number than its copies.
    for packet_id in sorted(left):
        trace = left.pop(packet_id, None)
        if trace is not None:
            yield draw(trace, left)


def show(trees: Iterable[Node], console: Console | None = None) -> None:
    """Print trees. Lines are never cut where nobody sees a terminal's edge."""
    console = console or Console(highlight=False)
    if not console.is_terminal:
        console.width = UNLIMITED_COLUMNS
    for tree in trees:
        console.print(_drawn(tree))


def _drawn(root: Node) -> Tree:
    """The lines with rich's branches. Without recursion: copies nest."""
    drawn = Tree(_label(root))
    left = [(root, drawn)]
    while left:
        node, place = left.pop()
        left += [(below, place.add(_label(below))) for below in node.nodes]
    return drawn


def _label(node: Node) -> Text:
    label = Text(node.text, style=node.style)
    if node.source:
        label.append(f"  {node.source}", style="dim")
    return label

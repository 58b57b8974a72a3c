# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The number of packets that were dropped, and where and by which entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from quench_switch.outside.text import one_line, printable

from . import packet_trace_pb2 as pb
from .tree import FRAGMENT_CHARACTERS, is_made, short_names, table_line

_DECIDES: Final = (".egress_spec", ".drop_ctl", ".ucast_egress_port")
"""Ends of the fields by which a program drops a packet."""
_FAILED: Final = "an assertion failed"
_BY_PROGRAM: Final = (
    "ingress chose the drop port",
    "egress chose the drop port",
    "ingress chose no port",
    "egress set drop_ctl",
    _FAILED,
)
"""Reasons that a statement gives, as the data plane words them."""


class Place(NamedTuple):
    """The reason and the place of a packet's drop. Texts are empty where a trace does not say it."""

    reason: str
    file: str = ""
    line: int = 0
    fragment: str = ""
    table: str = ""


@dataclass
class Summary:
    """Counts over traces."""

    packets: int = 0
    """The number of packets that arrived."""
    copies: int = 0
    sent: int = 0
    cut: int = 0
    """Traces that lack events: the place of a drop may be among them."""
    drops: Counter[Place] = field(default_factory=Counter)

    def add(self, trace: pb.PacketTrace) -> None:
        """Count a packet or a copy."""
        if trace.input.parent_packet_id:
            self.copies += 1
        else:
            self.packets += 1
        self.cut += trace.omitted_events > 0
        if trace.root.WhichOneof("outcome") == "transmit":
            self.sent += 1
        else:
            self.drops[_place(trace.root)] += 1

    def lines(self) -> Iterator[str]:
        """The summary as text, the most frequent drops first."""
        copies = f" and {self.copies} copies of them" if self.copies else ""
        yield f"{self.packets} packets{copies}: {self.sent} sent, {self.drops.total()} dropped"
        files = short_names({place.file for place in self.drops})
        for place, count in sorted(self.drops.items(), key=lambda item: (-item[1], item[0])):
            texts = [place.reason or "dropped"]
            if place.line:
                fragment = " ".join(place.fragment.split())[:FRAGMENT_CHARACTERS]
                texts.append(f"at {files[place.file]}:{place.line} {fragment}".rstrip())
            if place.table:
                texts.append(place.table)
            yield printable(one_line(f"{count:>8}  {'; '.join(texts)}"))
        if self.cut:
            yield f"{self.cut} traces had no room for all events: the place of their drops may be missing"


def _place(root: pb.TraceTree) -> Place:
    """The last statement that decided it, and the table whose action it stands in.

    Where no statement did, as with a full queue, the reason is all there is.
    """
    reason = root.drop.reason
    place = Place(reason)
    if reason not in _BY_PROGRAM:
        return place
    table = ""
    for event in root.events:
        kind = event.WhichOneof("event")
        if kind == "table":
            table = "" if is_made(event.table) else table_line(event.table)
        elif kind in ("action_call", "parser_state", "pipeline_stage"):
            table = ""
        elif _decides(event, reason):
            source = event.source
            place = Place(reason, source.file, source.line, source.fragment, table)
    return place


def _decides(event: pb.TraceEvent, reason: str) -> bool:
    if reason == _FAILED:
        return event.WhichOneof("event") == "condition" and event.condition.name == "assert"
    return any(change.name.endswith(_DECIDES) for change in event.primitive.changes)

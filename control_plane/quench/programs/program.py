# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A compiled program with its description: the P4Runtime entries that a controller writes for it."""

from collections.abc import Iterable
from ipaddress import ip_network
from typing import Any

import finsy as fy
from finsy.proto import p4i
from google.protobuf import text_format
from pydantic import BaseModel, ConfigDict

from quench.config.model import MAX_PORT, RouteConfig
from quench.programs.description import Description, EntryTemplate, QueueSettings

MALFORMED = (ValueError, LookupError, AssertionError, AttributeError, TypeError)
"""Exceptions of finsy for an entry that does not fit a P4Info."""


class ProgramError(ValueError):
    """A description that does not fit its program. One line."""


class SwitchProgram(BaseModel):
    """A program by value: a scenario that has it needs no file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    description: Description
    json_text: str
    """BMv2 JSON."""
    p4info_text: str

    def make_schema(self) -> fy.P4Schema:
        """The P4Info for encoding, with the JSON for a switch. Raises ProgramError."""
        try:
            return fy.P4Schema(text_format.Parse(self.p4info_text, p4i.P4Info()), self.json_text.encode())
        except (*MALFORMED, text_format.ParseError) as error:
            raise ProgramError(f"it is no P4Info: {' '.join(str(error).split())}") from error

    def once(self) -> list[fy.P4TableEntry]:
        """The entries that each switch has."""
        return [_entry(each, {}) for each in self.description.once]

    def route(self, config: RouteConfig) -> fy.P4TableEntry:
        """The entry of a route."""
        return _entry(self.description.route, config.model_dump())

    def queue(self, port: int, queue: int, rate_bps: int, settings: QueueSettings) -> list[fy.P4TableEntry]:
        """The entries of a managed queue. Raises ValueError for settings that make no sense."""
        variables = {"port": port, "queue": queue, "rate_bps": rate_bps, **self.description.values(settings)}
        return [_entry(each, variables) for each in self.description.queue]

    def check(self) -> None:
        """Encode an entry of each kind. Raises ProgramError with the first that does not fit the program."""
        schema = self.make_schema()
        mac = "00:00:00:00:00:01"
        route = RouteConfig(prefix=ip_network("10.0.0.0/8"), port=MAX_PORT, source_mac=mac, destination_mac=mac)
        check_entries((*self.once(), self.route(route), *self.queue(1, 0, 10_000_000, {})), schema)
        for name in self.description.counters.by_role().values():
            try:
                fy.P4CounterEntry(name, index=MAX_PORT).encode(schema)
            except MALFORMED as error:
                raise ProgramError(f"counter {name}: {error}") from error

    def tables(self) -> list[str]:
        """The tables that the description writes, each once."""
        templates = (*self.description.once, self.description.route, *self.description.queue)
        return list(dict.fromkeys(each.table for each in templates))


def check_entries(entries: Iterable[fy.P4TableEntry], schema: fy.P4Schema) -> None:
    """Encode entries. Raises ProgramError with the first that does not fit the program."""
    for entry in entries:
        try:
            entry.encode(schema)
        except MALFORMED as error:
            raise ProgramError(f"an entry of table {entry.table_id} does not fit the program: {error}") from error


def _entry(template: EntryTemplate, variables: dict[str, Any]) -> fy.P4TableEntry:
    match, arguments = template.filled(variables.__getitem__)
    action = fy.P4TableAction(template.action, **arguments)
    if not template.match:
        return fy.P4TableEntry(template.table, action=action, is_default_action=True)
    return fy.P4TableEntry(
        template.table,
        # P4Runtime: a prefix of length 0 is a field that is left out.
        match=fy.P4TableMatch({name: value for name, value in match.items() if getattr(value, "prefixlen", 1)}),
        action=action,
        priority=template.priority or 0,
    )

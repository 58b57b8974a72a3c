# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A switch whose program is not Quench's: its description says what the controller writes and reads."""

from pathlib import Path
from typing import Any

import finsy as fy
from finsy import GRPCStatusCode

from quench.client.counters import Counts, port_counters, read_counters
from quench.client.session import Session, SessionError
from quench.client.tables import batches, entry_of, put_numbered, reconcile, write
from quench.config.model import SwitchConfig
from quench.errors import ConfigError
from quench.programs import SwitchProgram, load_program
from quench.programs.entities import NUMBERED, ProgramError, in_order, is_value, named

COUNTER_PREFIX = "port_"
"""With the kind behind it a counter has the name that Quench's program has for the same: ``port_marked``."""

_OF_ENTRIES = (fy.P4TableEntry, fy.P4DirectMeterEntry)
"""Tables' entities."""


class OwnProgram:
    """The program of one switch with its settings in the configuration. Raises ConfigError."""

    def __init__(self, path: Path, switch: SwitchConfig) -> None:
        self._program: SwitchProgram = load_program(path)
        try:
            self._program.check_v1model()
        except ProgramError as error:
            raise ConfigError(f"{path}: {error}") from error
        self._path = path
        self._switch = switch
        self.schema = self._program.p4_schema
        self.ports = sorted(switch.ports)
        self.queues = [(number, port.queue, port.rate) for number, port in sorted(switch.ports.items())]
        """The managed queues: port, queue, and the port's rate in bits/s."""
        self._has_values = False
        # Afterwards an entry that cannot be encoded is a fault of the controller.
        self._entities()

    @property
    def title(self) -> str:
        """The program's title."""
        return self._program.description.title

    def _entities(self) -> list[Any]:
        """The entities that the switch shall have, in the order in which it takes them. Raises ConfigError."""
        program, switch = self._program, self._switch
        place = f"switch {switch.name!r}"
        links = sorted({*switch.ports, *switch.route_ports})
        try:
            found = [*program.once(switch.name), *program.routes(switch.routes, links)]
            for port in links:
                found += program.port(port)
            in_order(found, self.schema)
            for number, managed in switch.ports.items():
                place = f"port {number} of switch {switch.name!r}"
                own = program.queue(number, managed.queue, managed.rate, managed.settings or {}, managed.buffer)
                found += in_order(own, self.schema)
            place = f"switch {switch.name!r}"
            return in_order(found, self.schema)
        except ValueError as error:
            raise ConfigError(f"{self._path}: {place}: {error}") from error

    async def program(self, session: Session, *, is_new: bool) -> None:
        """Make the switch what the description says; what is right already stays. Raises SessionError.

        Values of registers, meters and value sets are written where the program ``is_new`` in the switch, and by a
        controller that starts: in between, they are the program's. The rates of an entry are also written with it.
        """
        wanted = self._entities()
        left = await self._put_numbered(session, [each for each in wanted if isinstance(each, NUMBERED)])
        of_entries = [each for each in wanted if isinstance(each, fy.P4DirectMeterEntry)]
        values = [each for each in wanted if is_value(each) and not isinstance(each, _OF_ENTRIES)]
        writes_values = is_new or not self._has_values
        if writes_values:
            # The values are written before routes let packets in.
            await _write_values(session, values)
        entries = [each for each in wanted if isinstance(each, fy.P4TableEntry)]
        written = await reconcile(session, self._program.tables(), entries)
        await _write_values(
            session, [each for each in of_entries if writes_values or entry_of(each, self.schema) in written]
        )
        self._has_values = True
        # Now that no entry names them.
        await write(session, [-each for each in reversed(left)])

    async def _put_numbered(self, session: Session, wanted: list[Any]) -> list[Any]:
        """Insert and replace; what the switch has beyond that, of the kinds that the description writes."""
        patterns: list[Any] = [
            kind(profile)
            for kind in (fy.P4ActionProfileMember, fy.P4ActionProfileGroup)
            for profile in self._program.profiles()
        ]
        patterns += self._program.copies()
        return await put_numbered(session, patterns, wanted)

    async def counters(self, session: Session) -> dict[int, Counts]:
        """The program's counters by port, of each managed port. Raises fy.P4ClientError, SessionError."""
        # finsy names what it reads by the alias.
        roles = port_counters(self.schema) | {
            self.schema.counters[name].alias: f"{COUNTER_PREFIX}{role}"
            for role, name in self._program.description.counters.by_role().items()
        }
        return await read_counters(session, roles, self.ports)


async def _write_values(session: Session, values: list[Any]) -> None:
    """Raises SessionError with the names of those that the switch's P4Runtime does not know, as BMv2's."""
    for batch in batches(values):
        try:
            await session.write(batch)
        except fy.P4ClientError as error:
            unknown = [
                named(batch[place])
                for place, each in error.details.items()
                if each.canonical_code == GRPCStatusCode.UNIMPLEMENTED
            ]
            if not unknown:
                raise
            raise SessionError(f"it does not take {unknown[0]} over P4Runtime", GRPCStatusCode.UNIMPLEMENTED) from error

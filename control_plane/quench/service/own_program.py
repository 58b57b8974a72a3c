# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A switch whose program is not Quench's: its description says what the controller writes and reads."""

from pathlib import Path

from quench.config.model import SwitchConfig
from quench.errors import ConfigError
from quench.programs import SwitchProgram, load_program
from quench.programs.program import check_entries
from quench.switch.counters import Counts, port_counters, read_counters
from quench.switch.session import Session
from quench.switch.tables import reconcile

COUNTER_PREFIX = "port_"
"""With the kind behind it a counter has the name that Quench's program has for the same: ``port_marked``."""


class OwnProgram:
    """The program of one switch with its settings in the configuration. Raises ConfigError."""

    def __init__(self, path: Path, switch: SwitchConfig) -> None:
        self._program: SwitchProgram = load_program(path)
        self.schema = self._program.make_schema()
        self.ports = sorted(switch.ports)
        self.queues = [(number, port.queue, port.rate) for number, port in sorted(switch.ports.items())]
        """The managed queues: port, queue, and the port's rate in bits/s."""
        self._entries = [*self._program.once(), *(self._program.route(route) for route in switch.routes)]
        place = f"{path}: switch {switch.name!r}"
        try:
            # Afterwards an entry that cannot be encoded is a fault of the controller.
            check_entries(self._entries, self.schema)
            for number, port in switch.ports.items():
                place = f"{path}: port {number} of switch {switch.name!r}"
                own = self._program.queue(number, port.queue, port.rate, port.settings or {})
                check_entries(own, self.schema)
                self._entries += own
        except ValueError as error:
            raise ConfigError(f"{place}: {error}") from error

    @property
    def title(self) -> str:
        """The program's title."""
        return self._program.description.title

    async def program(self, session: Session) -> None:
        """Make the tables that the description names what it says; entries that are right already stay."""
        await reconcile(session, self._program.tables(), self._entries)

    async def counters(self, session: Session) -> dict[int, Counts]:
        """The program's counters by port, of each managed port. Raises fy.P4ClientError, SessionError."""
        # finsy names what it reads by the alias.
        roles = port_counters(self.schema) | {
            self.schema.counters[name].alias: f"{COUNTER_PREFIX}{role}"
            for role, name in self._program.description.counters.by_role().items()
        }
        return await read_counters(session, roles, self.ports)

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The seam between the controller and the program on a switch.

A profile is rows under an id in several tables; one entry, the pointer, gives a queue an id. All that depends on
how a program says it is a method here. Entries are made here and written elsewhere, so the simulator uses them too.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import finsy as fy

from quench.client.entries import argument_of, key_of, number_of
from quench.client.packet_in import Copy
from quench.client.pipelines.filters import Filter
from quench.config.model import TnaConfig
from quench.profiles import Curve, ProfileSettings

QueueKey = tuple[int, int]
"""Port and queue."""
PRIORITY = 1
"""The priority of entries with a range, which P4Runtime requires; the rows of a profile do not overlap."""


class Rows(Protocol):
    """A compiled profile."""

    @property
    def parameters(self) -> Any:
        """A dataclass of the arguments of ``set_parameters``."""

    @property
    def curve(self) -> tuple[Any, ...]:
        """Dataclasses of a range, ``low`` and ``high``, and the arguments of ``set_segment``."""


RowsT = TypeVar("RowsT", bound=Rows)


@dataclass(frozen=True, slots=True)
class Found:
    """The parameters and the curve that a profile has on a switch, as the dataclasses of the pipeline's rows."""

    parameters: Any
    curve: tuple[Any, ...]
    time_constant_ns: float | None = None
    """The time constant of the queue's filter, where the program has one and the switch tells it."""

    @property
    def sends_isqs(self) -> bool:
        """Whether the switch itself sends the source quenches."""
        return bool(self.parameters.isq_in_dataplane)


class Pipeline(ABC, Generic[RowsT]):
    """One of Quench's programs."""

    arch: ClassVar[str]
    """The architecture by its name in P4Info."""
    cpu_port: ClassVar[int]
    """The port of the CPU, where the configuration gives none."""
    queue_profile: ClassVar[str]
    """The table of the pointers."""
    parameter_tables: ClassVar[tuple[str, ...]]
    """Those with one row for each profile. All of them have the same."""
    curve_tables: ClassVar[tuple[str, ...]]
    parameters_type: ClassVar[type]
    absent_parameters: ClassVar[frozenset[str]] = frozenset()
    """Fields of ``parameters_type`` that the program's ``set_parameters`` lacks; they are 0."""
    curve_row_type: ClassVar[type]
    average_key_max: ClassVar[int]
    """The largest key of the curve's rows."""
    average_register: ClassVar[str | None] = None
    """Register of the averages, by ``queue_index``; None: there is none that P4Runtime reads as a number."""
    average_one_pkt: ClassVar[int] = 1
    """The register's value for an average of one packet."""
    average_filter: ClassVar[str | None] = None
    """Filter of the averages, by ``queue_index``, where the program has one."""
    depth_register: ClassVar[str | None] = None
    """Register of the depths that the last packets saw."""
    takes_tna_settings: ClassVar[bool] = False
    """Whether the configuration's ``tna`` is for it."""
    takes_groups: ClassVar[bool] = True
    """Whether a route may have several next hops."""
    takes_descriptions: ClassVar[bool] = True
    """Whether a controller writes to other programs of the architecture, by their descriptions."""

    @property
    def profile_tables(self) -> tuple[str, ...]:
        """The tables whose rows belong to a profile. In this order they are deleted."""
        return (*self.parameter_tables, *self.curve_tables)

    @abstractmethod
    def compile(self, settings: ProfileSettings, rate_bps: int, *, isq_in_dataplane: bool = False) -> RowsT:
        """The rows for a queue served at a rate. Raises ValueError for what the tables cannot say."""

    @abstractmethod
    def sessions(self, cpu_port: int | None = None, options: TnaConfig | None = None) -> list[fy.P4CloneSessionEntry]:
        """The sessions by which the program copies packets."""

    def constants(self) -> Mapping[str, Iterable[fy.P4TableEntry]]:
        """Tables that the controller fills once, with the same rows for all profiles."""
        return {}

    def profile(self, profile_id: int, rows: RowsT) -> Iterator[fy.P4TableEntry]:
        """All entries of a profile under an id, without the pointer that puts it to use."""
        parameters = asdict(rows.parameters)
        parameters = {name: value for name, value in parameters.items() if name not in self.absent_parameters}
        for table in self.parameter_tables:
            yield fy.P4TableEntry(
                table,
                match=fy.P4TableMatch(profile=profile_id),
                action=fy.P4TableAction(sibling(table, "set_parameters"), **parameters),
            )
        for table in self.curve_tables:
            for row in rows.curve:
                arguments = asdict(row)
                match = ranged(profile_id, "average", arguments.pop("low"), arguments.pop("high"), self.average_key_max)
                action = fy.P4TableAction(sibling(table, "set_segment"), **arguments)
                yield fy.P4TableEntry(table, match=match, action=action, priority=PRIORITY)

    def pointer(self, port: int, queue: int, profile_id: int) -> fy.P4TableEntry:
        """The entry that gives a queue its profile."""
        return fy.P4TableEntry(
            self.queue_profile,
            match=fy.P4TableMatch(port=port, queue=queue),
            action=fy.P4TableAction(sibling(self.queue_profile, "use_profile"), profile=profile_id),
        )

    def filter(self, port: int, queue: int, rows: RowsT) -> Filter | None:  # noqa: ARG002 - of programs with filters
        """The filter of a queue with this profile, set before the pointer moves; None: the program has none."""
        return None

    def filter_value_of_packet(self, mean_packet_bytes: int) -> float:  # noqa: ARG002
        """The value of ``average_filter`` for an average of one packet of this size."""
        return 1.0

    def filter_of(self, port: int, queue: int) -> fy.P4ExternEntry | None:  # noqa: ARG002
        """The entity that asks for a queue's filter."""
        return None

    def shared(
        self,
        profiles: Iterable[RowsT],  # noqa: ARG002 - of programs with such
        options: TnaConfig | None = None,  # noqa: ARG002
    ) -> list["SharedDefault"]:
        """Default actions with an argument that does for all of these profiles."""
        return []

    def found(
        self, parameters: fy.P4TableEntry, curve: Iterable[fy.P4TableEntry], time_constant_ns: float | None = None
    ) -> Found:
        """A profile by its entries in one table of each kind, and its queue's filter. Raises SessionError."""
        names = [field.name for field in fields(self.parameters_type)]
        values = [0 if name in self.absent_parameters else argument_of(parameters, name) for name in names]
        return Found(
            self.parameters_type(*values),
            tuple(sorted((self._curve_row(entry) for entry in curve), key=lambda row: int(row.low))),
            time_constant_ns,
        )

    def _curve_row(self, entry: fy.P4TableEntry) -> Any:
        names = [field.name for field in fields(self.curve_row_type) if field.name not in ("low", "high")]
        average = entry.match.get("average") if entry.match is not None else None
        low, high = (0, self.average_key_max) if average is None else average
        arguments = (argument_of(entry, each) for each in names)
        return self.curve_row_type(number_of(entry, "low", low), number_of(entry, "high", high), *arguments)

    @abstractmethod
    def settings(self, found: Found, rate_bps: int) -> ProfileSettings:
        """The settings of a named scheme that make these rows. Raises ValueError if there are none."""

    @abstractmethod
    def curve(self, found: Found) -> Curve:
        """The curve that the rows stand for, within their rounding; without the levels of source quenches."""

    def in_packets(self, copy: Copy, mean_packet_bytes: int) -> Copy:  # noqa: ARG002 - of programs with other units
        """A packet-in with depths in packets of mean size and time in microseconds."""
        return copy


@dataclass(frozen=True, slots=True)
class SharedDefault:
    """A default action with an argument that must do for several profiles: of two values the lower does for both."""

    entry: fy.P4TableEntry
    argument: str

    def is_done_by(self, present: fy.P4TableEntry) -> bool:
        """Whether the value that a switch has does for this one, too. Raises SessionError."""
        return argument_of(present, self.argument) <= argument_of(self.entry, self.argument)


def profile_of(entry: fy.P4TableEntry) -> int:
    """The profile to which a row belongs. Raises SessionError for a row of no profile."""
    return key_of(entry, "profile")


def queue_of(entry: fy.P4TableEntry) -> tuple[QueueKey, int]:
    """The port and queue of a pointer, and the number of the profile that they have. Raises SessionError."""
    return (key_of(entry, "port"), key_of(entry, "queue")), argument_of(entry, "profile")


def ranged(profile_id: int, field: str, low: int, high: int, maximum: int) -> fy.P4TableMatch:
    """The key of a row of a profile with a range."""
    # P4Runtime: a range that holds everything is a field that is left out.
    everything = low == 0 and high == maximum
    return fy.P4TableMatch({"profile": profile_id} | ({} if everything else {field: (low, high)}))


def sibling(name: str, other: str) -> str:
    """The name of something else in the same control."""
    return f"{name.rpartition('.')[0]}.{other}"

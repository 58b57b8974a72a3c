# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""All entities of one pipeline: writes, reads, and carrying the state over to another data plane."""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from quench_switch.arch import architecture
from quench_switch.errors import DataPlaneError
from quench_switch.messages import p4d, p4r

from .access import FULL_ACCESS, Access
from .arrays import Counters, Meters, Registers
from .digest_config import Digests
from .direct import DirectCounters, DirectMeters
from .errors import Code, RequestError, cut, invalid, unimplemented
from .externs import Externs, is_configured
from .idle import IdleTimeouts
from .limits import CELLS, ENTRY_METADATA_BYTES, PAGE, STATE_BYTES, STATE_FACTOR
from .pipeline import Pipeline
from .profiles import Groups, Members
from .replication import ReplicationEngine
from .state import DELETE, INSERT, MODIFY, EntityHandler, EntityReader, State
from .tables import TableEntries
from .updates import WriteUpdates
from .value_sets import ValueSets

if TYPE_CHECKING:
    from quench_switch._native import Control

_log = logging.getLogger(__name__)

_NO_LOCK: Final = nullcontext()
_ZEROS = (p4d.P4Data(bitstring=b"\0"), p4d.P4Data(bool=False), p4d.P4Data(enum_value=b"\0"))


class Entities:
    """P4Runtime's view of a pipeline that runs on a data plane."""

    def __init__(self, pipeline: Pipeline, control: Control, state_bytes: int = STATE_BYTES) -> None:
        self._state_bytes = state_bytes
        self.state = State(pipeline, control)
        self._access = FULL_ACCESS
        tables = TableEntries(self.state)
        self._direct = tables.direct
        self.use(pipeline)
        self.idle_timeouts = IdleTimeouts(self.state, tables)
        self._members = Members(self.state)
        self._handlers: dict[str, EntityHandler] = {
            "table_entry": tables,
            "direct_counter_entry": DirectCounters(self.state, tables),
            "direct_meter_entry": DirectMeters(self.state, tables),
            "action_profile_group": Groups(self.state),
            "counter_entry": Counters(self.state),
            "meter_entry": Meters(self.state),
            "register_entry": Registers(self.state),
            "value_set_entry": ValueSets(self.state),
            "packet_replication_engine_entry": ReplicationEngine(self.state),
            "digest_entry": Digests(self.state),
            "extern_entry": Externs(self.state, tables),
        }

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline that ids refer to."""
        return self.state.pipeline

    def _kind(self, entity: p4r.Entity) -> str:
        kind = entity.WhichOneof("entity")
        if kind is None:
            raise invalid("the entity is empty")
        if kind == "extern_entry" and not self.pipeline.externs:
            raise unimplemented("extern entries: the program has no externs beyond those with entities of their own")
        return str(kind)

    def use(self, pipeline: Pipeline) -> None:
        """Go on with a pipeline that differs in nothing that entities are about."""
        self.state.pipeline = pipeline
        self.state.forms = self.state.control.forms(
            pipeline, self._direct, ENTRY_METADATA_BYTES, STATE_FACTOR, self._state_bytes
        )

    def write(self, update: p4r.Update) -> RequestError | None:
        """Apply one update; the error if it is refused."""
        _, refused = self.apply_some(WriteUpdates.of(self.state.control, [update]), 0, 1)
        return refused[0][1] if refused else None

    def write_together(self, updates: Iterable[p4r.Update]) -> tuple[int, RequestError] | None:
        """Apply updates at one moment, or none of them: the place and the error of the first refused."""
        return self.apply_together(WriteUpdates.of(self.state.control, updates))

    def apply_some(self, updates: WriteUpdates, place: int, end: int) -> tuple[int, list[tuple[int, RequestError]]]:
        """Apply updates one after the other, each on its own: up to which place, and the errors of those refused."""
        other = updates.others.get(place)
        if other is not None:
            with self._all_or_nothing():
                error = self._stage(other)
                refusal = self._settle([len(self.state.changes)], None if error is None else (0, error), _NO_LOCK)
            return place + 1, [] if refusal is None else [(place, refusal[1])]
        state, may_write = self.state, self._may_write()
        place, refused = state.forms.apply(state.control, updates.native, place, end, may_write)
        return place, [(failed, RequestError.of_data_plane(error)) for failed, error in refused]

    def apply_together(
        self,
        updates: WriteUpdates,
        lock: AbstractContextManager[object] = _NO_LOCK,
        *,
        in_parts: bool = False,
    ) -> tuple[int, RequestError] | None:
        """Apply updates in their order at one moment, or none of them: the place and the error of the first refused.

        ``lock`` is held while the state changes. ``in_parts``: packets may pass between the updates.
        """
        with self._all_or_nothing():
            return self._settle(*self._staged(updates), lock, in_parts=in_parts)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Forget what is staged where something breaks: the next Write would apply it. A panic is no Exception."""
        try:
            yield
        except BaseException:
            self.state.changes.apply(keep=False)
            self.state.settle(keep=False)
            raise

    def _staged(self, updates: WriteUpdates) -> tuple[list[int], tuple[int, RequestError] | None]:
        """Stage updates: the changes up to the end of each, and the place and the error of the first refused."""
        ends: list[int] = []
        state, may_write = self.state, self._may_write()
        refusal = None
        while refusal is None and len(ends) < len(updates):
            other = updates.others.get(len(ends))
            if other is None:
                more, refused = state.forms.stage(state.changes, updates.native, len(ends), may_write)
                ends += more
                error = None if refused is None else RequestError.of_data_plane(refused)
            else:
                error = self._stage(other)
                if error is None:
                    ends.append(len(state.changes))
            refusal = None if error is None else (len(ends), error)
        return ends, refusal

    def _settle(
        self,
        ends: Sequence[int],
        refusal: tuple[int, RequestError] | None,
        lock: AbstractContextManager[object],
        *,
        in_parts: bool = False,
    ) -> tuple[int, RequestError] | None:
        """Carry out what is staged, or nothing; ``ends`` are the changes up to the end of each update."""
        with lock:
            # With a refusal, too: an earlier update may be the first that the data plane refuses.
            refused = self.state.changes.apply(keep=refusal is None, in_parts=in_parts)
            if refused is not None:
                place, cause = refused
                refusal = bisect_right(ends, place), RequestError.of_data_plane(cause)
            self.state.settle(keep=refusal is None)
        return refusal

    def _may_write(self) -> Callable[[str, int, int], None] | None:
        """The check of a role that may not write everything."""
        return None if self._access.is_full else partial(self._access.check_write, self.pipeline)

    def _stage(self, update: p4r.Update) -> RequestError | None:
        """Check one update as far as P4Info and the messages go, and stage what it changes."""
        try:
            if update.type not in (INSERT, MODIFY, DELETE):
                raise invalid(f"update type {update.type} is not INSERT, MODIFY or DELETE")
            kind = self._kind(update.entity)
            self._access.check(update.entity, self.pipeline)
            if update.type != DELETE:
                self.state.changes.room_check(STATE_FACTOR * update.ByteSize(), self._state_bytes)
            self._handlers[kind].write(update.type, getattr(update.entity, kind))
        except RequestError as error:
            return error.bare()
        except DataPlaneError as error:
            return RequestError.of_data_plane(error)
        except Exception:  # noqa: BLE001 - no message may end the switch
            _log.exception("an update broke the server: %s", cut(repr(update)))
            return RequestError(Code.INTERNAL, "internal error, see the switch's log")
        return None

    def begin(self, access: Access, cells: int = CELLS) -> None:
        """A new Write of a role, which may set so many cells by updates without an index."""
        self._access = access
        self.state.cells_left = cells

    def read(self, entities: Iterable[p4r.Entity], access: Access = FULL_ACCESS) -> Iterator[p4r.Entity | None]:
        """All that the requests select and a role is shown; None lets others have their turn.

        Raises :class:`RequestError`.
        """
        try:
            for entity in entities:
                kind = self._kind(entity)
                reader: EntityReader = self._members if kind == "action_profile_member" else self._handlers[kind]
                hidden = 0
                for found in reader.read(getattr(entity, kind)):
                    if found is None or access.allows(found, self.pipeline):
                        yield found
                        continue
                    hidden += 1
                    if hidden % PAGE == 0:
                        yield None
        except DataPlaneError as error:
            raise RequestError.of_data_plane(error) from error

    def snapshot(self) -> Iterator[p4r.Update]:
        """Updates that bring a fresh data plane to this state, but for idle times, meters' buckets and colors."""
        wildcard = p4r.TableEntry()
        wildcard.counter_data.SetInParent()
        wildcard.meter_config.SetInParent()
        default = p4r.TableEntry(is_default_action=True)
        requests = [
            p4r.Entity(action_profile_member=p4r.ActionProfileMember()),
            p4r.Entity(action_profile_group=p4r.ActionProfileGroup()),
            p4r.Entity(table_entry=wildcard),
            p4r.Entity(packet_replication_engine_entry=p4r.PacketReplicationEngineEntry()),
            p4r.Entity(digest_entry=p4r.DigestEntry()),
            p4r.Entity(table_entry=default),
            p4r.Entity(direct_counter_entry=p4r.DirectCounterEntry(table_entry=default)),
            p4r.Entity(direct_meter_entry=p4r.DirectMeterEntry(table_entry=default)),
            p4r.Entity(value_set_entry=p4r.ValueSetEntry()),
            p4r.Entity(counter_entry=p4r.CounterEntry()),
            p4r.Entity(meter_entry=p4r.MeterEntry()),
            p4r.Entity(register_entry=p4r.RegisterEntry()),
        ]
        if self.pipeline.externs:
            requests.append(p4r.Entity(extern_entry=p4r.ExternEntry()))
        has_zeros = architecture(self.pipeline.p4info.pkg_info.arch).registers_start_at_zero
        for entity in self.read(requests):
            if entity is None:
                continue
            entry = entity.table_entry
            if entry.is_default_action and entry.table_id not in self.state.default_metadata.settled:
                continue
            kind = _carry_over(entity, zeros=has_zeros)
            if kind is not None:
                yield p4r.Update(type=kind, entity=entity)

    def restore(self, state: Entities) -> None:
        """Bring a freshly loaded program to the state of another one. Raises the first refusal.

        If the other has a table too, the entries that the fresh program starts with are part of that state only where
        the other still has them.
        """
        self._access = FULL_ACCESS
        tables = state.pipeline.tables_by_name
        initial = [update for update in self._initial() if self._name(update) in tables]
        for update in chain(initial, state.snapshot()):
            error = self.write(update)
            if error is not None:
                raise error

    def _initial(self) -> Iterator[p4r.Update]:
        """Deletions of the entries that a fresh program starts with, but of those that are constant."""
        for entity in self.read([p4r.Entity(table_entry=p4r.TableEntry())]):
            if entity is not None and not entity.table_entry.is_const:
                yield p4r.Update(type=DELETE, entity=entity)

    def _name(self, update: p4r.Update) -> str:
        return self.pipeline.tables[update.entity.table_entry.table_id].name


def _carry_over(entity: p4r.Entity, *, zeros: bool) -> p4r.Update.Type.ValueType | None:
    """The update by which a snapshot brings an entity back; None where a fresh program has it already.

    Fresh registers may be zeros.
    """
    kind = entity.WhichOneof("entity")
    if kind == "table_entry":
        entry = entity.table_entry
        if not entry.is_const:
            return MODIFY if entry.is_default_action else INSERT
        if entry.is_default_action or not (entry.HasField("counter_data") or entry.HasField("meter_config")):
            return None
        # Only the direct resources of constant entries can differ.
        entry.is_const = False
        entry.ClearField("action")
        return MODIFY
    if kind in ("counter_entry", "direct_counter_entry") and getattr(entity, kind).data == p4r.CounterData():
        return None
    if kind in ("meter_entry", "direct_meter_entry") and not getattr(entity, kind).HasField("config"):
        return None
    if kind == "register_entry" and zeros and entity.register_entry.data in _ZEROS:
        return None
    if kind == "extern_entry" and not is_configured(entity.extern_entry):
        return None
    if kind in ("action_profile_member", "action_profile_group", "packet_replication_engine_entry", "digest_entry"):
        return INSERT
    return MODIFY

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The state that the entity handlers share: the pipeline, the data plane, and values that only the server has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from quench_switch.messages import p4r

from .errors import exhausted, invalid, out_of_range
from .limits import CELLS, PAGE
from .pipeline import Pipeline
from .staged import Staged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from quench_switch._native import Batch, Control, Forms

Item = TypeVar("Item")

INSERT = p4r.Update.INSERT
MODIFY = p4r.Update.MODIFY
DELETE = p4r.Update.DELETE


@dataclass(slots=True)
class State:
    """One pipeline on one data plane, with what the data plane has no place for.

    Handlers write to ``changes`` and to what is staged, both of which take effect together or not at all.
    """

    pipeline: Pipeline
    control: Control
    """The control for reads: the state without the changes."""
    forms: Forms = field(init=False)
    """The pipeline's forms of entries, members and groups."""
    changes: Batch = field(init=False)
    default_metadata: Staged[int, bytes] = field(default_factory=Staged)
    """Packed metadata of default entries that the controller set, by table id."""
    group_max_sizes: Staged[tuple[int, int], int] = field(default_factory=Staged)
    """The largest sizes by action profile and group id. Only P4Info says whether members or weights count."""
    multicast_groups: Staged[int, p4r.MulticastGroupEntry] = field(default_factory=Staged)
    clone_sessions: Staged[int, p4r.CloneSessionEntry] = field(default_factory=Staged)
    digests: Staged[int, p4r.DigestEntry.Config] = field(default_factory=Staged)
    cells_left: int = CELLS
    """The number of cells that the Write in progress may still set by updates without an index."""

    def __post_init__(self) -> None:
        self.changes = self.control.batch()

    def settle(self, *, keep: bool) -> None:
        """Make what is staged the state, or forget it."""
        for staged in (
            self.default_metadata,
            self.group_max_sizes,
            self.multicast_groups,
            self.clone_sessions,
            self.digests,
        ):
            if keep:
                staged.commit()
            else:
                staged.discard()


class EntityReader(Protocol):
    """Reads of one kind of entity."""

    def read(self, entry: Any) -> Iterator[p4r.Entity | None]:
        """All entities that the request selects; unset fields are wildcards. None lets others have their turn."""


class EntityHandler(EntityReader, Protocol):
    """Writes and reads of one kind of entity."""

    def write(self, kind: int, entry: Any) -> None:
        """Stage what one update changes, or raise."""


def pages(page: Callable[[str, int, int], tuple[list[Item], int | None]], name: str) -> Iterator[Item | None]:
    """All that a table or profile has, never more than a page in memory; None after each page, for others' turn."""
    place: int | None = 0
    while place is not None:
        items, place = page(name, place, PAGE)
        yield from items
        yield None


def only_modify(kind: int, what: str) -> None:
    """Refuse INSERT and DELETE of what exists as long as the program does."""
    if kind != MODIFY:
        raise invalid(f"{what} can only be modified")


def spend_cells(state: State, count: int, what: str) -> None:
    """Refuse what would keep all others waiting: RESOURCE_EXHAUSTED. A single cell is an update like any other."""
    if count > 1:
        if count > state.cells_left:
            raise exhausted(f"{what}: one Write sets at most {CELLS} cells by updates without an index")
        state.cells_left -= count


def array_indices(index: p4r.Index | None, size: int, what: str) -> range:
    """The indices that a request means: one, or the whole array if it names none."""
    if index is None:
        return range(size)
    if index.index < 0:
        raise invalid(f"{what}: index {index.index} is negative")
    if index.index >= size:
        raise out_of_range(f"{what}: index {index.index}, the array has {size}")
    return range(index.index, index.index + 1)

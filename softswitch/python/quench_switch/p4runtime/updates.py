# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The updates of a ``WriteRequest``: those of which there may be very many stay in the native module."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from quench_switch._native import Updates
from quench_switch.messages import p4r

from .errors import exhausted, invalid
from .limits import UPDATES

if TYPE_CHECKING:
    from quench_switch._native import Control

_SET_FIELDS: Final = frozenset(p4r.ActionProfileActionSet.DESCRIPTOR.fields_by_number)
_NEWER_FIELD: Final = bytes([max(_SET_FIELDS) + 1 << 3, 1])
"""A number in the field behind the known ones."""


@dataclass(slots=True)
class WriteUpdates:
    """Updates in their order."""

    native: Updates
    others: dict[int, p4r.Update] = field(default_factory=dict)
    """Those that are not entries of tables or members, by place."""

    def __len__(self) -> int:
        return len(self.native)

    @classmethod
    def of(cls, control: Control, updates: Iterable[p4r.Update]) -> WriteUpdates:
        """From messages, for a data plane."""
        found = cls(control.updates([update.SerializeToString() for update in updates]))
        found.decode()
        return found

    def decode(self) -> None:
        """Find the others. Raises the error of the request as a whole."""
        if len(self.native) > UPDATES:
            raise exhausted(f"the request has {len(self.native)} updates, the most is {UPDATES}")
        try:
            others = {place: p4r.Update.FromString(data) for place, data in self.native.others()}
        except DecodeError:
            raise malformed() from None
        for place, update in others.items():
            kind = update.entity.WhichOneof("entity")
            if kind == "action_profile_member" or (
                kind == "table_entry" and not update.entity.table_entry.is_default_action
            ):
                self.native.put(place, _known_update(update))
            else:
                self.others[place] = update
        if any(place not in self.others for place, _ in self.native.others()):
            raise malformed()


def parse_write(data: bytes) -> tuple[p4r.WriteRequest, WriteUpdates]:
    """The request without its updates, and these, still to decode. Raises INVALID_ARGUMENT."""
    try:
        native = Updates(data, UPDATES)
        return p4r.WriteRequest.FromString(native.header), WriteUpdates(native)
    except (DecodeError, ValueError):
        raise malformed() from None


def known(message: Message) -> bytes:
    """A message for the native module, without what is unknown."""
    message.DiscardUnknownFields()
    return message.SerializeToString()


def _known_update(update: p4r.Update) -> bytes:
    """An update for the native module, which says itself that it does not know newer fields of a one-shot set."""
    action = update.entity.table_entry.action
    newer = False
    if action.HasField("action_profile_action_set"):
        action_set = action.action_profile_action_set
        unknown = UnknownFieldSet(action_set)
        newer = any(unknown[place].field_number not in _SET_FIELDS for place in range(len(unknown)))
    update.DiscardUnknownFields()
    if newer:
        action.action_profile_action_set.MergeFromString(_NEWER_FIELD)
    return update.SerializeToString()


def malformed() -> Exception:
    """The error for bytes that are no request."""
    return invalid("the request is not a WriteRequest")

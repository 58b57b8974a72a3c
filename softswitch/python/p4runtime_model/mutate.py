# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages that break one rule on purpose: a valid message is changed in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from .draw import Draw

Field = Any
"""A field's descriptor, of whichever implementation of protobuf."""
Place = tuple[Message, Field]

_INTEGERS = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}


def is_repeated(field: Field) -> bool:
    """Whether a field holds a list."""
    return bool(field.is_repeated)


def places(message: Message, depth: int = 8) -> Iterator[Place]:
    """Every field that is set, at any depth."""
    for field, value in message.ListFields():
        yield message, field
        if field.message_type is None or depth == 0 or field.message_type.GetOptions().map_entry:
            continue
        for part in value if is_repeated(field) else [value]:
            yield from places(part, depth - 1)


def _messages(message: Message, depth: int = 8) -> Iterator[Message]:
    yield message
    for field, value in message.ListFields():
        if field.message_type is not None and depth and not field.message_type.GetOptions().map_entry:
            for part in value if is_repeated(field) else [value]:
                yield from _messages(part, depth - 1)


def _pick(draw: Draw, message: Message, suits: Callable[[Field], bool]) -> Place | None:
    found = [place for place in places(message) if suits(place[1])]
    return draw.choice(found) if found else None


def _pick_list(draw: Draw, message: Message) -> Any:
    """A list in the message that has elements, or None."""
    place = _pick(draw, message, is_repeated)
    return None if place is None else getattr(place[0], place[1].name)


def other_number(draw: Draw, message: Message) -> bool:
    """Ids that do not exist, indices beyond an array, negative counts, priorities that are not allowed."""
    place = _pick(draw, message, lambda field: field.cpp_type in _INTEGERS and not is_repeated(field))
    if place is None:
        return False
    low, high = _INTEGERS[place[1].cpp_type]
    old = getattr(place[0], place[1].name)
    new = draw.choice([0, 1, 2, old + 1, old - 1, -old, low, high, draw.randint(low, high), 511, 512, 65536, 32768])
    setattr(place[0], place[1].name, min(max(new, low), high))
    return True


def other_bytes(draw: Draw, message: Message) -> bool:
    """Empty strings, strings that are too long, non-canonical ones, values out of range."""
    place = _pick(draw, message, lambda field: field.cpp_type == FieldDescriptor.CPPTYPE_STRING)
    if place is None or place[1].type != FieldDescriptor.TYPE_BYTES or is_repeated(place[1]):
        return False
    old: bytes = getattr(place[0], place[1].name)
    new = draw.choice(
        [
            b"",
            b"\0",
            b"\0" + old,
            b"\1" + bytes(len(old)),
            b"\xff" * len(old),
            old + b"\0",
            old[:-1],
            draw.randbytes(draw.randint(1, 20)),
            bytes(draw.choice([300, 5000])) + old,
            b"\xff" * 3000,
        ]
    )
    setattr(place[0], place[1].name, new)
    return True


def leave_out(draw: Draw, message: Message) -> bool:
    """A field is missing: a match, a parameter, an action, the data."""
    place = _pick(draw, message, lambda _: True)
    if place is None:
        return False
    place[0].ClearField(place[1].name)
    return True


def drop_element(draw: Draw, message: Message) -> bool:
    """One element of a list is missing."""
    values = _pick_list(draw, message)
    if values is None:
        return False
    del values[draw.randrange(len(values))]
    return True


def repeat_element(draw: Draw, message: Message) -> bool:
    """An element stands twice: a match, a parameter, a replica, a member."""
    values = _pick_list(draw, message)
    if values is None:
        return False
    values.append(draw.choice(list(values)))
    return True


def many_elements(draw: Draw, message: Message) -> bool:
    """A list is much longer than any client needs."""
    values = _pick_list(draw, message)
    if values is None:
        return False
    values.extend(list(values) * (draw.choice([20, 200]) // len(values)))
    return True


def reverse_elements(draw: Draw, message: Message) -> bool:
    """A list in another order, which changes nothing."""
    values = _pick_list(draw, message)
    if values is None:
        return False
    values.reverse()
    return True


def fill_field(draw: Draw, message: Message) -> bool:
    """A field is set that should not be: another kind of match or action, a flag, a resource the table lacks."""
    target = draw.choice(list(_messages(message)))
    fields = [field for field in target.DESCRIPTOR.fields if not _is_map(field)]
    if not fields:
        return False
    field = draw.choice(fields)
    if is_repeated(field):
        values = getattr(target, field.name)
        if field.message_type is not None:
            fill_field(draw, values.add())
        return True
    if field.message_type is not None:
        part = getattr(target, field.name)
        part.SetInParent()
        if draw.chance(0.7):
            fill_field(draw, part)
    else:
        setattr(target, field.name, _scalar(draw, field))
    return True


def _is_map(field: Field) -> bool:
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def _scalar(draw: Draw, field: Field) -> Any:
    if field.cpp_type in _INTEGERS:
        low, high = _INTEGERS[field.cpp_type]
        return draw.choice([min(max(value, low), high) for value in (0, 1, 2, 7, 300, -1, low, high)])
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return True
    if field.cpp_type == FieldDescriptor.CPPTYPE_ENUM:
        return draw.choice([0, 1, 2, 3, 4, 77])
    if field.type == FieldDescriptor.TYPE_BYTES:
        return draw.choice([b"", b"\1", draw.randbytes(4)])
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return draw.choice(["", "x", "type.googleapis.com/nothing"])
    return draw.random()


def other_enum(draw: Draw, message: Message) -> bool:
    """Another type of update, or one that does not exist."""
    place = _pick(draw, message, lambda field: field.cpp_type == FieldDescriptor.CPPTYPE_ENUM)
    if place is None:
        return False
    setattr(place[0], place[1].name, draw.choice([0, 1, 2, 3, 9]))
    return True


def transplant(draw: Draw, message: Message) -> bool:
    """One part replaced by another of the same type from elsewhere in the message."""
    parts: dict[str, list[Message]] = {}
    for part in _messages(message):
        parts.setdefault(part.DESCRIPTOR.full_name, []).append(part)
    pairs = [same for same in parts.values() if len(same) > 1]
    if not pairs:
        return False
    first, second = draw.sample(draw.choice(pairs), 2)
    copy = type(second)()
    copy.CopyFrom(second)
    first.CopyFrom(copy)
    return True


def damage(draw: Draw, message: Message) -> bool:
    """The message as bytes, with some changed, that still is a message; its unknown fields go along."""
    raw = bytearray(message.SerializeToString())
    if not raw:
        return False
    for _ in range(draw.randint(1, 3)):
        raw[draw.randrange(len(raw))] = draw.randrange(256)
    try:
        other = type(message).FromString(bytes(raw))
    except Exception:  # noqa: BLE001 - bytes that are no message are sent elsewhere
        return False
    message.CopyFrom(other)
    return True


MUTATORS: tuple[Callable[[Draw, Message], bool], ...] = (
    other_number,
    other_number,
    other_number,
    other_bytes,
    other_bytes,
    leave_out,
    drop_element,
    repeat_element,
    many_elements,
    reverse_elements,
    fill_field,
    fill_field,
    other_enum,
    transplant,
    damage,
)


def mutate(draw: Draw, message: Message) -> str:
    """Change a message in one place, in two now and then; the names of the changes."""
    done = []
    for _ in range(2 if draw.chance(0.15) else 1):
        for _ in range(8):
            mutator = draw.choice(MUTATORS)
            if mutator(draw, message):
                done.append(mutator.__name__)
                break
    return "+".join(done)

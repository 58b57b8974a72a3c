# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``P4Data`` of registers and digests (specification, "Representation of Arbitrary P4 Types")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from quench_switch.messages import p4d, p4t

from .errors import cut, invalid, unimplemented
from .values import canonical, canonical_signed, parse_signed, parse_unsigned

NUMBER_BITS = 32
"""BMv2's width of errors and of enums without a type."""


@dataclass(frozen=True, slots=True)
class Types:
    """The named types of a program: P4Info's, and the device config's numbers of what P4Runtime gives by name."""

    info: p4t.P4TypeInfo
    errors: Mapping[str, int] = field(default_factory=dict)
    enums: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


class Scalar:
    """One bit string of the data plane and the ``P4Data`` that shows it."""

    def __init__(self, spec: p4t.P4DataTypeSpec, types: Types, what: str) -> None:
        self.what = what
        self.kind, self.bits = _resolve(spec, types.info, what)
        self._numbers: Mapping[str, int] = {}
        if self.kind == "error":
            self._numbers = types.errors
        elif self.kind == "enum":
            self._numbers = types.enums.get(spec.enum.name, {})
        self._names = {number: name for name, number in self._numbers.items()}

    def decode(self, data: p4d.P4Data) -> bytes:
        """Data-plane bytes of a message."""
        given = data.WhichOneof("data")
        if self.kind == "bool":
            if given != "bool":
                raise invalid(f"{self.what} is a bool, the request gives {given or 'nothing'}")
            return b"\x01" if data.bool else b"\x00"
        wanted = self.kind if self.kind in ("enum", "enum_value", "error") else "bitstring"
        if given != wanted:
            raise invalid(f"{self.what} is given by {wanted}, the request gives {given or 'nothing'}")
        if self.kind in ("enum", "error"):
            name: str = getattr(data, self.kind)
            if name not in self._numbers:
                raise invalid(f"{self.what}: {cut(name)!r} is no {self.kind} of the program")
            return self._numbers[name].to_bytes(NUMBER_BITS // 8, "big")
        raw = data.enum_value if self.kind == "enum_value" else data.bitstring
        if self.kind == "int":
            value = parse_signed(raw, self.bits, self.what) & ((1 << self.bits) - 1)
        else:
            value = parse_unsigned(raw, self.bits, self.what)
        return value.to_bytes((self.bits + 7) // 8, "big")

    def encode(self, raw: bytes) -> p4d.P4Data:
        """Message of data-plane bytes."""
        value = int.from_bytes(raw, "big")
        if self.kind == "bool":
            return p4d.P4Data(bool=value != 0)
        if self.kind == "enum_value":
            return p4d.P4Data(enum_value=canonical(value))
        if self.kind in ("enum", "error"):
            # A number that has no name, which a program can compute, is shown as it is.
            name = self._names.get(value, str(value))
            return p4d.P4Data(error=name) if self.kind == "error" else p4d.P4Data(enum=name)
        if self.kind == "int":
            signed = value - (1 << self.bits) if value >> (self.bits - 1) else value
            return p4d.P4Data(bitstring=canonical_signed(signed))
        return p4d.P4Data(bitstring=canonical(value))


def _resolve(spec: p4t.P4DataTypeSpec, types: p4t.P4TypeInfo, what: str) -> tuple[str, int]:
    kind = spec.WhichOneof("type_spec")
    if kind == "bool":
        return "bool", 1
    if kind == "bitstring":
        return _bits(spec.bitstring, what)
    if kind == "serializable_enum":
        name = spec.serializable_enum.name
        if name not in types.serializable_enums:
            raise invalid(f"{what}: P4Info has no enum {name!r}")
        return "enum_value", types.serializable_enums[name].underlying_type.bitwidth
    if kind in ("enum", "error"):
        return kind, NUMBER_BITS
    if kind == "new_type":
        name = spec.new_type.name
        if name not in types.new_types:
            raise invalid(f"{what}: P4Info has no type {name!r}")
        new_type = types.new_types[name]
        if new_type.HasField("original_type"):
            return _resolve(new_type.original_type, types, what)
        if new_type.translated_type.sdn_bitwidth:
            return "bit", new_type.translated_type.sdn_bitwidth
    raise unimplemented(f"{what}: data of type {kind or 'unknown'} is not supported here")


def _bits(spec: p4t.P4BitstringLikeTypeSpec, what: str) -> tuple[str, int]:
    kind = spec.WhichOneof("type_spec")
    if kind == "bit":
        return "bit", spec.bit.bitwidth
    if kind == "int":
        return "int", spec.int.bitwidth
    raise unimplemented(f"{what}: data of type {kind or 'unknown'} is not supported here")


def encode_fields(spec: p4t.P4DataTypeSpec, types: Types, fields: Iterator[bytes], what: str) -> p4d.P4Data:
    """Message of a value whose fields the data plane reports one after the other, nested ones in order."""
    message = p4d.P4Data()
    kind = spec.WhichOneof("type_spec")
    if kind == "struct":
        if spec.struct.name not in types.info.structs:
            raise invalid(f"{what}: P4Info has no struct {spec.struct.name!r}")
        message.struct.SetInParent()
        for member in types.info.structs[spec.struct.name].members:
            message.struct.members.append(encode_fields(member.type_spec, types, fields, what))
        return message
    if kind == "tuple":
        message.tuple.SetInParent()
        for inner in spec.tuple.members:
            message.tuple.members.append(encode_fields(inner, types, fields, what))
        return message
    if kind == "header":
        if spec.header.name not in types.info.headers:
            raise invalid(f"{what}: P4Info has no header {spec.header.name!r}")
        message.header.is_valid = True
        for part in types.info.headers[spec.header.name].members:
            scalar = Scalar(p4t.P4DataTypeSpec(bitstring=part.type_spec), types, what)
            message.header.bitstrings.append(scalar.encode(_next(fields, what)).bitstring)
        return message
    return Scalar(spec, types, what).encode(_next(fields, what))


def _next(fields: Iterator[bytes], what: str) -> bytes:
    value = next(fields, None)
    if value is None:
        raise invalid(f"{what}: P4Info describes more fields than the device config")
    return value


def check_fields(spec: p4t.P4DataTypeSpec, types: Types, count: int, what: str) -> None:
    """INVALID_ARGUMENT unless a type consists of ``count`` bit strings that can be shown."""
    fields = iter([b"\0"] * count)
    encode_fields(spec, types, fields, what)
    if next(fields, None) is not None:
        raise invalid(f"{what}: P4Info describes fewer fields than the device config")

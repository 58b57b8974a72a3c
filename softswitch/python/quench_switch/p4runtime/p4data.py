# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``P4Data`` of registers and digests (specification, "Representation of Arbitrary P4 Types")."""

from __future__ import annotations

from collections.abc import Iterator

from finsy.proto import p4d, p4t

from .errors import invalid, unimplemented
from .values import canonical, canonical_signed, parse_signed, parse_unsigned


class Scalar:
    """One bit string of the data plane and the ``P4Data`` that shows it."""

    def __init__(self, spec: p4t.P4DataTypeSpec, types: p4t.P4TypeInfo, what: str) -> None:
        self.what = what
        self.kind, self.bits = _resolve(spec, types, what)

    def decode(self, data: p4d.P4Data) -> bytes:
        """Data-plane bytes of a message."""
        given = data.WhichOneof("data")
        if self.kind == "bool":
            if given != "bool":
                raise invalid(f"{self.what} is a bool, the request gives {given or 'nothing'}")
            return b"\x01" if data.bool else b"\x00"
        wanted = "enum_value" if self.kind == "enum" else "bitstring"
        if given != wanted:
            raise invalid(f"{self.what} is given by {wanted}, the request gives {given or 'nothing'}")
        raw = data.enum_value if self.kind == "enum" else data.bitstring
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
        if self.kind == "enum":
            return p4d.P4Data(enum_value=canonical(value))
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
        return "enum", types.serializable_enums[name].underlying_type.bitwidth
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


def encode_fields(spec: p4t.P4DataTypeSpec, types: p4t.P4TypeInfo, fields: Iterator[bytes], what: str) -> p4d.P4Data:
    """Message of a value whose fields the data plane reports one after the other, nested ones in order."""
    message = p4d.P4Data()
    kind = spec.WhichOneof("type_spec")
    if kind == "struct":
        if spec.struct.name not in types.structs:
            raise invalid(f"{what}: P4Info has no struct {spec.struct.name!r}")
        message.struct.SetInParent()
        for member in types.structs[spec.struct.name].members:
            message.struct.members.append(encode_fields(member.type_spec, types, fields, what))
        return message
    if kind == "tuple":
        message.tuple.SetInParent()
        for inner in spec.tuple.members:
            message.tuple.members.append(encode_fields(inner, types, fields, what))
        return message
    if kind == "header":
        if spec.header.name not in types.headers:
            raise invalid(f"{what}: P4Info has no header {spec.header.name!r}")
        message.header.is_valid = True
        for part in types.headers[spec.header.name].members:
            scalar = Scalar(p4t.P4DataTypeSpec(bitstring=part.type_spec), types, what)
            message.header.bitstrings.append(scalar.encode(_next(fields, what)).bitstring)
        return message
    return Scalar(spec, types, what).encode(_next(fields, what))


def _next(fields: Iterator[bytes], what: str) -> bytes:
    value = next(fields, None)
    if value is None:
        raise invalid(f"{what}: P4Info describes more fields than the device config")
    return value


def check_fields(spec: p4t.P4DataTypeSpec, types: p4t.P4TypeInfo, count: int, what: str) -> None:
    """INVALID_ARGUMENT unless a type consists of ``count`` bit strings that can be shown."""
    fields = iter([b"\0"] * count)
    encode_fields(spec, types, fields, what)
    if next(fields, None) is not None:
        raise invalid(f"{what}: P4Info describes fewer fields than the device config")

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Cells of registers as ``P4Data``: a scalar, or on Tofino a struct of them, the first member on top."""

from __future__ import annotations

from quench_switch.messages import p4d, p4t

from .errors import invalid
from .p4data import Scalar, Types


class StructCell:
    """A cell with the members of a struct."""

    def __init__(self, spec: p4t.P4DataTypeSpec, types: Types, what: str) -> None:
        self._what = what
        name = spec.struct.name
        if name not in types.info.structs:
            raise invalid(f"{what}: P4Info has no struct {name!r}")
        members = types.info.structs[name].members
        self._members = [Scalar(member.type_spec, types, f"{what} member {member.name!r}") for member in members]

    def decode(self, data: p4d.P4Data) -> bytes:
        """Data-plane bytes of a message. Raises INVALID_ARGUMENT."""
        given = data.WhichOneof("data")
        if given != "struct" or len(data.struct.members) != len(self._members):
            raise invalid(f"{self._what} is given by a struct of {len(self._members)} members")
        value = bits = 0
        for member, part in zip(self._members, data.struct.members, strict=True):
            value = value << member.bits | int.from_bytes(member.decode(part), "big")
            bits += member.bits
        return value.to_bytes((bits + 7) // 8, "big")

    def encode(self, raw: bytes) -> p4d.P4Data:
        """Message of data-plane bytes."""
        value = int.from_bytes(raw, "big")
        parts = []
        for member in reversed(self._members):
            part = value & ((1 << member.bits) - 1)
            parts.append(member.encode(part.to_bytes((member.bits + 7) // 8, "big")))
            value >>= member.bits
        return p4d.P4Data(struct=p4d.P4StructLike(members=reversed(parts)))


def cell(spec: p4t.P4DataTypeSpec, types: Types, what: str) -> Scalar | StructCell:
    """The converter that shows the cells of a type. Raises INVALID_ARGUMENT, UNIMPLEMENTED."""
    if spec.WhichOneof("type_spec") == "struct":
        return StructCell(spec, types, what)
    return Scalar(spec, types, what)

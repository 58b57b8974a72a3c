# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Byte strings and the widths they must fit (specification, "Bytestrings" and "PSA Metadata Translation")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from quench_switch.messages import p4i, p4r, p4t

from .errors import invalid, out_of_range
from .strings import Room, Strings, given_numbers

SDN_PORT_CPU: Final = 0xFFFFFFFD
"""``SdnPort.SDN_PORT_CPU``: the CPU port in the controller's 32-bit numbering."""

MAX_QUOTED_BYTES: Final = 32
"""The largest value that an error message shows."""

_PORT_TYPES: Final = ("PortId_t", "PortIdInHeader_t")


def canonical(value: int) -> bytes:
    """The shortest big-endian byte string that holds an unsigned value; zero is one byte."""
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


def canonical_signed(value: int) -> bytes:
    """The shortest two's complement byte string of a value."""
    magnitude = value if value >= 0 else ~value
    return value.to_bytes(magnitude.bit_length() // 8 + 1, "big", signed=True)


def quoted(raw: bytes) -> str:
    """A byte string for an error message, which stays short however long the string is."""
    if len(raw) > MAX_QUOTED_BYTES:
        return f"a value of {len(raw)} bytes"
    return f"0x{raw.hex()}"


def parse_unsigned(raw: bytes, bits: int, what: str) -> int:
    """Value of a byte string of any length that has to fit ``bit<bits>``."""
    if not raw:
        raise out_of_range(f"{what}: an empty byte string is not a value")
    value = int.from_bytes(raw, "big")
    if value.bit_length() > bits:
        raise out_of_range(f"{what}: {quoted(raw)} does not fit in {bits} bits")
    return value


def parse_signed(raw: bytes, bits: int, what: str) -> int:
    """Value of a sign-extended byte string that has to fit ``int<bits>``."""
    if not raw:
        raise out_of_range(f"{what}: an empty byte string is not a value")
    value = int.from_bytes(raw, "big", signed=True)
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise out_of_range(f"{what}: {quoted(raw)} does not fit in {bits} signed bits")
    return value


@dataclass(frozen=True, slots=True)
class ValueType:
    """The form of one match field, parameter or metadata field for the controller and for the data plane."""

    what: str
    """The place of the value, for error messages: ``table T field F``."""
    sdn_bits: int
    """Width for the controller; 0 if it uses strings."""
    bits: int
    """Width in the data plane."""
    uri: str = ""
    """URI of ``@p4runtime_translation``, empty without one."""
    cpu_port: int | None = None
    """Data-plane number of the CPU port, if the type is a PSA port type."""
    strings: Strings | None = None
    """The numbers behind the controller's strings, if it uses strings."""

    @property
    def max_value(self) -> int:
        """Largest value in the data plane."""
        return (1 << self.bits) - 1

    def decode(self, raw: bytes) -> int:
        """Data-plane value of a controller's byte string."""
        if self.strings is not None:
            return self.strings.number(raw)
        value = parse_unsigned(raw, self.sdn_bits, self.what)
        if value == SDN_PORT_CPU and self.cpu_port is not None:
            return self.cpu_port
        if value > self.max_value:
            raise out_of_range(f"{self.what}: 0x{value:x} does not fit the data plane's {self.bits} bits")
        return value

    def encode(self, value: int) -> bytes:
        """Controller's canonical byte string of a data-plane value."""
        if self.strings is not None:
            return self.strings.string(value)
        if self.cpu_port is not None and value == self.cpu_port:
            return canonical(SDN_PORT_CPU)
        return canonical(value)


class ValueTypes:
    """The value types of a P4Info. Uses of one type that is translated to strings share its strings."""

    def __init__(self, type_info: p4t.P4TypeInfo, cpu_port: int | None) -> None:
        self._type_info = type_info
        self._cpu_port = cpu_port
        self._room = Room()
        self._strings: dict[tuple[str, int], Strings] = {}

    def of(self, what: str, bitwidth: int, type_name: str, data_plane_bits: int | None) -> ValueType:
        """The value type of an item; ``data_plane_bits`` is None where it is not known.

        Without translation the two widths must agree, with it P4Info's with the controller's (INVALID_ARGUMENT
        otherwise).
        """
        spec = self._type_info.new_types.get(type_name) if type_name else None
        if spec is not None and spec.HasField("translated_type"):
            return self._translated(what, bitwidth, type_name, spec, data_plane_bits)
        if bitwidth == 0 and data_plane_bits is not None:
            # p4c gives no width to keys of type error.
            return ValueType(what, data_plane_bits, data_plane_bits)
        if bitwidth <= 0:
            raise invalid(f"P4Info: {what} has no bit width")
        if data_plane_bits is not None and data_plane_bits != bitwidth:
            raise invalid(f"{what}: {bitwidth} bits in P4Info, {data_plane_bits} in the device config")
        return ValueType(what, bitwidth, bitwidth)

    def _translated(
        self, what: str, bitwidth: int, type_name: str, spec: p4t.P4NewTypeSpec, data_plane_bits: int | None
    ) -> ValueType:
        translated = spec.translated_type
        sdn_bits = 0 if translated.HasField("sdn_string") else translated.sdn_bitwidth
        # 0: P4Info gives none, as where the translation is to strings.
        if bitwidth not in (0, sdn_bits):
            raise invalid(f"P4Info: {what} has {bitwidth} bits, its type {type_name!r} is translated to {sdn_bits}")
        bits = data_plane_bits if data_plane_bits is not None else sdn_bits
        if sdn_bits == 0:
            return ValueType(what, 0, bits, translated.uri, strings=self._strings_of(type_name, bits, spec))
        is_port = translated.uri.rsplit("/", 1)[-1] in _PORT_TYPES
        return ValueType(what, sdn_bits, bits, translated.uri, self._cpu_port if is_port else None)

    def _strings_of(self, type_name: str, bits: int, spec: p4t.P4NewTypeSpec) -> Strings:
        found = self._strings.get((type_name, bits))
        if found is None:
            given = given_numbers(spec.annotations)
            found = Strings(bits, given, f"type {type_name!r}", self._room)
            self._strings[type_name, bits] = found
        return found

    def of_match(self, what: str, field: p4i.MatchField, bits: int | None) -> ValueType:
        """The value type of a match field."""
        value = self.of(f"{what} field {field.name!r}", field.bitwidth, field.type_name.name, bits)
        if value.strings is not None and field.match_type not in (p4i.MatchField.EXACT, p4i.MatchField.OPTIONAL):
            raise invalid(f"P4Info: {value.what} is a string, which can only be matched exact or optional")
        return value


MAX_PORT: Final = 511
"""v1model's ``PortId_t`` has 9 bits."""


def parse_port(raw: bytes, what: str) -> int:
    """Port number of a replica or a watch port."""
    return parse_unsigned(raw, 9, f"{what} port")


def replica_port(replica: p4r.Replica, what: str) -> int:
    """Port of a replica, from the current field or from the deprecated one."""
    kind = replica.WhichOneof("port_kind")
    if kind == "port":
        return parse_port(replica.port, what)
    if kind is None:
        raise invalid(f"{what}: a replica has no port")
    port: int = replica.egress_port
    if port > MAX_PORT:
        raise out_of_range(f"{what} port: {port} does not fit in 9 bits")
    return port

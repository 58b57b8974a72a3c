# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import p4i, p4r, p4t
from hypothesis import given
from hypothesis import strategies as st
from quench_switch.p4runtime.errors import RequestError
from quench_switch.p4runtime.limits import STRING_BYTES, STRING_OVERHEAD_BYTES, STRINGS_BYTES
from quench_switch.p4runtime.matches import decode_key, encode_key
from quench_switch.p4runtime.packet_io import decode_packet_in, encode_packet_out
from quench_switch.p4runtime.pipeline import MatchSpec, PacketHeaderSpec
from quench_switch.p4runtime.values import (
    SDN_PORT_CPU,
    ValueType,
    ValueTypes,
    canonical,
    canonical_signed,
    parse_signed,
    parse_unsigned,
)


def code_of(call):
    with pytest.raises(RequestError) as caught:
        call()
    return caught.value.code


@given(st.integers(0, 2**200), st.integers(0, 5))
def test_unsigned_byte_strings_are_canonical_and_may_be_padded(value, zeros):
    raw = canonical(value)
    assert raw == b"\0" or raw[0] != 0
    assert parse_unsigned(bytes(zeros) + raw, 201, "v") == value


@given(st.integers(-(2**99), 2**99 - 1), st.integers(0, 5))
def test_signed_byte_strings_are_the_shortest_and_may_be_sign_extended(value, extra):
    raw = canonical_signed(value)
    assert int.from_bytes(raw, "big", signed=True) == value
    if len(raw) > 1:
        assert int.from_bytes(raw[1:], "big", signed=True) != value
    sign = b"\xff" if value < 0 else b"\0"
    assert parse_signed(sign * extra + raw, 100, "v") == value


def test_values_that_do_not_fit_are_out_of_range():
    # The examples of the specification's table of invalid encodings.
    for raw, bits in [(b"\x01\x63", 8), (b"", 8), (b"\x01\x00\x63", 16), (b"\x10\x63", 12), (b"\x00\x40\x63", 12)]:
        assert code_of(lambda raw=raw, bits=bits: parse_unsigned(raw, bits, "v")) == Code.OUT_OF_RANGE
    for raw, bits in [(b"\x00\x9d", 8), (b"\x8d\x1d", 12), (b"", 16)]:
        assert code_of(lambda raw=raw, bits=bits: parse_signed(raw, bits, "v")) == Code.OUT_OF_RANGE


@pytest.mark.parametrize("parse", [parse_signed, parse_unsigned])
def test_a_long_value_is_refused_in_a_short_line(parse):
    with pytest.raises(RequestError) as caught:
        parse(b"\x7f" * 5000, 13, "cell")
    assert caught.value.code == Code.OUT_OF_RANGE
    assert (
        caught.value.message
        == f"cell: a value of 5000 bytes does not fit in 13{' signed' * (parse is parse_signed)} bits"
    )


def new_types(**translated):
    types = p4t.P4TypeInfo()
    types.new_types["port_t"].translated_type.uri = "p4.org/psa/v1/PortId_t"
    for name, value in translated.items():
        if name == "sdn_string":
            types.new_types["port_t"].translated_type.sdn_string.SetInParent()
        else:
            setattr(types.new_types["port_t"].translated_type, name, value)
    return types


def test_a_translated_type_has_the_controllers_width_and_the_data_planes_range():
    port = ValueTypes(new_types(sdn_bitwidth=32), 510).of("port", 0, "port_t", 9)
    assert port.decode(b"\0\0\1\xff") == 511
    assert code_of(lambda: port.decode(b"\2\0")) == Code.OUT_OF_RANGE
    assert port.decode(canonical(SDN_PORT_CPU)) == 510
    assert port.encode(510) == canonical(SDN_PORT_CPU)
    assert port.encode(3) == b"\3"


@pytest.mark.parametrize(
    ("translated", "right"), [({"sdn_bitwidth": 32}, (0, 32)), ({"sdn_string": True}, (0,))], ids=["bits", "string"]
)
def test_p4infos_width_of_a_translated_type_is_the_controllers(translated, right):
    types = new_types(**translated)
    for bits in (-1, 0, 9, 31, 32, 33):
        if bits in right:
            assert ValueTypes(types, None).of("port", bits, "port_t", 9).bits == 9
        else:
            assert code_of(lambda bits=bits: ValueTypes(types, None).of("port", bits, "port_t", 9)) == (
                Code.INVALID_ARGUMENT
            )


def strings(bits, *annotations):
    types = new_types(sdn_string=True)
    types.new_types["port_t"].annotations.extend(annotations)
    made = ValueTypes(types, None)
    # Two uses of the type, which share its strings.
    return made.of("port", 0, "port_t", bits), made.of("other", 0, "port_t", bits)


def test_strings_stand_for_given_numbers_themselves_or_the_largest_free_ones():
    mappings = r'@p4runtime_translation_mappings({ { "" , 0 } , { "up \"link\"" , 510 } , })'
    port, other = strings(9, "@other(1)", mappings)
    assert [port.decode(text) for text in (b"", b'up "link"', b"7", b"eth0", b"eth1")] == [0, 510, 7, 511, 509]
    assert [other.encode(number) for number in (0, 510, 7, 511, 509, 8)] == [
        b"",
        b'up "link"',
        b"7",
        b"eth0",
        b"eth1",
        b"8",
    ]
    # These look like numbers, and stand for others.
    assert [other.decode(text) for text in (b"07", b"512", b"+1")] == [508, 507, 506]
    assert code_of(lambda: port.decode(b"509")) == Code.INVALID_ARGUMENT
    assert code_of(lambda: port.decode(b"\xff")) == Code.INVALID_ARGUMENT


def test_strings_are_refused_when_their_numbers_or_their_room_are_used_up():
    short, _ = strings(2)
    assert [short.decode(text) for text in (b"a", b"b", b"1", b"c")] == [3, 2, 1, 0]
    assert code_of(lambda: short.decode(b"d")) == Code.RESOURCE_EXHAUSTED
    assert short.decode(b"b") == 2
    wide, _ = strings(256)
    assert code_of(lambda: wide.decode(b"x" * (STRING_BYTES + 1))) == Code.INVALID_ARGUMENT
    one_bytes = STRING_BYTES + STRING_OVERHEAD_BYTES
    for count in range(STRINGS_BYTES // one_bytes):
        wide.decode(b"%0*x" % (STRING_BYTES, count))
    assert code_of(lambda: wide.decode(b"x" * STRING_BYTES)) == Code.RESOURCE_EXHAUSTED
    for bad in (
        '@p4runtime_translation_mappings({ { "a" , 4 } })',
        '@p4runtime_translation_mappings({{"a",1},{"b",1}})',
    ):
        assert code_of(lambda bad=bad: strings(2, bad)) == Code.INVALID_ARGUMENT


def test_strings_are_matched_whole():
    types = ValueTypes(new_types(sdn_string=True), None)
    for kind in p4i.MatchField.MatchType.values():
        field = p4i.MatchField(name="port", match_type=kind)
        field.type_name.name = "port_t"
        if kind in (p4i.MatchField.EXACT, p4i.MatchField.OPTIONAL):
            assert types.of_match("t", field, 9).bits == 9
        else:
            assert code_of(lambda field=field: types.of_match("t", field, 9)) == Code.INVALID_ARGUMENT


def test_widths_of_p4info_and_program_have_to_agree():
    assert code_of(lambda: ValueTypes(p4t.P4TypeInfo(), None).of("f", 8, "", 9)) == Code.INVALID_ARGUMENT
    assert code_of(lambda: ValueTypes(p4t.P4TypeInfo(), None).of("f", 0, "", None)) == Code.INVALID_ARGUMENT
    assert ValueTypes(p4t.P4TypeInfo(), None).of("f", 0, "", 9).bits == 9


def specs(bits):
    kinds = ["exact", "lpm", "ternary", "range", "optional", "optional"]
    native = [*kinds[:-1], "ternary"]
    return [
        MatchSpec(place + 1, kind, kind, ValueType(kind, bits, bits), place, native[place])
        for place, kind in enumerate(kinds)
    ]


@given(st.data(), st.integers(1, 128))
def test_keys_survive_the_way_to_the_data_plane_and_back(data, bits):
    top = (1 << bits) - 1
    number = st.integers(0, top)
    messages = [p4r.FieldMatch(field_id=1, exact=p4r.FieldMatch.Exact(value=canonical(data.draw(number))))]
    if data.draw(st.booleans()):
        length = data.draw(st.integers(1, bits))
        value = data.draw(number) >> (bits - length) << (bits - length)
        messages.append(p4r.FieldMatch(field_id=2, lpm=p4r.FieldMatch.LPM(value=canonical(value), prefix_len=length)))
    if data.draw(st.booleans()):
        mask = data.draw(st.integers(1, top))
        value = data.draw(number) & mask
        ternary = p4r.FieldMatch.Ternary(value=canonical(value), mask=canonical(mask))
        messages.append(p4r.FieldMatch(field_id=3, ternary=ternary))
    low, high = sorted([data.draw(number), data.draw(number)])
    if (low, high) != (0, top):
        messages.append(
            p4r.FieldMatch(field_id=4, range=p4r.FieldMatch.Range(low=canonical(low), high=canonical(high)))
        )
    for field_id in (5, 6):
        if data.draw(st.booleans()):
            value = canonical(data.draw(number))
            messages.append(p4r.FieldMatch(field_id=field_id, optional=p4r.FieldMatch.Optional(value=value)))
    fields = specs(bits)
    assert encode_key(fields, decode_key("t", fields, messages)) == messages


@given(st.data(), st.integers(1, 40), st.integers(1, 40))
def test_a_mask_of_all_bits_of_a_translated_type_is_one_of_all_bits_in_the_data_plane(data, sdn_bits, bits):
    fields = [MatchSpec(1, "port", "ternary", ValueType("f", sdn_bits, bits), 0, "ternary")]
    value = data.draw(st.integers(0, (1 << min(sdn_bits, bits)) - 1))
    ternary = p4r.FieldMatch.Ternary(value=canonical(value), mask=canonical((1 << sdn_bits) - 1))
    messages = [p4r.FieldMatch(field_id=1, ternary=ternary)]
    key = decode_key("t", fields, messages)
    assert int.from_bytes(key[0][2], "big") == (1 << min(sdn_bits, bits)) - 1
    assert encode_key(fields, key) == messages


def test_a_mask_of_bits_that_the_data_plane_lacks_is_empty_and_one_of_more_bits_than_the_controllers_is_refused():
    fields = [MatchSpec(1, "port", "ternary", ValueType("f", 32, 9), 0, "ternary")]

    def decode(mask):
        return decode_key(
            "t", fields, [p4r.FieldMatch(field_id=1, ternary=p4r.FieldMatch.Ternary(value=b"\0", mask=mask))]
        )

    assert code_of(lambda: decode(b"\2\0")) == Code.INVALID_ARGUMENT
    assert code_of(lambda: decode(b"\1\0\0\0\0")) == Code.OUT_OF_RANGE
    assert decode(b"\2\3") == [("ternary", b"\0\0", b"\0\3")]


def test_matches_on_anything_that_the_data_plane_spells_out_are_left_out():
    fields = specs(8)
    key = [("exact", b"\1"), ("lpm", b"\0", 0), ("ternary", b"\0", b"\0"), ("range", b"\0", b"\xff"), None, None]
    assert [message.field_id for message in encode_key(fields, key)] == [1]


widths = st.lists(st.integers(1, 40), min_size=1, max_size=8)


@given(st.data(), widths, st.binary(max_size=80))
def test_packet_headers_are_packed_in_declared_order(data, bits, payload):
    header = PacketHeaderSpec(
        tuple((place + 1, ValueType(f"f{place}", width, width), False) for place, width in enumerate(bits))
    )
    values = [data.draw(st.integers(0, (1 << width) - 1)) for width in bits]
    metadata = [p4r.PacketMetadata(metadata_id=place + 1, value=canonical(value)) for place, value in enumerate(values)]
    packet = encode_packet_out(header, p4r.PacketOut(payload=payload, metadata=reversed(metadata)))
    text = "".join(f"{value:0{width}b}" for value, width in zip(values, bits, strict=True))
    # The last byte is filled up with zeros.
    text += "0" * (-len(text) % 8)
    assert packet == int(text, 2).to_bytes(len(text) // 8, "big") + payload
    assert decode_packet_in(header, packet) == p4r.PacketIn(payload=payload, metadata=metadata)


def test_without_a_declared_header_all_is_payload():
    assert decode_packet_in(None, b"abc") == p4r.PacketIn(payload=b"abc")
    assert encode_packet_out(None, p4r.PacketOut(payload=b"abc")) == b"abc"
    with_metadata = p4r.PacketOut(payload=b"abc", metadata=[p4r.PacketMetadata(metadata_id=1, value=b"\1")])
    assert code_of(lambda: encode_packet_out(None, with_metadata)) == Code.INVALID_ARGUMENT


def test_a_packet_shorter_than_its_header_is_refused():
    header = PacketHeaderSpec(((1, ValueType("f", 16, 16), False),))
    assert code_of(lambda: decode_packet_in(header, b"\1")) == Code.INVALID_ARGUMENT


def test_match_kinds_are_all_known():
    from quench_switch.p4runtime.verify import MATCH_KINDS

    known = set(p4i.MatchField.MatchType.values()) - {p4i.MatchField.UNSPECIFIED}
    assert set(MATCH_KINDS) == known

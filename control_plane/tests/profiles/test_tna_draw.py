# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The draw of the TNA program: ``p4src/tna/draw.p4`` as it stands, with the controller's rows."""

import math
import random
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench.profiles.curve import Curve, Segment
from quench.profiles.tna import (
    ALWAYS,
    BY_DRAW,
    COUNTS_PER_PACKET,
    FLATTEST_RAMP,
    NUMBER_BITS,
    SIZE_CODE_LIMIT,
    CurveRow,
    curve_rows,
    number_rows,
    reach_rows,
    size_rows,
)
from quench_switch import VirtualSwitch, compile_p4

P4SRC = Path(__file__).parents[3] / "p4src"
GAP = 20
CHI_SQUARE_19_AT_0_001 = 43.82
"""Critical value of chi-square with 19 degrees of freedom at a significance of 0.001."""

PROGRAM = """
#include <core.p4>
#include <tna.p4>
#include "tna/draw.p4"
header order_t { bit<8> selection; bit<32> most; bit<32> least; bit<16> size_code; bit<16> size; bit<8> selected; }
struct headers_t { order_t order; }
struct none_t {}
parser In(packet_in packet, out headers_t hdr, out none_t meta, out ingress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(hdr.order);
        transition accept;
    }
}
control Choose(inout headers_t hdr, inout none_t meta, in ingress_intrinsic_metadata_t intrinsic,
        in ingress_intrinsic_metadata_from_parser_t from_parser,
        inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
        inout ingress_intrinsic_metadata_for_tm_t for_tm) {
    DrawNumbers() draw_numbers;
    Threshold() find_threshold;
    Draw() draw;
    apply {
        bit<32> number;
        bit<32> other;
        count_t threshold;
        bit<1> selected = 0;
        draw_numbers.apply(number, other);
        find_threshold.apply(
            number, hdr.order.size_code, (count_t) hdr.order.most, (count_t) hdr.order.least, threshold);
        draw.apply(0, (selection_t) hdr.order.selection[1:0], hdr.order.size, threshold, selected);
        hdr.order.selected = (bit<8>) selected;
        for_tm.ucast_egress_port = 1;
        for_tm.bypass_egress = 1;
    }
}
control Out(packet_out packet, inout headers_t hdr, in none_t meta,
        in ingress_intrinsic_metadata_for_deparser_t for_deparser) {
    apply { packet.emit(hdr); }
}
parser NoParser(packet_in packet, out headers_t hdr, out none_t meta, out egress_intrinsic_metadata_t intrinsic) {
    state start { packet.extract(intrinsic); transition accept; }
}
control NoEgress(inout headers_t hdr, inout none_t meta, in egress_intrinsic_metadata_t intrinsic,
        in egress_intrinsic_metadata_from_parser_t from_parser,
        inout egress_intrinsic_metadata_for_deparser_t for_deparser,
        inout egress_intrinsic_metadata_for_output_port_t for_port) { apply {} }
control NoDeparser(packet_out packet, inout headers_t hdr, in none_t meta,
        in egress_intrinsic_metadata_for_deparser_t for_deparser) { apply { packet.emit(hdr); } }
Pipeline(In(), Choose(), Out(), NoParser(), NoEgress(), NoDeparser()) pipe;
Switch(pipe) main;
"""


@cache
def row_of(probability: float, packet: int, wait: bool) -> CurveRow:
    (row,) = curve_rows(Curve((Segment(0, 10, probability, probability),)), 1, packet, wait=wait)
    return row


@cache
def code_of(size: int) -> int:
    (code,) = (each.code for each in size_rows() if each.low <= size <= each.high)
    return code


class Drawing:
    """A switch that decides about one packet after the other, of a probability for packets of ``mean`` bytes."""

    def __init__(self, program: str) -> None:
        self._switch = VirtualSwitch(seed=20261123)
        self._switch.load(program)
        self._now_ns = 0
        table = "pipe.Choose.find_threshold."
        for row in number_rows():
            mask = (1 << NUMBER_BITS) - 1 - (row.high - row.low)
            key = [("ternary", row.low.to_bytes(3, "big"), mask.to_bytes(3, "big"))]
            action = ("action", "Choose.find_threshold.set_code", [row.code.to_bytes(2, "big")])
            self._switch.table_insert(f"{table}code_of_number", key, 1, action)
        for code, reach in reach_rows():
            action = ("action", "Choose.find_threshold.subtract_reach", [(-reach & 0xFFFFFFFF).to_bytes(4, "big")])
            self._switch.table_insert(f"{table}reach_of_code", [("exact", code.to_bytes(2, "big"))], 0, action)

    def packet(self, probability: float, *, wait: bool = False, mean: int = 0, size: int = 0) -> bool:
        """Whether a packet is selected; in packet mode without ``mean``."""
        row = row_of(probability, mean or COUNTS_PER_PACKET, wait)
        size_code = code_of(size) if mean else SIZE_CODE_LIMIT
        self._now_ns += 1000
        counts = ((row.level1_selection, 1), (row.level1_most, 4), (row.level1_least, 4))
        fields = (*counts, (size_code, 2), (size or COUNTS_PER_PACKET, 2))
        order = b"".join(value.to_bytes(length, "big") for value, length in fields) + b"\xff"
        self._switch.receive(0, order, self._now_ns)
        ((_, answer, _),) = self._switch.advance(self._now_ns)
        assert answer[:-1] == order[:-1]
        return {0: False, 1: True}[answer[-1]]

    def count(self) -> int:
        """The count since the last selected packet; -1: nothing is counted."""
        (name,) = (register["name"] for register in self._switch.program()["registers"])
        return int.from_bytes(self._switch.register_read(name, 0), "big", signed=True)


@pytest.fixture(scope="module")
def drawing(tmp_path_factory: pytest.TempPathFactory) -> Drawing:
    path = tmp_path_factory.mktemp("draw") / "draw.p4"
    path.write_text(PROGRAM)
    return Drawing(compile_p4(str(path), [str(P4SRC)], arch="tna").json)


def gaps(selected: Iterable[bool], count: int) -> list[int]:
    found, gap = [], 0
    for each in selected:
        gap += 1
        if each:
            found.append(gap)
            gap = 0
            if len(found) == count:
                break
    return found


def chi_square(found: list[int], least: int, most: int) -> float:
    expected = len(found) / (most - least + 1)
    return sum((found.count(gap) - expected) ** 2 / expected for gap in range(least, most + 1))


@pytest.mark.parametrize("mean", [0, 1000])
@pytest.mark.parametrize("wait", [False, True])
def test_gaps_are_reds(drawing: Drawing, wait: bool, mean: int) -> None:
    """Uniform on 1..1/p (Floyd and Jacobson 1993, section IX); with wait on 1/p..2/p - 1. Significance 0.001."""
    assert not drawing.packet(0)
    least, most = (GAP, 2 * GAP - 1) if wait else (1, GAP)
    assert not drawing.packet(1 / GAP, wait=wait, mean=mean, size=mean)
    found = gaps((drawing.packet(1 / GAP, wait=wait, mean=mean, size=mean) for _ in range(200_000)), 3000)
    # The packet that only started the count belongs to the first gap.
    found[0] += 1
    assert len(found) == 3000
    # In byte mode the size is known to 2.2 %: of 150 packets that have to be selected 3 are so one packet later.
    assert found[1:].count(most + 1) <= (10 if mean else 0)
    found = [min(gap, most) for gap in found[1:]]
    assert set(found) == set(range(least, most + 1))
    assert chi_square(found, least, most) < CHI_SQUARE_19_AT_0_001


def test_the_bound_on_gaps_is_not_met_by_independent_choices() -> None:
    """Choices with probability p, each by itself, have geometric gaps."""
    generator = random.Random(1)
    found = [1 + int(math.log(1 - generator.random()) / math.log(1 - 1 / GAP)) for _ in range(3000)]
    assert chi_square(found, 1, GAP) > CHI_SQUARE_19_AT_0_001


@pytest.mark.parametrize("size", [250, 1500])
def test_a_packet_is_selected_by_its_size(drawing: Drawing, size: int) -> None:
    """In byte mode a packet's chance is p * size / mean, so gaps in bytes are those of packets of mean size."""
    assert not drawing.packet(0)
    drawing.packet(1 / GAP, mean=1000, size=size)
    found = gaps((drawing.packet(1 / GAP, mean=1000, size=size) for _ in range(200_000)), 1000)
    bytes_to_most = GAP * 1000 / size
    assert max(found) <= math.ceil(bytes_to_most)
    mean = (bytes_to_most + 1) / 2
    # Four standard errors of a mean of 1000 uniform gaps, and the half class by which a size may be off.
    assert abs(sum(found) / len(found) - mean) <= 4 * bytes_to_most / math.sqrt(12 * 1000) + 0.022 * mean


def test_the_latest_probability_counts(drawing: Drawing) -> None:
    """As in ns-2, and unlike a number that is drawn for a whole gap: the count is weighed with the p of this packet."""
    for _ in range(20):
        assert not drawing.packet(0)
        for _ in range(100):
            assert not drawing.packet(FLATTEST_RAMP)
        assert drawing.packet(1 / 50)


def test_the_first_packet_after_a_reset_only_counts(drawing: Drawing) -> None:
    assert not drawing.packet(0)
    for _ in range(3):
        assert not drawing.packet(0)
        assert drawing.count() == -1
        assert [drawing.packet(0.99) for _ in range(3)] == [False, True, True]


def test_always_is_always(drawing: Drawing) -> None:
    assert not drawing.packet(0)
    assert all(drawing.packet(1.0) for _ in range(100))
    assert drawing.count() == 0


@given(
    st.lists(st.tuples(st.floats(0.01, 0.9), st.integers(20, 9000)), min_size=1, max_size=40),
    st.booleans(),
)
def test_a_packet_is_selected_between_least_and_most(
    drawing: Drawing, packets: list[tuple[float, int]], wait: bool
) -> None:
    assert not drawing.packet(0)
    assert not drawing.packet(0.5, mean=1000, size=1000, wait=wait)
    for probability, size in packets:
        before = drawing.count()
        selected = drawing.packet(probability, mean=1000, size=size, wait=wait)
        assert drawing.count() == (0 if selected else before + size)
        row = row_of(probability, 1000, wait)
        assert row.level1_selection in (BY_DRAW, ALWAYS)
        if selected:
            assert before >= row.level1_least
        else:
            assert before < row.level1_most

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The draw of the Tofino program marks as RED does.

No Tofino runs here. The controls of ``p4src/include/tna/draw.p4`` run as they stand in a v1model program. Only the
externs of TNA are written as those of v1model, and a RegisterAction as a read, its body, and a write.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from quench_switch import VirtualSwitch, compile_p4

P4SRC = Path(__file__).parents[4] / "p4src/include"
ONE = 1 << 24
"""Probability 1, and the range of the numbers drawn."""
NEVER, DRAW, ALWAYS = 0, 1, 2
GAP = 20
CHI_SQUARE_19_AT_0_001 = 43.82
"""Critical value of chi-square with 19 degrees of freedom at a significance of 0.001."""

PROGRAM = """
#include <v1model.p4>
typedef bit<3> MirrorType_t;
typedef bit<10> MirrorId_t;
#include "tna/types.p4"
header order_t {{ bit<8> choice; bit<8> wait; bit<32> step; bit<8> selected; }}
struct headers_t {{ order_t order; }}
struct metadata_t {{}}
parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {{
    state start {{ packet.extract(hdr.order); transition accept; }}
}}
control Verify(inout headers_t hdr, inout metadata_t meta) {{ apply {{}} }}
{controls}
control Choose(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {{
    {number}() number;
    {draw}() draw;
    apply {{
        bit<32> drawn;
        bit<1> selected;
        number.apply((bit<1>) hdr.order.wait, drawn);
        draw.apply(0, (bit<2>) hdr.order.choice, hdr.order.step, drawn, selected);
        hdr.order.selected = (bit<8>) selected;
        std.egress_spec = 1;
    }}
}}
control Leave(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {{ apply {{}} }}
control Compute(inout headers_t hdr, inout metadata_t meta) {{ apply {{}} }}
control Emit(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr); }} }}
V1Switch(Parse(), Verify(), Choose(), Leave(), Compute(), Emit()) main;
"""


def substitute(pattern: str, replacement: str, text: str, count: int) -> str:
    """Replace exactly so many places: with another count the P4 is not what this test can translate."""
    text, found = re.subn(pattern, replacement, text, flags=re.DOTALL)
    assert found == count, pattern
    return text


def for_v1model(text: str) -> str:
    """The controls of draw.p4 with v1model's externs."""
    text = substitute(r'#include "metadata.p4"', "", text, 1)
    text = substitute(r"Random<bit<32>>\(\) random;", "", text, 1)
    text = substitute(r"(\w+) = random\.get\(\);", r"random<bit<32>>(\1, 0, 0xFFFFFFFF);", text, 1)
    text = substitute(
        r"Register<(\w+), \w+>\(MAX_QUEUES, 0\) remaining;", r"register<\1>(MAX_QUEUES) remaining;", text, 1
    )
    action = (
        r"RegisterAction<(\w+), \w+, bit<1>>\(remaining\) (\w+) = \{\s*void apply"
        r"\(inout \w+ value(, out bit<1> is_selected)?\)"
    )
    bodies = {
        name: (kind, body) for kind, name, _, body in re.findall(action + r" \{(.*?)\n {8}\}\n    \};", text, re.DOTALL)
    }
    text = substitute(action + r" \{.*?\n {8}\}\n    \};", "", text, 3)
    for name, (kind, body) in bodies.items():
        run = rf"{kind} value; bit<1> is_selected = 0; remaining.read(value, 0); {body} remaining.write(0, value);"
        text = substitute(
            rf"(\w+ = )?{name}\.execute\(.*?\)\);",
            lambda call, run=run: run + ("selected = is_selected;" if call[1] else ""),
            text,
            1,
        )
    return text


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    text = (P4SRC / "tna/draw.p4").read_text()
    number, draw = re.findall(r"^control (\w+)\(", text, re.MULTILINE)
    path = tmp_path_factory.mktemp("draw") / "draw.p4"
    path.write_text(PROGRAM.format(controls=for_v1model(text), number=number, draw=draw))
    return compile_p4(str(path), [str(P4SRC)]).json


class Drawing:
    """A switch that decides about one packet after the other."""

    def __init__(self, program: str, seed: int) -> None:
        self._switch = VirtualSwitch(seed=seed)
        self._switch.load(program)
        self._now_ns = 0

    def packet(self, choice: int, step: int = 0, *, wait: bool = False) -> bool:
        """Whether a packet is selected."""
        self._now_ns += 1
        order = bytes([choice, wait]) + step.to_bytes(4, "big") + b"\xff"
        self._switch.receive(0, order, self._now_ns)
        ((_, answer, _),) = self._switch.advance(self._now_ns)
        assert answer[:-1] == order[:-1]
        return {0: False, 1: True}[answer[-1]]

    def remaining(self) -> int:
        """The rest of the interval."""
        (name,) = (register["name"] for register in self._switch.program()["registers"])
        return int.from_bytes(self._switch.register_read(name, 0), "big")


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


def chi_square(found: list[int], shift: int) -> float:
    expected = len(found) / GAP
    return sum((found.count(gap + shift) - expected) ** 2 / expected for gap in range(1, GAP + 1))


@pytest.mark.parametrize("wait", [False, True])
def test_gaps_are_reds(program: str, wait: bool) -> None:
    """Uniform on 1..1/p (Floyd and Jacobson 1993, section IX); with wait on 1/p..2/p. Significance 0.001."""
    drawing = Drawing(program, seed=20261121)
    step, shift = math.ceil(ONE / GAP), GAP if wait else 0
    assert not drawing.packet(DRAW, step, wait=wait)
    found = gaps((drawing.packet(DRAW, step, wait=wait) for _ in range(200_000)), 4000)
    assert len(found) == 4000
    assert set(found) == set(range(1 + shift, 1 + GAP + shift))
    assert chi_square(found, shift) < CHI_SQUARE_19_AT_0_001


def test_the_bound_on_gaps_is_not_met_by_independent_choices() -> None:
    """Choices with probability p, each by itself, have geometric gaps."""
    generator = random.Random(1)
    found = [1 + int(math.log(1 - generator.random()) / math.log(1 - 1 / GAP)) for _ in range(4000)]
    assert chi_square(found, 0) > CHI_SQUARE_19_AT_0_001


def test_the_first_packet_after_a_reset_only_draws(program: str) -> None:
    drawing = Drawing(program, seed=3)
    for _ in range(3):
        assert not drawing.packet(NEVER)
        assert drawing.remaining() == 0
        assert [drawing.packet(DRAW, ONE) for _ in range(3)] == [False, True, True]


def test_always_is_always(program: str) -> None:
    drawing = Drawing(program, seed=4)
    assert all(drawing.packet(ALWAYS) for _ in range(100))
    assert drawing.remaining() % 2


@given(st.lists(st.integers(1, ONE), min_size=1, max_size=40), st.integers(0, 2**32 - 1), st.booleans())
def test_the_mark_falls_where_the_steps_reach_the_number(program: str, steps: list[int], seed: int, wait: bool) -> None:
    """count * p with a p that changes."""
    drawing = Drawing(program, seed)
    drawing.packet(DRAW, ONE, wait=wait)
    number = drawing.remaining()
    assert number % 2
    assert number < ONE + (ONE if wait else 0)
    assert number >= (ONE if wait else 0)
    fell_at = next((place for place, step in enumerate(steps) if drawing.packet(DRAW, step, wait=wait)), None)
    assert fell_at == next((place for place, total in enumerate(accumulate(steps)) if total >= number), None)


@pytest.mark.parametrize("packets", [1, 2, 7])
def test_the_mark_falls_exactly_where_nothing_is_left(program: str, packets: int) -> None:
    for short in (0, 1):
        drawing = Drawing(program, seed=5)
        drawing.packet(DRAW, ONE)
        steps = [drawing.remaining() // packets] * (packets - 1)
        steps.append(drawing.remaining() - sum(steps) - short)
        assert [drawing.packet(DRAW, step) for step in steps] == [False] * (packets - 1) + [not short]
        # A new interval, which is odd, or the rest of the old one.
        assert (drawing.remaining() == 1) if short else drawing.remaining() % 2

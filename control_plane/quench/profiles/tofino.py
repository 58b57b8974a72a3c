# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From a profile's settings to rows of p4src/quench_tna.p4, whose formats are in p4src/include/tna/types.p4.

Tofino multiplies no two values of a packet. So a sloped segment becomes rows of one probability each, and a product of
probability and packet size becomes a sum of logarithms. All rows are a pure function of the settings; how they get onto
a switch is docs/how-to/tofino.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, inf, log1p, log2

from quench.profiles.curve import Curve, Segment, chooses, codepoints_of, curve_of
from quench.profiles.formats import AVERAGE_KEY_MAX, PROBABILITY_ONE
from quench.profiles.settings import CommonSettings

CELL_BYTES = 80
"""The unit in which the traffic manager measures queues."""
FRAME_OVERHEAD_BYTES = 14 + 9
"""The Ethernet header and the header from ingress to egress: a packet lies in the queue with both."""
CELLS_PER_REPORTED_PACKET = 16
"""Depths in ``packet_in`` are in packets; on Tofino a packet stands for 16 cells, 1280 bytes."""

FILTER_VALUE_OF_CELL = 1 << 12
"""The value of the filter of the average for one cell."""

CODES_PER_OCTAVE = 128
STEP_CODES = 4096
SIZE_CODES_PER_CLASS = 8
MIN_IP_BYTES = 40
MAX_IP_BYTES = 65535

RELATIVE_TOLERANCE = 1 / 32
"""A row's probability is off by at most this part of the true one,"""
ABSOLUTE_TOLERANCE = 1 / 128
"""or, where that is more, by this part of the segment's highest."""
LEVEL_TOLERANCE = 2.0
"""A row's ISQ level, of 127, is off by at most this before it is rounded down."""

NEVER, DRAW, ALWAYS = 0, 1, 2
"""The verdicts of a row about a mark level."""

TIME_UNIT_NS = 1024
STAMP_UNIT_NS = 65536
STATES_PER_TIME_CONSTANT = 32
"""Most updates of ingress by egress within the average's time constant, in which it can move by 63 %."""
MAX_TIME_CONSTANT_NS = (2 - 2**-9) * 2**31 / 1.22
"""What the filter holds, at the clock of a Tofino 1: a mantissa of 10 bits, an exponent of 5, cycles of 1.22 GHz."""
MIN_LIFETIME_S = 0.01
"""As the program has it without a controller."""
STATES_OF_LIFETIME = 8
"""A state that copies have delayed this often is not too old yet."""
LEAST_PKTS = 8
"""A queue of this many packets is drained within the lifetime, however low its thresholds are."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Arguments of the P4 action ``set_parameters``, alike in both pipelines."""

    size_mask: int
    wait: int
    mark_at_tail: int
    level1_codepoint: int
    level2_codepoint: int
    report_interval: int
    """In units of 1024 ns; so is ``state_interval``."""
    state_interval: int
    isq_in_dataplane: int
    told_mask: int


@dataclass(frozen=True, slots=True)
class CurveRow:
    """A range of the table ``curve`` (in cells), and the arguments of ``set_segment``, alike in both pipelines."""

    low: int
    high: int
    level1_choice: int
    level1_code: int
    level2_choice: int
    level2_code: int
    isq: int
    drop: int
    isq_level: int


@dataclass(frozen=True, slots=True)
class ProfileRows:
    """All that one profile puts into the tables, but for its id; and the time constant of its queue's filter."""

    parameters: Parameters
    curve: tuple[CurveRow, ...]
    time_constant_ns: float
    lifetime_s: float
    """How old a state of its queue may be, at least; all queues of a switch have the same."""


@dataclass(frozen=True, slots=True)
class SizeRow:
    """A range of the tables ``size_class`` (IP bytes) and its code."""

    low: int
    high: int
    code: int


def compile_profile(settings: CommonSettings, rate_bps: int, *, isq_in_dataplane: bool = False) -> ProfileRows:
    """The rows for a queue served at ``rate_bps`` bits per second. Raises ValueError where the tables can't say it.

    ``isq_in_dataplane``: the switch sends the source quenches itself, instead of copying packets to the controller.
    """
    settings = settings.at_rate(rate_bps)
    aqm = chooses(settings)
    if aqm is not None and aqm.spare_empty:
        raise ValueError("spare_empty: on Tofino ingress does not know whether anybody waits: leave it out")
    level1, level2 = codepoints_of(settings)
    byte_mode = aqm is not None and aqm.byte_mode
    time_constant_ns = filter_time_constant_ns(settings.wq, settings.mean_packet_bytes, rate_bps)
    parameters = Parameters(
        size_mask=0xFFFF if byte_mode else 0,
        wait=int(aqm is not None and aqm.wait),
        mark_at_tail=int(aqm is not None and aqm.mark_at == "tail"),
        level1_codepoint=level1,
        level2_codepoint=level2,
        report_interval=round(settings.report_interval * 1e9 / TIME_UNIT_NS),
        state_interval=max(1, round(time_constant_ns / STATES_PER_TIME_CONSTANT / TIME_UNIT_NS)),
        isq_in_dataplane=int(isq_in_dataplane),
        told_mask=aqm.told_mask if aqm is not None else 0,
    )
    unit_bytes = settings.mean_packet_bytes if byte_mode else 1
    curve = curve_of(settings)
    rows = curve_rows(curve, cells_of_packet(settings.mean_packet_bytes), unit_bytes)
    packet_s = settings.mean_packet_bytes * 8 / rate_bps
    return ProfileRows(parameters, rows, time_constant_ns, lifetime_s(curve, packet_s, time_constant_ns))


def lifetime_s(curve: Curve, packet_s: float, time_constant_ns: float) -> float:
    """Longer than a queue of twice the last threshold takes to drain, and than several states are apart.

    ``packet_s``: the time that a packet of mean size takes.
    """
    last_pkts = curve.segments[-1].start_pkts if curve.segments else 0.0
    drained_s = 2 * max(last_pkts, LEAST_PKTS) * packet_s
    return max(MIN_LIFETIME_S, drained_s, time_constant_ns * 1e-9 * STATES_OF_LIFETIME / STATES_PER_TIME_CONSTANT)


def filter_time_constant_ns(wq: float, mean_packet_bytes: int, rate_bps: int) -> float:
    """The time constant with which the filter weighs packets that follow each other by ``wq`` (see average.p4).

    Raises ValueError for one that no filter holds.
    """
    if wq == 1:
        return 1.0
    constant_ns = -(mean_packet_bytes * 8e9 / rate_bps) / log1p(-wq)
    if constant_ns > MAX_TIME_CONSTANT_NS:
        raise ValueError(
            f"wq {wq:g} at {rate_bps} bps is a time constant of {constant_ns * 1e-9:.3g} s: "
            f"Tofino's filter holds {MAX_TIME_CONSTANT_NS * 1e-9:.2g} s at most"
        )
    return constant_ns


def state_lifetime(seconds: float) -> int:
    """The argument of ``set_lifetime``: how old a state may be of which ingress still takes notice, negative."""
    return -ceil(seconds * 1e9 / STAMP_UNIT_NS) & 0xFFFFFFFF


def cells_of_packet(ip_bytes: int) -> int:
    """The cells that a packet of this size takes in the buffer."""
    return ceil((ip_bytes + FRAME_OVERHEAD_BYTES) / CELL_BYTES)


def curve_rows(curve: Curve, cells_per_pkt: int, unit_bytes: int) -> tuple[CurveRow, ...]:
    """The curve in steps on the grid of the match key, one cell.

    ``unit_bytes``: the packet that is chosen with just the curve's probability; 1 where all are. Raises ValueError for
    what is out of range.
    """
    rows: list[CurveRow] = []
    for segment in curve.segments:
        end = AVERAGE_KEY_MAX + 1 if segment.end_pkts == inf else _key(segment.end_pkts, cells_per_pkt)
        low = _key(segment.start_pkts, cells_per_pkt)
        while low < end:
            step_end = _step_end(segment, low, end, cells_per_pkt)
            rows.append(_row(segment, low, step_end, cells_per_pkt, unit_bytes))
            low = step_end
    return tuple(rows)


def _key(depth_pkts: float, cells_per_pkt: int) -> int:
    """The first cell that is not below the depth."""
    key = ceil(round(depth_pkts * cells_per_pkt, 6))
    if key > AVERAGE_KEY_MAX:
        raise ValueError(
            f"a depth of {key} cells of {CELL_BYTES} bytes is more than the tables hold ({AVERAGE_KEY_MAX})"
        )
    return key


def _step_end(segment: Segment, low: int, end: int, cells_per_pkt: int) -> int:
    """The longest step from ``low``, by bisection: a step that is possible is also possible cut short."""
    if _fits(segment, low, end, cells_per_pkt):
        return end
    good, bad = low + 1, end
    while bad - good > 1:
        middle = (good + bad) // 2
        if _fits(segment, low, middle, cells_per_pkt):
            good = middle
        else:
            bad = middle
    return good


def _fits(segment: Segment, low: int, end: int, cells_per_pkt: int) -> bool:
    """Whether one value may stand for all of a step."""
    start, stop = low / cells_per_pkt, end / cells_per_pkt
    level = segment.isq_level_end - segment.isq_level_start
    length = segment.end_pkts - segment.start_pkts
    if abs(level) / length * (stop - start) > 2 * LEVEL_TOLERANCE:
        return False
    for value, top in (
        (segment.p1, max(segment.p1_start, segment.p1_end)),
        (segment.p2, max(segment.p2_start, segment.p2_end)),
    ):
        first, last = value(start), value(stop)
        if abs(last - first) / 2 > max(RELATIVE_TOLERANCE * min(first, last), ABSOLUTE_TOLERANCE * top):
            return False
    return True


def _row(segment: Segment, low: int, end: int, cells_per_pkt: int, unit_bytes: int) -> CurveRow:
    middle_pkts = (low + end) / 2 / cells_per_pkt
    return CurveRow(
        low,
        end - 1,
        *_choice(segment.p1(middle_pkts), unit_bytes),
        *_choice(segment.p2(middle_pkts), unit_bytes),
        int(segment.isq),
        int(segment.drop),
        segment.isq_level(middle_pkts),
    )


def _choice(probability: float, unit_bytes: int) -> tuple[int, int]:
    """A level's choice and code. Probabilities that even the smallest packet's code can't say are rounded up to it."""
    if probability <= 0:
        return NEVER, 0
    if probability >= 1:
        return ALWAYS, 0
    code = round(CODES_PER_OCTAVE * log2(probability * PROBABILITY_ONE / unit_bytes))
    return DRAW, max(code, -code_of_bytes(MIN_IP_BYTES) if unit_bytes > 1 else 0) & 0xFFFF


def code_of_bytes(ip_bytes: float) -> int:
    """A size as the P4 adds it up."""
    return round(CODES_PER_OCTAVE * log2(ip_bytes))


def size_rows() -> tuple[SizeRow, ...]:
    """The rows of ``size_class``: classes whose sizes are within 2.2 % of each one's own, the same for all profiles."""
    rows: list[SizeRow] = []
    code = code_of_bytes(MIN_IP_BYTES)
    low = 0
    while low <= MAX_IP_BYTES:
        edge = 2 ** ((code + SIZE_CODES_PER_CLASS / 2) / CODES_PER_OCTAVE)
        high = min(int(edge), MAX_IP_BYTES)
        if high >= low:
            rows.append(SizeRow(low, high, code))
            low = high + 1
        code += SIZE_CODES_PER_CLASS
    return tuple(rows)


def step_rows() -> Iterator[tuple[int, int]]:
    """The rows of ``step_of_code``: code and step, the same for all profiles and all four tables."""
    for code in range(STEP_CODES):
        yield code, min(round(2 ** (code / CODES_PER_OCTAVE)), 0xFFFFFFFF)

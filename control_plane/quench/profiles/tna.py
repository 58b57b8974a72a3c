# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""From a profile's settings to rows of p4src/quench_tna.p4, whose formats are in p4src/tna/types.p4.

Tofino multiplies no two values of a packet. So a sloped segment becomes rows of one probability each, and rows have
1 / probability, as a count. A quotient of size and random number becomes a sum of logarithms. All rows are a pure
function of the settings; how they get onto a switch is docs/how-to/tofino.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, inf, log1p, log2, sqrt

from quench.profiles.curve import Curve, Segment, codepoints_of, curve_of, selects
from quench.profiles.settings import CommonSettings

CELL_BYTES = 80
"""The unit in which the traffic manager measures queues."""
FRAME_OVERHEAD_BYTES = 14 + 9
"""The Ethernet header and the header from ingress to egress: a packet lies in the queue with both."""
AVERAGE_KEY_MAX = (1 << 20) - 1
"""Tofino matches ranges of at most 20 bits."""
CELLS_PER_REPORTED_PACKET = 16
"""Depths in ``packet_in`` are in packets; on Tofino a packet stands for 16 cells, 1280 bytes."""

FILTER_VALUE_OF_CELL = 1 << 12
"""The value of the filter of the average for one cell."""

CODES_PER_OCTAVE = 128
REACH_CODES = 4096
LONGEST_REACH = 1 << 31
SIZE_CODES_PER_CLASS = 8
MIN_IP_BYTES = 20
MAX_IP_BYTES = 65535

COUNTS_PER_PACKET = 16
"""The count of one packet in packet mode: less than the bytes of any packet."""
SIZE_CODE_LIMIT = 512
"""``COUNTS_PER_PACKET`` as the logarithm of a size, below that of any packet."""
NUMBER_BITS = 20
NUMBER_DIGITS = 5
"""A random number counts by its first bit that is set and so many bits behind it."""
MAX_GAP = 1 << 29
"""The largest 1 / probability: twice as much and a packet are still a count."""
MIN_PROBABILITY = 2**-NUMBER_BITS
"""Smaller probabilities are rounded up to what a random number can say."""
FLATTEST_RAMP = 8 * MIN_PROBABILITY
"""A ramp whose highest probability is lower would be mostly rounding, and is refused."""

RELATIVE_TOLERANCE = 1 / 32
"""A row's probability is off by at most this part of the true one,"""
ABSOLUTE_TOLERANCE = 1 / 128
"""or, where that is more, by this part of the segment's highest."""
LEVEL_TOLERANCE = 2.0
"""A row's ISQ level, of 127, is off by at most this before it is rounded down."""

NEVER, BY_DRAW, ALWAYS = 0, 1, 2
"""The verdicts of a row about a mark level."""

TIME_UNIT_NS = 1024
STAMP_UNIT_NS = 65536
STATES_PER_TIME_CONSTANT = 64
"""States that egress sends to ingress within the average's time constant, at most; in that time the average can move by
63 %."""
MAX_TIME_CONSTANT_NS = (2 - 2**-9) * 2**31 / 1.22
"""The filter's longest time constant, at the clock of a Tofino 1: a mantissa of 10 bits, an exponent of 5, cycles of
1.22 GHz."""
MIN_LIFETIME_S = 0.01
"""The lifetime that the program has without a controller."""
STATES_OF_LIFETIME = 16
"""A state that copies have delayed this often is not too old yet."""
LEAST_PKTS = 8
"""A queue of this many packets is drained within the lifetime, however low its thresholds are."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Arguments of the P4 action ``set_parameters``, alike in both pipelines."""

    size_code_limit: int
    size_limit: int
    mark_at_tail: int
    level1_codepoint: int
    level2_codepoint: int
    report_interval: int
    """The interval of reports in units of 1024 ns; so is ``state_interval``."""
    state_interval: int
    isq_in_dataplane: int
    once_per_path_mask: int
    spare_empty: int


@dataclass(frozen=True, slots=True)
class CurveRow:
    """A range of the table ``curve`` (in cells), and the arguments of ``set_segment``, alike in both pipelines."""

    low: int
    high: int
    level1_selection: int
    level1_most: int
    level1_least: int
    level2_selection: int
    level2_most: int
    level2_least: int
    isq: int
    drop: int
    isq_level: int
    isq_advice: int


@dataclass(frozen=True, slots=True)
class ProfileRows:
    """All that one profile puts into the tables, but for its id; and the time constant of its queue's filter."""

    parameters: Parameters
    curve: tuple[CurveRow, ...]
    time_constant_ns: float
    lifetime_s: float
    """The least lifetime of a state of the queue; all queues of a switch have the same."""


@dataclass(frozen=True, slots=True)
class SizeRow:
    """A range of the table ``size_class`` (IP bytes) and its code."""

    low: int
    high: int
    code: int


@dataclass(frozen=True, slots=True)
class NumberRow:
    """Random numbers of the tables ``code_of_number``, which differ in their last bits, and the code of 1 / random."""

    low: int
    high: int
    code: int


def compile_profile(settings: CommonSettings, rate_bps: int, *, isq_in_dataplane: bool = False) -> ProfileRows:
    """The rows for a queue served at ``rate_bps`` bits per second. Raises ValueError where the tables can't say it.

    ``isq_in_dataplane``: the switch sends the source quenches itself, instead of copying packets to the controller.
    """
    settings = settings.at_rate(rate_bps)
    aqm = selects(settings)
    if aqm is not None and aqm.depth == "now":
        raise ValueError("depth now: the TNA program decides by the average alone: leave it out")
    level1, level2 = codepoints_of(settings)
    byte_mode = aqm is not None and aqm.byte_mode
    time_constant_ns = filter_time_constant_ns(settings.wq, settings.mean_packet_bytes, rate_bps)
    parameters = Parameters(
        size_code_limit=0xFFFF if byte_mode else SIZE_CODE_LIMIT,
        size_limit=MAX_IP_BYTES if byte_mode else COUNTS_PER_PACKET,
        mark_at_tail=int(aqm is not None and aqm.mark_at == "tail"),
        level1_codepoint=level1,
        level2_codepoint=level2,
        report_interval=round(settings.report_interval * 1e9 / TIME_UNIT_NS),
        state_interval=max(1, round(time_constant_ns / STATES_PER_TIME_CONSTANT / TIME_UNIT_NS)),
        isq_in_dataplane=int(isq_in_dataplane),
        once_per_path_mask=aqm.once_per_path_mask if aqm is not None else 0,
        spare_empty=int(aqm is not None and aqm.spare_empty),
    )
    packet = settings.mean_packet_bytes if byte_mode else COUNTS_PER_PACKET
    curve = curve_of(settings)
    wait = aqm is not None and aqm.wait
    rows = curve_rows(curve, cells_of_packet(settings.mean_packet_bytes), packet, wait=wait)
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
    """The argument of ``set_lifetime``: the age up to which ingress uses a state, negative."""
    return -ceil(seconds * 1e9 / STAMP_UNIT_NS) & 0xFFFFFFFF


def cells_of_packet(ip_bytes: int) -> int:
    """The cells that a packet of this size takes in the buffer."""
    return ceil((ip_bytes + FRAME_OVERHEAD_BYTES) / CELL_BYTES)


def curve_rows(curve: Curve, cells_per_pkt: int, packet: int, *, wait: bool) -> tuple[CurveRow, ...]:
    """The curve in steps on the grid of the match key, one cell.

    ``packet``: what the packet counts that is selected with just the curve's probability. Raises ValueError for what is
    out of range.
    """
    rows: list[CurveRow] = []
    for segment in curve.segments:
        _check_is_not_flat(segment)
        end = AVERAGE_KEY_MAX + 1 if segment.end_pkts == inf else _key(segment.end_pkts, cells_per_pkt)
        low = _key(segment.start_pkts, cells_per_pkt)
        while low < end:
            step_end = _step_end(segment, low, end, cells_per_pkt)
            rows.append(_row(segment, low, step_end, cells_per_pkt, packet, wait=wait))
            low = step_end
    return tuple(rows)


def _check_is_not_flat(segment: Segment) -> None:
    for first, last in ((segment.p1_start, segment.p1_end), (segment.p2_start, segment.p2_end)):
        if 0 < max(first, last) < FLATTEST_RAMP:
            raise ValueError(
                f"a probability of {max(first, last):g} between {segment.start_pkts:g} and {segment.end_pkts:g} "
                f"packets is lower than Tofino's random numbers can say ({FLATTEST_RAMP:.2g}): give a larger one"
            )


def _key(depth_pkts: float, cells_per_pkt: int) -> int:
    """The first cell that is not below the depth."""
    key = ceil(round(depth_pkts * cells_per_pkt, 6))
    if key > AVERAGE_KEY_MAX:
        raise ValueError(
            f"a depth of {key} cells of {CELL_BYTES} bytes is more than the tables hold ({AVERAGE_KEY_MAX}): "
            "give lower thresholds"
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


def _row(segment: Segment, low: int, end: int, cells_per_pkt: int, packet: int, *, wait: bool) -> CurveRow:
    middle_pkts = (low + end) / 2 / cells_per_pkt
    return CurveRow(
        low,
        end - 1,
        *_selection(segment.p1(middle_pkts), packet, wait=wait),
        *_selection(segment.p2(middle_pkts), packet, wait=wait),
        int(segment.isq),
        int(segment.drop),
        segment.isq_level(middle_pkts),
        segment.advice,
    )


def _selection(probability: float, packet: int, *, wait: bool) -> tuple[int, int, int]:
    """The way in which a level selects packets, and the counts at which one surely is, and before which none is.

    With ``wait`` the count of draw.p4 includes the packet itself, here as one of mean size.
    """
    if probability <= 0:
        return NEVER, 0, 0
    if probability >= 1:
        return ALWAYS, 0, 0
    gap = min(packet / max(probability, MIN_PROBABILITY), MAX_GAP)
    return (BY_DRAW, round(2 * gap) - packet, round(gap) - packet) if wait else (BY_DRAW, round(gap), 0)


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


def number_rows() -> Iterator[NumberRow]:
    """The rows of ``code_of_number``, the same for all four tables."""
    most_digits = 1 << NUMBER_DIGITS
    for low in range(most_digits):
        yield NumberRow(low, low, _code_of_share(low, low + 1))
    for spare in range(NUMBER_BITS - NUMBER_DIGITS):
        for digits in range(most_digits, 2 * most_digits):
            low, end = digits << spare, (digits + 1) << spare
            yield NumberRow(low, end - 1, _code_of_share(low, end))


def _code_of_share(low: int, end: int) -> int:
    """The logarithm of 1 / random for random numbers from ``low`` on that are below ``end``."""
    middle = sqrt(low * end) if low else end / 2
    return round(CODES_PER_OCTAVE * (NUMBER_BITS - log2(middle)))


def reach_rows() -> Iterator[tuple[int, int]]:
    """The rows of ``reach_of_code``: code and reach, the same for all profiles and all four tables."""
    for code in range(REACH_CODES):
        yield code, min(round(2 ** (code / CODES_PER_OCTAVE)), LONGEST_REACH)

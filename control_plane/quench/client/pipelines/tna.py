# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""p4src/quench_tna.p4, on Tofino. Their meaning is in docs/how-to/tofino.md."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

import finsy as fy

from quench.client.entries import CPU_CLONE_SESSION, queue_index
from quench.client.packet_in import Copy
from quench.client.pipelines.filters import Filter, filter_pattern
from quench.client.pipelines.pipeline import PRIORITY, Found, Pipeline, SharedDefault, sibling
from quench.config.model import TnaConfig
from quench.profiles import Curve, ProfileSettings
from quench.profiles.tna import (
    AVERAGE_KEY_MAX,
    CELLS_PER_REPORTED_PACKET,
    FILTER_VALUE_OF_CELL,
    MIN_LIFETIME_S,
    NUMBER_BITS,
    TIME_UNIT_NS,
    CurveRow,
    Parameters,
    ProfileRows,
    cells_of_packet,
    compile_profile,
    number_rows,
    reach_rows,
    size_rows,
    state_lifetime,
)
from quench.profiles.tna_recover import curve_of_rows, settings_of

STATE_SESSION = 101
ISQ_SESSIONS = range(117, 128)
"""The mirror sessions that cut an ISQ behind its quote, for IPv4 headers of 5 to 15 words."""
CNP_SESSIONS = range(133, 144)
"""Those that cut a copy behind its BTH, for a CNP."""
IPV6_CNP_SESSION = 128
CPU_COPY_BYTES = 132
"""A session's length counts the 26 bytes in front of the copy."""
STATE_BYTES = 64
ISQ_BYTES = 68
"""The length of a session for an IPv4 header of 5 words."""
CNP_BYTES = 80
IPV6_CNP_BYTES = 100

SIZE_CLASS = "QuenchIngress.packet_size.size_class"
THRESHOLDS = tuple(
    f"{decision}.{level}_threshold"
    for decision in ("QuenchIngress.arrival_decision", "QuenchEgress.departure_decision")
    for level in ("level1", "level2")
)
NUMBERS = tuple(f"{threshold}.code_of_number" for threshold in THRESHOLDS)
REACHES = tuple(f"{threshold}.reach_of_code" for threshold in THRESHOLDS)
STATE_LIFETIME = "QuenchIngress.state_operands.state_lifetime"
QUEUE_AVERAGE = "QuenchEgress.average_queue.queue_average"


class _Tna(Pipeline[ProfileRows]):
    arch = "tna"
    cpu_port = 320
    queue_profile = "QuenchIngress.queue_profile.queue_profile"
    parameter_tables = ("QuenchIngress.profile.profile_parameters", "QuenchEgress.profile.profile_parameters")
    curve_tables = ("QuenchIngress.arrival_decision.curve", "QuenchEgress.departure_decision.curve")
    average_filter = QUEUE_AVERAGE
    takes_tna_settings = True
    takes_groups = False
    takes_descriptions = False
    parameters_type = Parameters
    curve_row_type = CurveRow
    average_key_max = AVERAGE_KEY_MAX

    def compile(self, settings: ProfileSettings, rate_bps: int, *, isq_in_dataplane: bool = False) -> ProfileRows:
        return compile_profile(settings, rate_bps, isq_in_dataplane=isq_in_dataplane)

    def sessions(self, cpu_port: int | None = None, options: TnaConfig | None = None) -> list[fy.P4CloneSessionEntry]:
        loops = (options or TnaConfig()).recirculation_ports
        return [
            _session(CPU_CLONE_SESSION, [cpu_port or self.cpu_port], CPU_COPY_BYTES),
            # Each pipe has registers of its own, so the state of a queue goes to all of them.
            _session(STATE_SESSION, loops, STATE_BYTES),
            # A copy is cut right behind the 8 bytes that it quotes, so each length of IPv4 header has its session.
            *(_session(each, loops[:1], ISQ_BYTES + 4 * place) for place, each in enumerate(ISQ_SESSIONS)),
            *(_session(each, loops[:1], CNP_BYTES + 4 * place) for place, each in enumerate(CNP_SESSIONS)),
            _session(IPV6_CNP_SESSION, loops[:1], IPV6_CNP_BYTES),
        ]

    def constants(self) -> Mapping[str, Iterable[fy.P4TableEntry]]:
        return {
            SIZE_CLASS: _size_entries(),
            **{table: _number_entries(table) for table in NUMBERS},
            **{table: _reach_entries(table) for table in REACHES},
        }

    def filter(self, port: int, queue: int, rows: ProfileRows) -> Filter:
        return Filter(QUEUE_AVERAGE, queue_index(port, queue), rows.time_constant_ns)

    def filter_value_of_packet(self, mean_packet_bytes: int) -> float:
        return float(FILTER_VALUE_OF_CELL * cells_of_packet(mean_packet_bytes))

    def filter_of(self, port: int, queue: int) -> fy.P4ExternEntry:
        return filter_pattern(QUEUE_AVERAGE, queue_index(port, queue))

    def shared(self, profiles: Iterable[ProfileRows], options: TnaConfig | None = None) -> list[SharedDefault]:
        given_s = None if options is None else options.state_lifetime
        lifetime_s = given_s or max(chain((rows.lifetime_s for rows in profiles), (MIN_LIFETIME_S,)))
        argument = "minus_lifetime"
        action = fy.P4TableAction(sibling(STATE_LIFETIME, "set_lifetime"), **{argument: state_lifetime(lifetime_s)})
        return [SharedDefault(fy.P4TableEntry(STATE_LIFETIME, action=action, is_default_action=True), argument)]

    def settings(self, found: Found, rate_bps: int) -> ProfileSettings:
        return settings_of(found.parameters, found.curve, rate_bps, found.time_constant_ns)

    def curve(self, found: Found) -> Curve:
        return curve_of_rows(found.parameters, found.curve)

    def in_packets(self, copy: Copy, mean_packet_bytes: int) -> Copy:
        scale = CELLS_PER_REPORTED_PACKET / cells_of_packet(mean_packet_bytes)
        return replace(
            copy,
            depth_pkts=round(copy.depth_pkts * scale),
            average_pkts=copy.average_pkts * scale,
            time_us=copy.time_us * TIME_UNIT_NS // 1000,
        )


def _session(number: int, ports: Iterable[int], most_bytes: int) -> fy.P4CloneSessionEntry:
    return fy.P4CloneSessionEntry(number, replicas=list(ports), packet_length_bytes=most_bytes)


def _size_entries() -> Iterator[fy.P4TableEntry]:
    for row in size_rows():
        yield fy.P4TableEntry(
            SIZE_CLASS,
            match=fy.P4TableMatch({"bytes": (row.low, row.high)}),
            action=fy.P4TableAction(sibling(SIZE_CLASS, "set_size_code"), code=row.code),
            priority=PRIORITY,
        )


def _number_entries(table: str) -> Iterator[fy.P4TableEntry]:
    for row in number_rows():
        mask = (1 << NUMBER_BITS) - 1 - (row.high - row.low)
        yield fy.P4TableEntry(
            table,
            match=fy.P4TableMatch(number=(row.low, mask)),
            action=fy.P4TableAction(sibling(table, "set_code"), code=row.code),
            priority=PRIORITY,
        )


def _reach_entries(table: str) -> Iterator[fy.P4TableEntry]:
    for code, reach in reach_rows():
        yield fy.P4TableEntry(
            table,
            match=fy.P4TableMatch(code=code),
            action=fy.P4TableAction(sibling(table, "subtract_reach"), minus_reach=-reach & 0xFFFFFFFF),
        )


TNA = _Tna()

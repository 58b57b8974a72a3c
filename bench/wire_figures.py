# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The figures and the table of the wire bench, from the rounds in which all devices took turns."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from figures import Better, Figure, ratios
from rich.console import Console
from rich.table import Table

SIZES = (60, 512, 1514)
"""Bytes of a frame, without the checksum that hardware adds."""
YARDSTICK = "forwarder"
OFFLOADED_YARDSTICK = "kernel bridge"
"""The forwarder takes no large frames."""
Rounds = Sequence[Mapping[str, Mapping[str, Any]]]
"""The results of each device, by round."""


def wire_figures(rounds: Rounds, pacing: Sequence[Sequence[Mapping[str, Any]]]) -> list[Figure]:
    """All that was measured; ``pacing``: of each turn, each rate."""
    found: list[Figure] = []
    for device in rounds[0] if rounds else ():
        for size in SIZES:
            found += _with_ratio(rounds, device, f"{size} B", "packets/s", "more", _rate(size, "pkts_per_s"))
            by_core = f"{size} B, by processor time"
            found += _with_ratio(rounds, device, by_core, "packets/s", "more", _rate(size, "pkts_per_core_s"))
        found += _with_ratio(rounds, device, "TCP", "Gb/s", "more", _value("tcp", "gbit_per_s"))
        offloaded = _value("tcp_offloads", "gbit_per_s")
        found += _with_ratio(rounds, device, "TCP with offloads", "Gb/s", "more", offloaded, OFFLOADED_YARDSTICK)
        for key, name in (("median_us", "round trip, median"), ("p99_9_us", "round trip, 99.9 %")):
            found += _with_ratio(rounds, device, name, "us", "less", _value("round_trip", key))
    for turns in zip(*pacing, strict=True):
        place = f"paced at {turns[0]['rate_bps'] / 1e6:g} Mb/s"
        off = tuple(abs(1 - turn["over_asked"]) for turn in turns)
        uneven = tuple(turn["deviation_us"] / turn["ideal_us"] for turn in turns)
        found.append(Figure(f"{place}, error of the rate", off, "of the rate", "less", "ratio"))
        found.append(Figure(f"{place}, deviation of gaps", uneven, "of a gap", "less", "ratio"))
    return found


def _rate(size: int, key: str) -> Callable[[Mapping[str, Any]], float | None]:
    def find(measured: Mapping[str, Any]) -> float | None:
        return next((each[key] for each in measured.get("rates", ()) if each["bytes"] == size), None)

    return find


def _value(part: str, key: str) -> Callable[[Mapping[str, Any]], float | None]:
    return lambda measured: measured.get(part, {}).get(key)


def _with_ratio(
    rounds: Rounds,
    device: str,
    what: str,
    unit: str,
    better: Better,
    find: Callable[[Mapping[str, Any]], float | None],
    yardstick: str = YARDSTICK,
) -> Iterator[Figure]:
    """A figure, and its ratio to the yardstick's in the same rounds; nothing where it was not measured."""
    mine = _known(find(each[device]) for each in rounds)
    if len(mine) != len(rounds):
        return
    yield Figure(f"{device}, {what}", tuple(mine), unit, better)
    yards = _known(find(each.get(yardstick, {})) for each in rounds)
    if device != yardstick and len(yards) == len(rounds) and all(yards):
        yield ratios(f"{device}, {what}, over the {yardstick}", mine, yards, better)


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


COLUMNS = ("device", *(f"{size} B" for size in SIZES), "TCP Gb/s", "with offloads", "round trip us, 99.9 %")


def rows(figures: Iterable[Figure]) -> list[tuple[str, ...]]:
    """The medians of each device: k packets/s with the ratios to the forwarder, TCP, round trips."""
    known = {figure.name: figure for figure in figures}
    measured = (f", {SIZES[0]} B", ", TCP", ", TCP with offloads", ", round trip, median")
    devices = dict.fromkeys(name.removesuffix(end) for name in known for end in measured if name.endswith(end))
    return [(device, *_cells(device, known)) for device in devices]


def _cells(device: str, known: Mapping[str, Figure]) -> Iterator[str]:
    def shown(name: str, text: str, by: float = 1.0) -> list[str]:
        figure = known.get(f"{device}, {name}")
        return [] if figure is None else [text.format(figure.median / by)]

    ratio = f"over the {YARDSTICK}"
    for size in SIZES:
        rate = shown(f"{size} B", "{:.0f}", 1e3) + shown(f"{size} B, {ratio}", "{:.2f}")
        yield "  ".join(rate + shown(f"{size} B, by processor time, {ratio}", "{:.2f}"))
    for name in ("TCP", "TCP with offloads"):
        # Nothing came through in at least half of the turns.
        yield "".join(shown(name, "{:.2f}")).replace("0.00", "stalled")
    yield ", ".join(shown("round trip, median", "{:.0f}") + shown("round trip, 99.9 %", "{:.0f}"))


def print_table(console: Console, rounds: Rounds, figures: Iterable[Figure]) -> None:
    """Medians over the rounds."""
    table = Table(*COLUMNS, title="Wire: k packets/s, medians")
    for cells in rows(figures):
        table.add_row(*cells)
    console.print(table)
    console.print("Behind each rate: times the forwarder's, by the clock and by the device's processor time.")
    lost = [each["unaccounted"] for turn in rounds for found in turn.values() for each in found.get("rates", ())]
    if counted := _known(lost):
        console.print(f"Packets that no count explains: {sum(map(abs, counted)):g}.")


def print_pacing(console: Console, pacing: Sequence[Sequence[Mapping[str, Any]]]) -> None:
    """The last turn."""
    if not pacing:
        return
    columns = ("rate", "achieved over asked", "gap us", "median", "1 %", "99 %", "deviation")
    table = Table(*columns, title="Pacing of a port, 1514 B, the last turn")
    for each in pacing[-1]:
        gaps = [f"{each[key]:.1f}" for key in ("ideal_us", "median_us", "p1_us", "p99_us", "deviation_us")]
        table.add_row(f"{each['rate_bps'] / 1e6:g} Mb/s", f"{each['over_asked']:.4f}", *gaps)
    console.print(table)


def short(found: Mapping[str, Any]) -> str:
    """One line of what a device did."""
    words = [f"{each['bytes']} B {each['pkts_per_s'] / 1e3:.0f} k/s" for each in found.get("rates", ())]
    for name, text in (("tcp", "TCP"), ("tcp_offloads", "TCP with offloads")):
        if name in found:
            stalled = found[name]["stalled"]
            words.append(f"{text} {'stalled' if stalled else format(found[name]['gbit_per_s'], '.2f') + ' Gb/s'}")
    if "round_trip" in found:
        trip = found["round_trip"]
        words.append(f"round trip {trip['median_us']:.0f} us, 99.9 % {trip['p99_9_us']:.0f} us")
    return ", ".join(words)

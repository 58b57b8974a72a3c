# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Profiles as the feed shows them, and the events that lie between two layouts."""

from collections.abc import Iterator
from math import isinf
from typing import Any

from quench_switch.outside.text import counted
from quench_switch.outside.units import format_rate_bps

from quench.feed.model import CurvePiece, Event, EventKind, Layout, ProfileLayout, SwitchLayout, Threshold
from quench.profiles import Curve, ProfileSettings, parse_settings
from quench.profiles.curve import curve_of
from quench.profiles.settings import scheme_of


def profile_layout(settings: ProfileSettings) -> ProfileLayout:
    """A profile as the feed shows it."""
    return {
        "settings": settings.model_dump(mode="json"),
        "thresholds": [_threshold(settings, name, depth) for name, depth in settings.named_depths()],
        "curve": pieces(curve_of(settings)),
        "mean_packet_bytes": settings.mean_packet_bytes,
    }


def pieces(curve: Curve) -> list[CurvePiece]:
    """A curve as the feed shows it."""
    return [
        CurvePiece(
            start_pkts=piece.start_pkts,
            end_pkts=None if isinf(piece.end_pkts) else piece.end_pkts,
            p1_start=piece.p1_start,
            p1_end=piece.p1_end,
            p2_start=piece.p2_start,
            p2_end=piece.p2_end,
            isq=piece.isq,
            drop=piece.drop,
        )
        for piece in curve.segments
    ]


def profile_layout_of(settings: dict[str, Any]) -> ProfileLayout:
    """The same of settings as JSON. Raises pydantic.ValidationError."""
    return profile_layout(parse_settings(settings))


def _threshold(settings: ProfileSettings, name: str, depth: Any) -> Threshold:
    return {
        "name": name,
        "text": str(depth),
        "pkts": settings.in_pkts(depth),
        "editable": name in scheme_of(settings.scheme).model_fields,
    }


def events_between(old: Layout, new: Layout, time_s: float) -> list[Event]:
    """The changes that lead from one layout to the next."""
    before = {switch["switch"]: switch for switch in old["switches"]}
    return [
        event
        for switch in new["switches"]
        if switch["switch"] in before
        for event in _of_switch(before[switch["switch"]], switch, time_s)
    ]


def _of_switch(old: SwitchLayout, new: SwitchLayout, time_s: float) -> Iterator[Event]:
    name = new["switch"]
    if old["connected"] != new["connected"]:
        kind: EventKind = "connected" if new["connected"] else "disconnected"
        yield _event(time_s, kind, name, None, None, f"{name} is {kind}")
    if old["isq_mode"] != new["isq_mode"]:
        yield _event(time_s, "isq", name, None, None, f"{name}: source quenches: {new['isq_mode']}")
    ports = {port["port"]: port for port in old["ports"]}
    for port in new["ports"]:
        number = port["port"]
        if number not in ports:
            continue
        if ports[number]["rate_bps"] != port["rate_bps"] and port["rate_bps"] is not None:
            rate = format_rate_bps(port["rate_bps"])
            yield _event(time_s, "rate", name, number, None, f"{name} port {number}: rate {rate}")
        profiles = {queue["queue"]: queue["profile"] for queue in ports[number]["queues"]}
        for queue in port["queues"]:
            before, profile = profiles.get(queue["queue"]), queue["profile"]
            if before != profile:
                place = f"{name} port {number} queue {queue['queue']}"
                text = "no profile" if profile is None else _changes(before, profile)
                yield _event(time_s, "profile", name, number, queue["queue"], f"{place}: {text}")


def _changes(old: ProfileLayout | None, new: ProfileLayout) -> str:
    """The scheme, and the settings that are others than before; all but defaults where the scheme is another one."""
    settings = new["settings"]
    if not settings:
        return "another curve"
    scheme = settings["scheme"]
    if old is not None and old["settings"].get("scheme") == scheme:
        changed = {name: value for name, value in settings.items() if value != old["settings"].get(name)}
    else:
        changed = parse_settings(settings).model_dump(mode="json", exclude_defaults=True, exclude={"scheme"})
    shown = [f"{name} {_text(value)}" for name, value in changed.items()]
    return f"{scheme}: {', '.join(shown)}" if shown else str(scheme)


def _text(value: object) -> str:
    return counted(len(value), "point") if isinstance(value, list) else str(value)


def _event(time_s: float, kind: EventKind, switch: str, port: int | None, queue: int | None, text: str) -> Event:
    return {"time_s": time_s, "kind": kind, "switch": switch, "port": port, "queue": queue, "text": text}

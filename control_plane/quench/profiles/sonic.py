# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Profiles from and to SONiC's WRED profiles, as its ConfigDB has them (docs/how-to/sonic.md).

A WRED profile has a ramp for each of three colours: nothing is selected below a least depth, all from a greatest depth
on. Where ``ecn`` names the colour, ECT packets are marked in place of being dropped, beyond the greatest depth too.
A setting that the other side lacks becomes a note, or an error where nothing close to it is left.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Final

from pydantic import ValidationError
from quench_switch.outside.text import one_line

from quench.errors import message_of
from quench.profiles.curve import codepoints_of, curve_of
from quench.profiles.scheme import CE, CommonSettings, RedSettings
from quench.profiles.segment import Segment
from quench.profiles.settings import parse_settings
from quench.units import Depth

PROFILES: Final = "WRED_PROFILE"
QUEUES: Final = "QUEUE"
MOST_PROFILES: Final = 1000
"""More than a switch of Quench takes."""
COLOURS: Final = ("green", "yellow", "red")
LIKE_SONIC: Final[Mapping[str, Any]] = {"wq": 1.0, "byte_mode": False, "wait": False}
"""Settings without a key in a WRED profile: SONiC gives the average weight 0, so it is the depth itself, and a
percentage of packets, whatever their sizes and gaps."""
_SHAPE: Final = frozenset({"scheme", "minth", "maxth", "maxp", "gentle", "k", "points", "level1_codepoint"})
"""Settings that become thresholds, a probability and ``ecn``."""
_NAME: Final = re.compile(r"[A-Za-z0-9][-A-Za-z0-9_]{0,31}")
_QUEUE: Final = re.compile(r"[-A-Za-z0-9_.|]{1,90}\|[0-9]{1,3}(-[0-9]{1,3})?")
_BOOLEANS: Final = {"true": True, "false": False}
_MARKED: Final[Mapping[str, frozenset[str]]] = {
    "ecn_none": frozenset(),
    "ecn_all": frozenset(COLOURS),
    **{f"ecn_{each}": frozenset({each}) for each in COLOURS},
    **{f"ecn_{one}_{two}": frozenset({one, two}) for one, two in (COLOURS[:2], COLOURS[::2], COLOURS[1:])},
}
"""The colours that each value of ``ecn`` marks."""
_OF_COLOUR: Final = ("{}_min_threshold", "{}_max_threshold", "{}_drop_probability", "wred_{}_enable")
_OF_MARKS: Final = ("ecn_{}_min_threshold", "ecn_{}_max_threshold", "ecn_{}_mark_probability")
_KEYS: Final = frozenset({"ecn"} | {key.format(each) for key in (*_OF_COLOUR, *_OF_MARKS) for each in COLOURS})


class SonicError(Exception):
    """A WRED profile, or a profile of Quench, that the other side has nothing for: one line."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A WRED profile as a profile of Quench."""

    values: dict[str, Any]
    """The settings, as a file has them."""
    queues: tuple[str, ...]
    """The queues that name it, such as ``Ethernet0|3``."""
    notes: tuple[str, ...]
    """The settings that Quench cannot say, a line each."""


@dataclass(frozen=True, slots=True)
class _Ramp:
    """The settings of one colour. Thresholds in bytes, the probability in percent."""

    enabled: bool
    marks: bool
    least: int
    greatest: int
    percent: int


def profiles_from(tables: object) -> dict[str, Imported]:
    """The profiles of ConfigDB's tables by name. Raises SonicError with the place and what to do."""
    profiles = _table(tables, PROFILES)
    if not profiles:
        raise SonicError(f"there is no table {PROFILES}: give ConfigDB's JSON, such as /etc/sonic/config_db.json")
    if len(profiles) > MOST_PROFILES:
        raise SonicError(f"{PROFILES}: {len(profiles)} profiles: leave out all but {MOST_PROFILES}")
    for name in profiles:
        _check_name(name)
    queues = _queues(_table(tables, QUEUES), profiles)
    return {name: _imported(name, values, queues[name]) for name, values in profiles.items()}


def wred_profile(name: str, settings: CommonSettings) -> tuple[dict[str, str], list[str]]:
    """The entry of a profile in the table WRED_PROFILE, and notes of what it cannot say.

    The settings have all thresholds as depths. Raises SonicError where nothing like the profile can be said.
    """
    _check_name(name)
    segments = curve_of(settings).segments
    notes = _left_out(name, settings)
    if not segments:
        return {"ecn": "ecn_none"} | {f"wred_{each}_enable": "false" for each in COLOURS}, notes
    least, greatest, percent = _ramp_of(name, settings, segments)
    drop = segments[0].drop
    beyond = [each for each in segments if each.start_pkts >= greatest]
    if beyond != [Segment(greatest, inf, 1.0, 1.0, drop=drop)]:
        if not isinstance(settings, RedSettings):
            raise _refused(name, "selects some packets above its ramp, where SONiC selects all", "end it at 100%")
        what = "drops every packet" if drop else "marks every ECT packet and drops the others"
        notes.append(f"{name}: from maxth on SONiC {what}; {_beyond(settings)}")
    thresholds = {"min_threshold": least, "max_threshold": greatest}
    entry = {"ecn": "ecn_none" if drop else "ecn_all"}
    for colour in COLOURS:
        entry[f"wred_{colour}_enable"] = "true"
        for key, depth_pkts in thresholds.items():
            entry[f"{colour}_{key}"] = _in_bytes(name, depth_pkts * settings.mean_packet_bytes)
        entry[f"{colour}_drop_probability"] = str(percent)
    return entry, notes


def queue_entries(queues: list[str], name: str) -> dict[str, dict[str, str]]:
    """The entries of the table QUEUE that give these queues the profile. Raises SonicError."""
    for queue in queues:
        if not _QUEUE.fullmatch(queue):
            raise SonicError(f"{_quoted(queue)} is no queue of SONiC: write it as 'Ethernet0|3' or 'Ethernet0|3-4'")
    return {queue: {"wred_profile": name} for queue in queues}


# ---- From SONiC


def _table(tables: object, name: str) -> dict[str, Any]:
    if not isinstance(tables, dict):
        raise SonicError("it is no ConfigDB: its JSON is an object of tables, such as WRED_PROFILE")
    table = tables.get(name, {})
    if not isinstance(table, dict):
        raise SonicError(f"{name}: a table is an object with an entry for each name")
    return table


def _queues(table: dict[str, Any], profiles: Mapping[str, Any]) -> dict[str, list[str]]:
    """The queues of each profile."""
    found: dict[str, list[str]] = {name: [] for name in profiles}
    for queue, values in table.items():
        if not isinstance(values, dict):
            raise SonicError(f"{QUEUES}.{_quoted(queue)}: an entry is an object of keys and values")
        reference = values.get("wred_profile")
        if reference is None:
            continue
        if not _QUEUE.fullmatch(queue):
            raise SonicError(f"{QUEUES}.{_quoted(queue)}: a queue is PORT|NUMBER, such as Ethernet0|3")
        # Before 2021 a reference had the table's name in it.
        name = reference.removeprefix(f"[{PROFILES}|").removesuffix("]") if isinstance(reference, str) else None
        if name not in found:
            raise SonicError(f"{QUEUES}.{queue}.wred_profile: {_quoted(reference)} is not in the table {PROFILES}")
        found[name].append(queue)
    return found


def _imported(name: str, values: object, queues: list[str]) -> Imported:
    place = f"{PROFILES}.{name}"
    if not isinstance(values, dict):
        raise SonicError(f"{place}: an entry is an object of keys and values")
    for key in values:
        if key not in _KEYS:
            raise SonicError(f"{place}.{_quoted(key)}: no key of a WRED profile: leave it out")
    ecn = values.get("ecn", "ecn_none")
    if not isinstance(ecn, str) or ecn not in _MARKED:
        raise SonicError(f"{place}.ecn: {_quoted(ecn)} is none of {', '.join(_MARKED)}")
    ramps = {colour: _ramp(place, values, colour, marks=colour in _MARKED[ecn]) for colour in COLOURS}
    for colour in COLOURS:
        _check_marks(place, values, colour, ramps[colour])
    found = _settings(place, ramps["green"])
    try:
        parse_settings(found)
    except ValidationError as error:
        raise SonicError(f"{place}: {message_of(error.errors()[0])}") from error
    others = [colour for colour in COLOURS[1:] if ramps[colour] != ramps["green"]]
    notes = (
        [f"{name}: {' and '.join(others)} packets have settings of their own in SONiC; Quench takes green's for all"]
        if others
        else []
    )
    return Imported(found, tuple(queues), tuple(notes))


def _ramp(place: str, values: dict[str, Any], colour: str, *, marks: bool) -> _Ramp:
    """The settings of a colour, with the defaults of SONiC's YANG model."""
    least_key, greatest_key, percent_key, enable_key = (key.format(colour) for key in _OF_COLOUR)
    enable = values.get(enable_key, "false")
    enabled = enable if isinstance(enable, bool) else _BOOLEANS.get(enable) if isinstance(enable, str) else None
    if enabled is None:
        raise SonicError(f"{place}.{enable_key}: {_quoted(enable)} is neither true nor false")
    if not enabled:
        return _Ramp(enabled, marks, 0, 0, 0)
    for key in (least_key, greatest_key):
        if key not in values:
            raise SonicError(f"{place}.{key} is missing: {enable_key} is true")
    least, greatest = (_number(place, key, values[key]) for key in (least_key, greatest_key))
    if least > greatest:
        raise SonicError(f"{place}.{least_key}: {least} is above {greatest_key}, {greatest}")
    percent = _number(place, percent_key, values.get(percent_key, "100"))
    if percent > 100:
        raise SonicError(f"{place}.{percent_key}: {percent} is above 100: it is in percent")
    return _Ramp(enabled, marks, least, greatest, percent)


def _number(place: str, key: str, value: object) -> int:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 64 else value
    if not isinstance(text, str) or not re.fullmatch("[0-9]{1,20}", text):
        raise SonicError(f"{place}.{key}: {_quoted(value)} is no whole number")
    return int(text)


def _check_marks(place: str, values: dict[str, Any], colour: str, ramp: _Ramp) -> None:
    """Raises SonicError where marks and drops of a colour have thresholds of their own."""
    if ramp.marks and not ramp.enabled and colour == "green":
        raise SonicError(
            f"{place}.ecn: it marks green packets while wred_green_enable is not true: Quench drops packets that are "
            "not ECT where it marks the others: set both, or neither"
        )
    drops = (ramp.least, ramp.greatest, ramp.percent)
    for key, same in zip((key.format(colour) for key in _OF_MARKS), drops, strict=True):
        if key in values and _number(place, key, values[key]) != same:
            raise SonicError(
                f"{place}.{key}: marks have a threshold of their own, and Quench has one curve for marks and drops: "
                f"give it the value of the drops ({same}), or leave it out"
            )


def _settings(place: str, ramp: _Ramp) -> dict[str, Any]:
    if not ramp.enabled:
        return {"scheme": "taildrop"}
    least, greatest = (_depth(place, depth) for depth in (ramp.least, ramp.greatest))
    scheme = "ecn" if ramp.marks else "red"
    if ramp.least == ramp.greatest or ramp.percent == 0:
        return {"scheme": scheme, "minth": greatest, "maxth": greatest, "maxp": 1.0, "gentle": False, **LIKE_SONIC}
    if not ramp.marks:
        return {
            "scheme": scheme,
            "minth": least,
            "maxth": greatest,
            "maxp": ramp.percent / 100,
            "gentle": False,
            **LIKE_SONIC,
        }
    # The scheme ecn drops ECT packets above maxth. SONiC marks all of them.
    points: list[dict[str, Any]] = [{"depth": least, "p1": 0.0}]
    if ramp.percent < 100:
        points.append({"depth": greatest, "p1": ramp.percent / 100})
    points.append({"depth": greatest, "p1": 1.0})
    return {"scheme": "curve", "points": points, **LIKE_SONIC}


def _depth(place: str, depth_bytes: int) -> str:
    depth = Depth(float(depth_bytes), "bytes")
    if depth.value != depth_bytes:
        raise SonicError(f"{place}: a threshold of {depth_bytes} bytes is more than a queue holds: give a lower one")
    return str(depth)


# ---- To SONiC


def _ramp_of(name: str, settings: CommonSettings, segments: tuple[Segment, ...]) -> tuple[float, float, int]:
    """Least and greatest depth in packets, and the percentage at the greatest."""
    if any(each.isq for each in segments):
        raise _refused(name, "sends source quenches, which SONiC does not know", "choose ecn")
    if any(each.p2_start or each.p2_end for each in segments) or codepoints_of(settings)[0] != CE:
        raise _refused(name, "marks with two levels or with ECT(1), and SONiC with CE alone", "choose ecn")
    first = segments[0]
    if first.end_pkts == inf and first.p1_start == 1:
        return first.start_pkts, first.start_pkts, 100
    if first.p1_start or first.end_pkts == inf or (len(segments) > 1 and segments[1].start_pkts != first.end_pkts):
        raise _refused(name, "is no ramp from 0, and SONiC has no other curve", "choose ecn or red")
    if not isinstance(settings, RedSettings) and len(segments) > 2:
        raise _refused(name, "has several ramps, and SONiC has one", "choose ecn or red")
    if isinstance(settings, RedSettings) and first.end_pkts != settings.in_pkts(settings.maxth):
        raise _refused(name, "is bent between minth and maxth, and SONiC has straight ramps", "choose ecn")
    percent = round(first.p1_end * 100)
    if abs(percent - first.p1_end * 100) > 1e-9:
        raise _refused(name, f"reaches {first.p1_end * 100:g}%, and SONiC takes whole percents", "choose one")
    return first.start_pkts, first.end_pkts, percent


def _beyond(settings: RedSettings) -> str:
    if settings.gentle:
        return f"{settings.scheme} with gentle drops with a growing probability up to 2 * maxth, then always"
    return f"{settings.scheme} drops every packet there"


def _left_out(name: str, settings: CommonSettings) -> list[str]:
    """A note of the settings that a WRED profile has no key for, unless they are as in SONiC."""
    values = []
    for key, field in type(settings).model_fields.items():
        like = LIKE_SONIC.get(key, field.default)
        # Without a curve nothing depends on the average.
        if key in _SHAPE or (key in LIKE_SONIC and settings.scheme == "taildrop") or getattr(settings, key) == like:
            continue
        # The depth at that moment is what an average of weight 1 is.
        if key in ("depth", "wq") and getattr(settings, "depth", None) == "now":
            continue
        values.append(f"{key} {_shown(getattr(settings, key))} (SONiC: as {_shown(like)})")
    return [f"{name}: a WRED profile has no key for {', '.join(values)}"] if values else []


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _in_bytes(name: str, depth_bytes: float) -> str:
    whole = round(depth_bytes)
    if abs(whole - depth_bytes) > 1e-6 * max(1, whole):
        raise _refused(name, f"has a threshold of {depth_bytes:g} bytes, and SONiC takes whole ones", "choose one")
    return str(whole)


def _refused(name: str, what: str, instead: str) -> SonicError:
    return SonicError(f"{name}: the profile {what}: {instead}")


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise SonicError(
            f"{_quoted(name)} is no name of a WRED profile: 1 to 32 letters, digits, - and _, no - or _ first"
        )


def _quoted(value: object) -> str:
    return one_line(repr(value), 40)

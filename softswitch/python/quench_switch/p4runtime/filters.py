# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Entries of low-pass filters and random drops, with the fields that BF-Runtime has: ``Lpf`` and ``Wred``."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from .errors import cut, invalid

if TYPE_CHECKING:
    from quench_switch._native import _Control

TYPE: Final = "type"
GAIN: Final = "gain_time_constant_ns"
DECAY: Final = "decay_time_constant_ns"
SCALE: Final = "out_scale_down_factor"
MOST_SCALE: Final = 31

TIME: Final = "time_constant_ns"
LOWEST: Final = "min_thresh"
HIGHEST: Final = "max_thresh"
PROBABILITY: Final = "max_probability"
MOST_THRESHOLD: Final = 2**32 - 1


class _Lpf:
    place = "index"
    numbers = frozenset((GAIN, DECAY, SCALE))
    texts = frozenset((TYPE,))

    def set(self, changes: _Control, name: str, place: int, fields: Mapping[str, float | str], what: str) -> None:
        scale = _whole(fields, SCALE, MOST_SCALE, what)
        gain_ns, decay_ns = (_amount(fields, each, what) for each in (GAIN, DECAY))
        match fields[TYPE]:
            case "SAMPLE":
                changes.set_filter_config(name, place, ("sample", gain_ns, decay_ns, scale))
            case "RATE":
                changes.set_filter_config(name, place, ("rate", gain_ns, decay_ns, scale))
            case other:
                raise invalid(cut(f"{what}: {TYPE} {other!r} is neither SAMPLE nor RATE"))

    def get(self, control: _Control, name: str, place: int) -> dict[str, Any]:
        config = control.filter_config(name, place)
        if config is None or config[0] == "wred":
            return {}
        kind, gain_ns, decay_ns, scale = config
        return {TYPE: kind.upper(), GAIN: gain_ns, DECAY: decay_ns, SCALE: scale}


class _Wred:
    place = "index"
    numbers = frozenset((TIME, LOWEST, HIGHEST, PROBABILITY))
    texts: frozenset[str] = frozenset()

    def set(self, changes: _Control, name: str, place: int, fields: Mapping[str, float | str], what: str) -> None:
        lowest, highest = (_whole(fields, each, MOST_THRESHOLD, what) for each in (LOWEST, HIGHEST))
        constant_ns, probability = (_amount(fields, each, what) for each in (TIME, PROBABILITY))
        changes.set_filter_config(name, place, ("wred", constant_ns, lowest, highest, probability))

    def get(self, control: _Control, name: str, place: int) -> dict[str, Any]:
        config = control.filter_config(name, place)
        if config is None or config[0] != "wred":
            return {}
        _, constant_ns, lowest, highest, probability = config
        return {TIME: constant_ns, LOWEST: lowest, HIGHEST: highest, PROBABILITY: probability}


LPF: Final = _Lpf()
WRED: Final = _Wred()


def _whole(fields: Mapping[str, float | str], name: str, most: int, what: str) -> int:
    value = fields[name]
    if not isinstance(value, float) or not value.is_integer() or not 0 <= value <= most:
        raise invalid(f"{what}: {name} is not a whole number between 0 and {most}")
    return int(value)


def _amount(fields: Mapping[str, float | str], name: str, what: str) -> float:
    value = fields[name]
    if not isinstance(value, float) or not isfinite(value) or value < 0:
        raise invalid(f"{what}: {name} is not a number of 0 or more")
    return value

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Entries of low-pass filters and random drops, with the fields that BF-Runtime has: ``Lpf``, ``Wred``, direct ones."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from quench_switch.messages import p4r

from .errors import cut, invalid
from .extern_places import ENTRY, INDEX, key_of
from .pipeline import ExternSpec

if TYPE_CHECKING:
    from quench_switch._native import Control, FilterConfig

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
    numbers = frozenset((GAIN, DECAY, SCALE))
    texts = frozenset((TYPE,))

    def config(self, fields: Mapping[str, float | str], what: str) -> FilterConfig:
        scale = _whole(fields, SCALE, MOST_SCALE, what)
        gain_ns, decay_ns = (_amount(fields, each, what) for each in (GAIN, DECAY))
        match fields[TYPE]:
            case "SAMPLE":
                return "sample", gain_ns, decay_ns, scale
            case "RATE":
                return "rate", gain_ns, decay_ns, scale
            case other:
                raise invalid(cut(f"{what}: {TYPE} {other!r} is neither SAMPLE nor RATE"))

    def fields(self, config: FilterConfig | None) -> dict[str, Any]:
        if config is None or config[0] == "wred":
            return {}
        kind, gain_ns, decay_ns, scale = config
        return {TYPE: kind.upper(), GAIN: gain_ns, DECAY: decay_ns, SCALE: scale}


class _Wred:
    numbers = frozenset((TIME, LOWEST, HIGHEST, PROBABILITY))
    texts: frozenset[str] = frozenset()

    def config(self, fields: Mapping[str, float | str], what: str) -> FilterConfig:
        lowest, highest = (_whole(fields, each, MOST_THRESHOLD, what) for each in (LOWEST, HIGHEST))
        constant_ns, probability = (_amount(fields, each, what) for each in (TIME, PROBABILITY))
        return "wred", constant_ns, lowest, highest, probability

    def fields(self, config: FilterConfig | None) -> dict[str, Any]:
        if config is None or config[0] != "wred":
            return {}
        _, constant_ns, lowest, highest, probability = config
        return {TIME: constant_ns, LOWEST: lowest, HIGHEST: highest, PROBABILITY: probability}


class Filters:
    """Cells of an array."""

    place = INDEX

    def __init__(self, kind: _Lpf | _Wred) -> None:
        self._kind = kind
        self.numbers, self.texts = kind.numbers, kind.texts

    def set(self, changes: Control, spec: ExternSpec, place: int, fields: Mapping[str, float | str], what: str) -> None:
        """Stage the settings of a filter."""
        changes.set_filter_config(spec.name, place, self._kind.config(fields, what))

    def get(self, control: Control, spec: ExternSpec, place: int) -> dict[str, Any]:
        """The settings of a filter."""
        return self._kind.fields(control.filter_config(spec.name, place))


class DirectFilters:
    """Cells of a table's entries."""

    place = ENTRY

    def __init__(self, kind: _Lpf | _Wred) -> None:
        self._kind = kind
        self.numbers, self.texts = kind.numbers, kind.texts

    def set(
        self, changes: Control, spec: ExternSpec, place: p4r.TableEntry, fields: Mapping[str, float | str], what: str
    ) -> None:
        """Stage the settings of an entry's filter."""
        changes.set_direct_filter_config(spec.name, *key_of(spec, place), self._kind.config(fields, what))

    def get(self, control: Control, spec: ExternSpec, place: p4r.TableEntry) -> dict[str, Any]:
        """The settings of an entry's filter."""
        return self._kind.fields(control.direct_filter_config(spec.name, *key_of(spec, place)))


LPF: Final = Filters(_Lpf())
WRED: Final = Filters(_Wred())
DIRECT_LPF: Final = DirectFilters(_Lpf())
DIRECT_WRED: Final = DirectFilters(_Wred())


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

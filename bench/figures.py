# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Figures, recordings of them (bench.json), and what became slower from one recording to another.

A figure has one value for each repetition; its spread is the largest less the smallest. It became slower where its
median is worse by more than the spread, of which the larger of both recordings counts. Ratios within a run are compared
between any machines, absolute figures only on one machine.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any, Literal, Self

from quench_switch.outside.files import read_json, write_files

Better = Literal["less", "more"]
Kind = Literal["ratio", "absolute"]


RECORDING_BYTES = 32 << 20
"""Largest bench.json."""


class BenchError(Exception):
    """One line that says what, where and what to do."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The measured values of one thing."""

    name: str
    values: tuple[float, ...]
    """One of each repetition."""
    unit: str
    better: Better
    kind: Kind = "absolute"

    @property
    def median(self) -> float:
        """The median of the repetitions."""
        return median(self.values)

    @property
    def spread(self) -> float | None:
        """None: one repetition does not tell."""
        return max(self.values) - min(self.values) if len(self.values) > 1 else None

    def as_json(self) -> dict[str, Any]:
        """The figure as it stands in bench.json."""
        return {
            "median": self.median,
            "least": min(self.values),
            "most": max(self.values),
            "values": list(self.values),
            "unit": self.unit,
            "better": self.better,
            "kind": self.kind,
        }

    @classmethod
    def of_json(cls, name: str, found: Any) -> Self:
        """A figure of bench.json, or of a script's output. Raises BenchError."""
        try:
            values = tuple(float(value) for value in found["values"])
            figure = cls(name, values, str(found["unit"]), found["better"], found.get("kind", "absolute"))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BenchError(f"figure {name}: needs values, unit, better and kind: {error}") from error
        if not values or figure.better not in ("less", "more") or figure.kind not in ("ratio", "absolute"):
            raise BenchError(f"figure {name}: no values, or its better is not less or more, or its kind is unknown")
        return figure


def ratios(name: str, above: Sequence[float], below: Sequence[float], better: Better) -> Figure:
    """The figure of the quotients of each repetition's values."""
    return Figure(name, tuple(a / b for a, b in zip(above, below, strict=True)), "times", better, "ratio")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the bench, as it was measured."""

    date: str
    """ISO 8601, of its end."""
    commit: str
    quick: bool
    figures: tuple[Figure, ...]
    details: Any = None
    """The measurements that the figures were made of."""


@dataclass(frozen=True, slots=True)
class Recording:
    """bench.json: parts of one machine."""

    machine: Mapping[str, Any]
    """Its `id` says whether two recordings are of the same one."""
    parts: Mapping[str, Part]

    def with_parts(self, machine: Mapping[str, Any], parts: Mapping[str, Part]) -> "Recording":
        """The recording with these measured anew; parts of another machine do not stay."""
        kept = self.parts if self.machine.get("id") == machine.get("id") else {}
        return replace(self, machine=machine, parts={**kept, **parts})

    def write(self, path: Path) -> None:
        """Write bench.json. Raises OSError."""
        parts = {
            name: {
                "date": part.date,
                "commit": part.commit,
                "quick": part.quick,
                "figures": {figure.name: figure.as_json() for figure in part.figures},
                "details": part.details,
            }
            for name, part in self.parts.items()
        }
        write_files((path, json.dumps({"machine": self.machine, "parts": parts}, indent=2) + "\n"))


def read_recording(path: Path) -> Recording:
    """A bench.json. Raises BenchError."""
    try:
        found = read_json(path, RECORDING_BYTES)
        parts = {
            name: Part(
                part["date"],
                part["commit"],
                bool(part["quick"]),
                tuple(Figure.of_json(each, value) for each, value in part["figures"].items()),
                part.get("details"),
            )
            for name, part in found["parts"].items()
        }
        return Recording(dict(found["machine"]), parts)
    except OSError as error:
        raise BenchError(f"{path}: {error.strerror or error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BenchError(f"{path}: no bench.json of 'make bench': {error}") from error


@dataclass(frozen=True, slots=True)
class Change:
    """A figure of two recordings."""

    part: str
    before: Figure
    now: Figure

    @property
    def worse_by(self) -> float:
        """The difference in the figure's unit; negative: it became better."""
        difference = self.now.median - self.before.median
        return difference if self.now.better == "less" else -difference

    @property
    def spread(self) -> float | None:
        """The larger of both; None: one of them does not tell."""
        if self.before.spread is None or self.now.spread is None:
            return None
        return max(self.before.spread, self.now.spread)

    @property
    def is_slower(self) -> bool:
        """Whether it became worse by more than the spread; a figure without spread never did."""
        return self.spread is not None and self.worse_by > self.spread


@dataclass(frozen=True, slots=True)
class Comparison:
    """The figures that two recordings have in common."""

    changes: tuple[Change, ...]
    """The figures that can be judged, those that became worse the most in proportion first."""
    not_judged: Mapping[str, str]
    """The other figures of the recording that was measured now, each with the reason."""

    @property
    def slower(self) -> tuple[Change, ...]:
        """The figures that became slower."""
        return tuple(change for change in self.changes if change.is_slower)


def compare(before: Recording, now: Recording, parts: Iterable[str]) -> Comparison:
    """The changes of the figures of these parts, which were measured now."""
    same_machine = before.machine.get("id") is not None and before.machine.get("id") == now.machine.get("id")
    changes, not_judged = [], {}
    for name in parts:
        recorded = before.parts.get(name)
        known = {figure.name: figure for figure in recorded.figures} if recorded else {}
        for figure in now.parts[name].figures:
            place = f"{name}: {figure.name}"
            old = known.get(figure.name)
            if old is None:
                not_judged[place] = "not recorded"
            elif recorded is not None and recorded.quick != now.parts[name].quick:
                not_judged[place] = "one of the runs was quick"
            elif (old.unit, old.better, old.kind) != (figure.unit, figure.better, figure.kind):
                not_judged[place] = "recorded in another way"
            elif figure.kind == "absolute" and not same_machine:
                not_judged[place] = "absolute, and of another machine"
            elif old.spread is None or figure.spread is None:
                not_judged[place] = "one repetition has no spread"
            else:
                changes.append(Change(name, old, figure))
    changes.sort(key=lambda change: change.worse_by / (abs(change.before.median) or 1.0), reverse=True)
    return Comparison(tuple(changes), not_judged)

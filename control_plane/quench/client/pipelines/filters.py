# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Cells of Tofino's low-pass filters as P4Runtime entities (docs/reference/tofino.md).

P4Runtime has no entity for filters. Quench's own form is an ``ExternEntry`` whose ``entry`` is a
``google.protobuf.Struct``; the embedded switch takes it, others may not.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose
from typing import Any, Final

import finsy as fy
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError
from google.protobuf.struct_pb2 import Struct

from quench.client.session import SessionError

LPF: Final = "Lpf"
"""The type of these externs in P4Info."""
_RESOLUTION: Final = 2**-8
"""The hardware keeps 9 binary digits of a time constant: it gives back another than was written."""


@dataclass(frozen=True, slots=True)
class Filter:
    """One cell of a filter that weighs samples, with the same time constant when they rise and when they fall."""

    name: str
    index: int
    time_constant_ns: float

    def entry(self) -> fy.P4ExternEntry:
        """The entity that sets it."""
        return _entry(
            self.name,
            {
                "index": self.index,
                "type": "SAMPLE",
                "gain_time_constant_ns": self.time_constant_ns,
                "decay_time_constant_ns": self.time_constant_ns,
                "out_scale_down_factor": 0,
            },
        )

    @property
    def pattern(self) -> fy.P4ExternEntry:
        """The entity that asks for it."""
        return filter_pattern(self.name, self.index)

    def is_set_by(self, entry: fy.P4ExternEntry) -> bool:
        """Whether a switch has it so. Setting a filter forgets its average. Raises SessionError."""
        constant_ns = time_constant_of(entry)
        return constant_ns is not None and isclose(constant_ns, self.time_constant_ns, rel_tol=_RESOLUTION)

    def __str__(self) -> str:
        """The values for another interface, BF-Runtime's."""
        return (
            f"{self.name} at {self.index}: SAMPLE, gain and decay time constants {self.time_constant_ns:.10g} ns, "
            "output scale 0"
        )


def filter_pattern(name: str, index: int) -> fy.P4ExternEntry:
    """The entity that asks for a cell."""
    return _entry(name, {"index": index})


def time_constant_of(entry: fy.P4ExternEntry) -> float | None:
    """The time constant in nanoseconds of a cell as ``Filter`` sets it; None of any other. Raises SessionError."""
    values = _values(entry)
    gain, decay = (values.get(f"{change}_time_constant_ns") for change in ("gain", "decay"))
    plain = values.get("type") == "SAMPLE" and values.get("out_scale_down_factor") == 0
    return gain if plain and isinstance(gain, float) and gain == decay else None


def _entry(name: str, values: Mapping[str, Any]) -> fy.P4ExternEntry:
    fields = Struct()
    fields.update(dict(values))
    packed = AnyMessage()
    packed.Pack(fields)
    return fy.P4ExternEntry(extern_type_id=LPF, extern_id=name, entry=packed)


def _values(entry: fy.P4ExternEntry) -> dict[str, Any]:
    fields = Struct()
    try:
        if not entry.entry.Unpack(fields):
            raise SessionError(f"the switch describes {entry.extern_id} by {entry.entry.type_url!r}")
    except DecodeError:
        raise SessionError(f"the switch's description of {entry.extern_id} cannot be read") from None
    return dict(fields)

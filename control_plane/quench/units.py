# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Quantities with units as fields of pydantic models.

Each field reads a text such as ``15KB`` and is written as a text that reads the same. ``quench_switch.outside.units``
lists the units; its parsers can also be imported from here.
"""

from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BeforeValidator, PlainSerializer
from pydantic.fields import FieldInfo
from quench_switch.outside.units import (
    Depth,
    RelativeDepth,
    format_rate_bps,
    format_seconds,
    parse_depth,
    parse_probability,
    parse_rate_bps,
    parse_seconds,
    parse_threshold,
)

from quench.advice import format_advice, parse_advice

__all__ = [
    "AdviceField",
    "Depth",
    "DepthField",
    "ProbabilityField",
    "RateField",
    "RelativeDepth",
    "SecondsField",
    "Threshold",
    "ThresholdField",
    "is_depth",
    "parse_depth",
    "parse_probability",
    "parse_rate_bps",
    "parse_seconds",
    "quantity_of",
]

DepthField = Annotated[Depth, BeforeValidator(parse_depth), PlainSerializer(str)]
"""A depth of a queue in bytes or packets: ``15KB``, ``20pkts``."""
Threshold = Depth | RelativeDepth
ThresholdField = Annotated[Threshold, BeforeValidator(parse_threshold), PlainSerializer(str)]
"""A depth, or what is one at a port whose buffer and rate are known: ``20%`` of the buffer, ``5ms`` of sending,
``0.5bdp`` of the path."""
RateField = Annotated[int, BeforeValidator(parse_rate_bps), PlainSerializer(format_rate_bps)]
"""A rate above 0, read from a text such as ``10Mbps``, kept in bits per second."""
SecondsField = Annotated[float, BeforeValidator(parse_seconds), PlainSerializer(format_seconds)]
"""A time, read from a text such as ``40ms``, kept in seconds."""
ProbabilityField = Annotated[float, BeforeValidator(parse_probability)]
"""A probability from 0 to 1, a number or a text such as ``2%``, kept and written as a number."""
AdviceField = Annotated[int, BeforeValidator(parse_advice), PlainSerializer(format_advice)]
"""Advice of a source quench, read from a text such as ``30%`` or ``100us``, kept as the bits on the wire."""
Quantity = Literal["depth", "time", "probability", "advice"]


def is_depth(annotation: Any) -> bool:
    """Whether a field of this type is a depth, or a depth that may be left out."""
    if get_origin(annotation) in {Annotated, Union, UnionType}:
        return any(is_depth(each) for each in get_args(annotation))
    return annotation is Depth


def _metadata(annotation: Any) -> list[Any]:
    """The annotations at the members of a union, such as those of a quantity that may be left out."""
    if get_origin(annotation) is Annotated:
        return [*annotation.__metadata__, *_metadata(get_args(annotation)[0])]
    return [each for member in get_args(annotation) for each in _metadata(member)]


def quantity_of(field: FieldInfo) -> Quantity | None:
    """The kind of quantity that a profile's setting is; None: it has no unit."""
    if is_depth(field.annotation):
        return "depth"
    readers = {
        each.func for each in (*field.metadata, *_metadata(field.annotation)) if isinstance(each, BeforeValidator)
    }
    if parse_seconds in readers:
        return "time"
    if parse_advice in readers:
        return "advice"
    return "probability" if parse_probability in readers else None

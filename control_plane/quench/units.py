# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Quantities with units as fields of pydantic models.

Each field reads a text such as ``15KB`` and is written as a text that reads the same. ``quench_common.units`` lists
the units; its parsers can also be imported from here.
"""

from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BeforeValidator, PlainSerializer
from quench_common.units import Depth, format_rate_bps, format_seconds, parse_depth, parse_rate_bps, parse_seconds

__all__ = [
    "Depth",
    "DepthField",
    "RateField",
    "SecondsField",
    "is_depth",
    "parse_depth",
    "parse_rate_bps",
    "parse_seconds",
]

DepthField = Annotated[Depth, BeforeValidator(parse_depth), PlainSerializer(str)]
"""A depth of a queue in bytes or packets: ``15KB``, ``20pkts``."""
RateField = Annotated[int, BeforeValidator(parse_rate_bps), PlainSerializer(format_rate_bps)]
"""A rate above 0, read from a text such as ``10Mbps``, kept in bits per second."""
SecondsField = Annotated[float, BeforeValidator(parse_seconds), PlainSerializer(format_seconds)]
"""A time, read from a text such as ``40ms``, kept in seconds."""


def is_depth(annotation: Any) -> bool:
    """Whether a field of this type is a depth, or a depth that may be left out."""
    if get_origin(annotation) in {Annotated, Union, UnionType}:
        return any(is_depth(each) for each in get_args(annotation))
    return annotation is Depth

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Metric expressions: a quoted number or a figure's axis as data, made of metrics.

An expression is a metric's name, a number, or a mapping with the operation as a key. ``at`` fixes labels (scheme,
swept values) for everything inside of it; an inner ``at`` wins. docs/experiments.md has the list.
"""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

Label = str | int | float
Labels = dict[str, Label]
Keys = tuple[str | int, ...]
"""The keys that lead to a value of the file."""


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


Axes = Annotated[tuple[str, ...], BeforeValidator(_as_list), Field(min_length=1)]
"""One axis, or a list of them."""


class Operation(BaseModel):
    """The base of all expressions."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    at: Labels = {}
    """Labels that are fixed for the expressions inside."""

    def parts(self) -> Iterator[tuple[Keys, "Operation"]]:
        """The expressions inside this one, and the keys that lead to each."""
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            key = field.alias or name
            if isinstance(value, Operation):
                yield (key,), value
            elif isinstance(value, tuple):
                yield from (((key, index), each) for index, each in enumerate(value) if isinstance(each, Operation))


class Metric(Operation):
    """A metric of the runs, or one of the experiment's own ``metrics``."""

    metric: str


class Constant(Operation):
    """A number."""

    constant: float


class Gain(Operation):
    """100 (gain/over - 1): by how many percent the first is more."""

    gain: "Expression"
    over: "Expression"


class Less(Operation):
    """100 (1 - less/than): by how many percent the first is less."""

    less: "Expression"
    than: "Expression"


class Ratio(Operation):
    """ratio/to."""

    ratio: "Expression"
    to: "Expression"


class Difference(Operation):
    """difference - to."""

    difference: "Expression"
    to: "Expression"


class Share(Operation):
    """share/(share + with)."""

    share: "Expression"
    with_: "Expression" = Field(alias="with")


class Sum(Operation):
    """The sum of several."""

    sum: tuple["Expression", ...] = Field(min_length=1)


class Product(Operation):
    """The product of several."""

    product: tuple["Expression", ...] = Field(min_length=1)


class Scaled(Operation):
    """scaled * by: another unit."""

    scaled: "Expression"
    by: float


class Greatest(Operation):
    """The value at that point of the axis where the mean over the seeds is greatest."""

    greatest: "Expression"
    over: Axes


class Least(Operation):
    """The value at that point of the axis where the mean over the seeds is least."""

    least: "Expression"
    over: Axes


class Mean(Operation):
    """The mean over the points of the axes, seed by seed."""

    mean: "Expression"
    over: Axes


class Count(Operation):
    """The number of points of the axes at which the mean over the seeds is further from 0 than ``beyond``."""

    count: "Expression"
    beyond: float
    over: Axes


class Interpolated(Operation):
    """The value at ``where`` of the curve of (``x``, ``interpolated``) along an axis; missing beyond its ends."""

    interpolated: "Expression"
    x: "Expression"
    along: str
    where: "Expression"
    """Evaluated outside of this expression's ``at``."""


_OPERATIONS: tuple[type[Operation], ...] = (
    Metric, Constant, Gain, Less, Ratio, Difference, Share, Sum, Product, Scaled, Greatest, Least, Mean, Count,
    Interpolated,
)  # fmt: skip
_NAMES = tuple(each.__name__.lower() for each in _OPERATIONS)


def _name(value: object) -> object:
    """A bare name stands for the metric, a bare number for itself."""
    if isinstance(value, str):
        return {"metric": value}
    return {"constant": value} if isinstance(value, int | float) and not isinstance(value, bool) else value


def _operation(value: Any) -> str | None:
    """The tag of a value. Its colon distinguishes it from a key of the YAML in the place of a fault."""
    if isinstance(value, Operation):
        return f":{type(value).__name__.lower()}"
    if isinstance(value, dict):
        return next((f":{name}" for name in _NAMES if name in value), None)
    return None


Expression = Annotated[
    Annotated[Metric, Tag(":metric")]
    | Annotated[Constant, Tag(":constant")]
    | Annotated[Gain, Tag(":gain")]
    | Annotated[Less, Tag(":less")]
    | Annotated[Ratio, Tag(":ratio")]
    | Annotated[Difference, Tag(":difference")]
    | Annotated[Share, Tag(":share")]
    | Annotated[Sum, Tag(":sum")]
    | Annotated[Product, Tag(":product")]
    | Annotated[Scaled, Tag(":scaled")]
    | Annotated[Greatest, Tag(":greatest")]
    | Annotated[Least, Tag(":least")]
    | Annotated[Mean, Tag(":mean")]
    | Annotated[Count, Tag(":count")]
    | Annotated[Interpolated, Tag(":interpolated")],
    Discriminator(
        _operation,
        custom_error_type="expression",
        custom_error_message=f"not a metric's name, a number, or a mapping with one of {', '.join(_NAMES)}",
    ),
    BeforeValidator(_name),
]
"""A metric's name, a number, or one of the operations."""

for _each in _OPERATIONS:
    _each.model_rebuild()

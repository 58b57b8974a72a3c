# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The keys of an experiment's YAML file. docs/experiments.md describes them."""

from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from math import prod
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator
from quench.profiles.settings import fault_at

from quench_experiments.definition.expression import Axes, Expression, Label, Labels, Metric, Operation
from quench_experiments.definition.quantity import Time
from quench_experiments.known import MAX_SEEDS

DEFAULT_SEEDS = 5
OWN = "Quench"
"""The "paper" of an experiment of our own."""
TOP_LEVEL_SETUP = frozenset(
    {"topology", "profile", "stack", "traffic", "duration", "warmup", "isq", "slowdown", "measure"}
)
"""Keys that describe a run; a part may replace or extend them."""
FILE_NAME = r"^[a-z0-9][a-z0-9-]{0,99}$"
"""An experiment's file without ``.yaml``."""
_NAME = r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$"
MAX_POINTS = 10_000
"""The most combinations of schemes and swept values in a part: each is checked before anything runs."""
MAX_RUNS = 20_000
"""The most runs of a part, which has several seeds for each: their scenarios are planned before the first one runs."""
MAX_PARTS = 100
"""The most setups of a file."""
MAX_EXPANDED = 10_000
"""The most metrics that one stands for, those that it is made of among them."""
MAX_DEPTH = 50
"""The most metrics in a chain, each of which is made of the next."""
AxisName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
PartName = Annotated[str, Field(pattern=_NAME)]
Sentence = Annotated[str, Field(min_length=10)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


def _from_one_on(value: object) -> object:
    """A number of seeds stands for the seeds from 1 on."""
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    if not 1 <= value <= MAX_SEEDS:
        raise ValueError(f"{value} seeds: 1 is the least, {MAX_SEEDS} the most")
    return tuple(range(1, value + 1))


def _each_once(seeds: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(seeds)) < len(seeds):
        raise ValueError("a seed is given twice")
    return seeds


Seed = Annotated[int, Field(ge=0, lt=1 << 53)]
Seeds = Annotated[
    tuple[Seed, ...],
    BeforeValidator(_from_one_on),
    Field(min_length=1, max_length=MAX_SEEDS),
    AfterValidator(_each_once),
]
Values = Annotated[tuple[Label, ...], Field(min_length=1)]


def _empty(value: object) -> object:
    return {} if value is None else value


SchemeValues = Annotated[dict[str, Any], BeforeValidator(_empty)]
"""``preset``, ``profile``, ``stack``, ``isq`` and ``nics``, with ``$`` texts; empty: the preset of that name."""


class Quick(_Model):
    """The smaller values of quick mode."""

    skip: bool = False
    """Nothing of this part is run."""
    seeds: Seeds | None = None
    duration: Time | None = None
    warmup: Time | None = None
    schemes: tuple[str, ...] | None = None
    sweep: dict[AxisName, Values] = {}
    """Fewer values of some axes."""


class PartModel(_Model):
    """The runs: a setup with schemes and swept values."""

    topology: Any = None
    profile: Any = None
    stack: Any = None
    traffic: Any = None
    duration: Any = None
    warmup: Any = None
    isq: Any = None
    slowdown: Any = None
    measure: Any = None
    schemes: dict[PartName, SchemeValues] = {}
    sweep: dict[AxisName, Values] = {}
    seeds: Seeds = tuple(range(1, DEFAULT_SEEDS + 1))
    quick: Quick = Quick()

    @field_validator("sweep")
    @classmethod
    def _not_reserved(cls, sweep: dict[str, Any]) -> dict[str, Any]:
        for name, values in sweep.items():
            if name in ("run", "seed", "scheme", "part"):
                raise fault_at(f"{name!r} is a label of every run: name the axis otherwise", name)
            if len(set(values)) < len(values):
                raise fault_at("a value is given twice", name)
            for index, value in enumerate(values):
                if isinstance(value, str) and not value.isprintable():
                    raise fault_at("leave out characters that cannot be printed", name, index)
        return sweep

    @model_validator(mode="after")
    def _few_points(self) -> Self:
        points = max(1, len(self.schemes)) * prod(len(values) for values in self.sweep.values())
        if points > MAX_POINTS:
            raise fault_at(f"{points} combinations with the schemes: {MAX_POINTS} are the most", "sweep")
        if points * len(self.seeds) > MAX_RUNS:
            raise fault_at(f"{points * len(self.seeds)} runs: {MAX_RUNS} are the most", "seeds")
        return self

    @model_validator(mode="after")
    def _quick_is_less(self) -> Self:
        for name, values in self.quick.sweep.items():
            for index, value in enumerate(values):
                if value not in self.sweep.get(name, ()):
                    raise fault_at(f"{value!r} is not among the values of {name!r}", "quick", "sweep", name, index)
        for index, name in enumerate(self.quick.schemes or ()):
            if name not in self.schemes:
                raise fault_at(f"{name!r} is not among the schemes", "quick", "schemes", index)
        return self


class NamedMetric(_Model):
    """A metric of the experiment, by which quotes and figures may call it."""

    title: str = Field(min_length=1)
    unit: str = ""
    value: Expression


class Tolerance(_Model):
    """The largest distance of our value from the quoted one."""

    percent: float | None = Field(default=None, gt=0)
    """The tolerance in percent of the quoted value."""
    absolute: float | None = Field(default=None, gt=0)
    """The tolerance in the quote's unit."""

    @model_validator(mode="after")
    def _any(self) -> Self:
        if self.percent is None and self.absolute is None:
            raise ValueError("give percent or absolute, or both: then the larger counts")
        return self

    def around(self, value: float) -> float:
        """The tolerance in the value's unit."""
        relative = abs(value) * self.percent / 100 if self.percent is not None else 0.0
        return max(relative, self.absolute or 0.0)


class Reference(_Model):
    """ns-2's result with the same settings."""

    value: float
    deviation: float | None = None
    """Standard deviation over its seeds."""


class Quote(_Model):
    """A result that a paper's text states, or that is expected."""

    name: str = Field(min_length=1)
    text: str = Field(min_length=1)
    """The statement, in our words."""
    value: float | None = None
    """The paper's number; None: it gives none."""
    unit: str = ""
    metric: Expression
    tolerance: Tolerance | None = None
    above: Expression | None = None
    """The direction: ours lies above this."""
    below: Expression | None = None
    """The direction: ours lies below this."""
    at: Labels = {}
    """Labels that are fixed for ``metric``, ``above`` and ``below``."""
    ns2: Reference | None = None
    remark: str | None = None
    """The reason why the quoted value may not come out, or why it is read so."""

    @model_validator(mode="after")
    def _can_be_judged(self) -> Self:
        if (self.value is None) != (self.tolerance is None):
            raise fault_at("a quoted value has a tolerance, and only such a value", "name")
        if self.value is None and self.above is None and self.below is None:
            raise fault_at("give a value and its tolerance, or a direction: above or below", "name")
        return self


class Curve(_Model):
    """One line of a figure that is not simply a scheme's."""

    label: str = Field(min_length=1)
    y: Expression | None = None
    """None: the figure's y."""
    at: Labels = {}


class FigureModel(_Model):
    """A figure to be drawn from the results."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    title: str = Field(min_length=1)
    paper: str | None = None
    """The paper's figure that this is like."""
    kind: Literal["lines", "path", "ranked", "sizes", "time"] = "lines"
    """``lines``: y over an axis; ``path``: y over another metric, points joined along an axis; ``ranked``: the points
    of several axes in the order of y; ``sizes``: a metric of messages by their size; ``time``: a time series of one run
    (the first seed's)."""
    x: Expression | None = None
    """lines: the axis; path: an expression; else nothing."""
    y: Expression
    """An expression; sizes: the name of a metric of messages; time: the name of a series."""
    along: Axes | None = None
    """path: the axis; ranked: the axes."""
    series: str | None = "scheme"
    """The label that distinguishes the curves; None: ``curves`` do."""
    curves: tuple[Curve, ...] = ()
    at: Labels = {}
    x_label: str = ""
    y_label: str = ""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.kind in ("lines", "path") and self.x is None:
            raise fault_at(f"{self.kind} need an x", "name")
        if self.kind in ("path", "ranked") and self.along is None:
            raise fault_at(f"{self.kind} needs 'along'", "name")
        if self.kind in ("sizes", "time"):
            for place, y in (
                (("y",), self.y),
                *((("curves", index, "y"), each.y) for index, each in enumerate(self.curves)),
            ):
                if not isinstance(y, Metric | None):
                    what = "a time series is its name" if self.kind == "time" else "sizes is a metric's name"
                    raise fault_at(f"the y of {what}", *place)
        return self


class Computation(_Model):
    """Control theory instead of a simulation: the trade-off of Durresi et al., section 3.5."""

    model: Literal["mecn-tradeoff"]
    k0: Any
    """Loop gain of ECN."""
    rtt: Any
    pole: Any
    """K of the averaging filter, rad/s."""
    k_mecn: Any


class Definition(PartModel):
    """The whole file."""

    title: str = Field(min_length=1)
    paper: str | None = None
    """P0 to P4, or another whose results are quoted; Quench or None: of no paper, its results are expected."""
    section: str | None = None
    about: Sentence
    """The runs, and the question that they answer."""
    kind: Literal["simulated", "computed"] = "simulated"
    readings: tuple[Sentence, ...] = ()
    """A sentence for each point where the text is silent or contradicts itself: how it is read."""
    setup_of: str | None = Field(default=None, pattern=FILE_NAME)
    """The experiment, in the file of this name beside this one, to whose ``profile``, ``stack``, ``isq`` and
    ``schemes`` this one adds its own keys."""
    parts: dict[PartName, dict[str, Any]] = Field(default={}, max_length=MAX_PARTS)
    """Several setups: each replaces or extends what the file says outside of them."""
    computation: Computation | None = None
    metrics: dict[AxisName, NamedMetric] = {}
    quotes: tuple[Quote, ...] = ()
    figures: tuple[FigureModel, ...] = ()

    @property
    def is_of_a_paper(self) -> bool:
        """Whether the results beside ours are quoted from a paper."""
        return self.paper not in (None, OWN)

    @model_validator(mode="after")
    def _kind_fits(self) -> Self:
        if (self.kind == "computed") != (self.computation is not None):
            raise fault_at("a computed experiment has a 'computation', a simulated one has none", "kind")
        for what, names in (
            ("quotes", [quote.name for quote in self.quotes]),
            ("figures", [figure.name for figure in self.figures]),
        ):
            for index, name in enumerate(names):
                if name in names[:index]:
                    raise fault_at(f"{name!r} is given twice", what, index, "name")
        return self

    @model_validator(mode="after")
    def _metrics_come_to_an_end(self) -> Self:
        """Metrics may be made of one another, but not of themselves, nor of more than anybody waits for."""
        made_of = {name: Counter(_metrics_in(metric.value)) for name, metric in self.metrics.items()}
        own = {name: [each for each in parts if each in made_of] for name, parts in made_of.items()}
        try:
            order = tuple(TopologicalSorter(own).static_order())
        except CycleError as error:
            circle = error.args[1][:0:-1]
            first = circle.index(min(circle, key=list(own).index))
            text = " of ".join(repr(each) for each in (*circle[first:], *circle[: first + 1]))
            raise fault_at(f"a metric is made of itself: {text}", "metrics", circle[first], "value") from None
        expanded: dict[str, int] = {}
        depth: dict[str, int] = {}
        for name in order:
            expanded[name] = 1 + sum(count * expanded.get(each, 1) for each, count in made_of[name].items())
            depth[name] = 1 + max((depth[each] for each in own[name]), default=0)
            if expanded[name] > MAX_EXPANDED or depth[name] > MAX_DEPTH:
                what = f"a metric may stand for {MAX_EXPANDED} others at most, in chains of {MAX_DEPTH}"
                raise fault_at(what, "metrics", name, "value")
        return self


def _metrics_in(expression: Operation) -> Iterator[str]:
    if isinstance(expression, Metric):
        yield expression.metric
    for _, part in expression.parts():
        yield from _metrics_in(part)

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Workloads: the sizes of messages, in files of ``experiments/workloads``."""

import json
import re
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from quench.config.yaml_file import YamlFile
from quench.errors import ConfigError, message_of
from quench.places import WORKLOADS
from quench_simulator import check_source

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_POINT = re.compile(r"points\[(\d+)\]: (.*)", re.DOTALL)


class Workload(BaseModel):
    """A file of ``experiments/workloads``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = Field(min_length=1)
    source: str = Field(min_length=10)
    """The place that the points are from."""
    between: Literal["linear", "steps"]
    points: tuple[tuple[float, float], ...] = Field(min_length=1)
    """Sizes in bytes, and the percentage of messages up to each."""

    @property
    def distribution(self) -> dict[str, Any]:
        """The same as a scenario has it."""
        return {"distribution": "points", "between": self.between, "points": [list(point) for point in self.points]}


def names() -> list[str]:
    """All workloads."""
    return sorted(path.stem for path in WORKLOADS.glob("*.yaml"))


def workload(name: object) -> dict[str, Any]:
    """The distribution of a workload. Raises ConfigError."""
    return load(name).distribution


def load(name: object) -> Workload:
    """A workload by its name. Raises ConfigError for one that there is not, and for a fault of its file."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name not in names():
        raise ConfigError(f"there is no workload {name!r}: there is {', '.join(names())}")
    return _read(name)


@cache
def _read(name: str) -> Workload:
    file = YamlFile(WORKLOADS / f"{name}.yaml")
    try:
        found = Workload.model_validate(file.values)
    except ValidationError as error:
        fault = error.errors()[0]
        raise ConfigError(f"{file.place(fault['loc'])}: {message_of(fault)}") from error
    ends = {"senders": ["a", "b"], "stack": "any", "load": 0.5}
    source = {"kind": "messages", "name": "any", "message_bytes": found.distribution, **ends}
    try:
        check_source(json.dumps(source))
    except ValueError as error:
        _, problem = error.args
        at_point = _POINT.match(problem)
        place: tuple[str | int, ...] = ("points", int(at_point[1])) if at_point else ("points",)
        raise ConfigError(f"{file.place(place)}: {at_point[2] if at_point else problem}") from None
    return found

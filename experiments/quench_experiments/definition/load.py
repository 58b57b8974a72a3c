# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Experiments from their YAML files; each fault is a line ``FILE:LINE:COLUMN: what is wrong``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from quench.config.yaml_file import ConfigError, YamlFile

from quench_experiments.definition import computed
from quench_experiments.definition.cost import router_passes
from quench_experiments.definition.experiment import SCHEME, Experiment, Part, Point
from quench_experiments.definition.model import TOP_LEVEL_SETUP, Definition, PartModel
from quench_experiments.definition.references import check_references
from quench_experiments.definition.substitution import SubstitutionError

PAPERS = Path(__file__).parents[2] / "papers"
"""The experiments that belong to Quench."""
MAX_PASSES = 1e12
"""Of a run: a week of work."""
_EXTENDED = frozenset({"topology", "profile", "stack", "isq", "measure", "quick"})
"""Mappings to which a part adds; what else a part says replaces what stands outside of it."""
Place = tuple[str | int, ...]


def keys(folder: Path = PAPERS) -> list[str]:
    """The experiments of a folder, in order."""
    return sorted(path.stem for path in folder.glob("*.yaml"))


def load(key: str | Path, folder: Path = PAPERS) -> Experiment:
    """An experiment by its key, or from a file of one's own. Raises ConfigError."""
    if isinstance(key, Path) or key.endswith((".yaml", ".yml")):
        path = Path(key)
    elif key in keys(folder):
        path = folder / f"{key}.yaml"
    else:
        raise ConfigError(f"there is no experiment {key!r}: quench experiment list shows all; a file ends in .yaml")
    return _Loader(path).experiment()


class _Loader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = YamlFile(path)
        if not isinstance(self._file.values, dict):
            raise ConfigError(f"{self._file.place()}: an experiment is a mapping")

    def experiment(self) -> Experiment:
        values = self._file.values
        try:
            definition = Definition.model_validate(values)
        except ValidationError as error:
            raise self._told(error.errors()) from error
        names: Sequence[str | None] = tuple(definition.parts) or (None,)
        parts = tuple(self._part(name, values) for name in names)
        experiment = Experiment(self._path.stem, self._path, definition, parts)
        for part in parts:
            self._check_points(part, definition)
        for place, sentence in check_references(experiment):
            raise self._fault(place, sentence)
        return experiment

    def _part(self, name: str | None, values: dict[str, Any]) -> Part:
        common = {key: value for key, value in values.items() if key in PartModel.model_fields}
        own = values["parts"][name] if name is not None else {}
        merged = {**common, **own}
        for key in _EXTENDED & common.keys() & own.keys():
            merged[key] = _extended(common[key], own[key])
        try:
            model = PartModel.model_validate(merged)
        except ValidationError as error:
            raise self._told(error.errors(), name) from error
        if "computation" not in values and not model.schemes:
            place: Place = ("parts", name) if name is not None else ()
            raise self._fault(place, "there is no scheme: name at least one under 'schemes'")
        return Part(name, model, {key: merged.get(key) for key in TOP_LEVEL_SETUP})

    def _check_points(self, part: Part, definition: Definition) -> None:
        """Every point of the full set, and again if quick mode changes more than which points there are."""
        shortens = part.model.quick.duration is not None or part.model.quick.warmup is not None
        for quick in (False, True) if shortens else (False,):
            for point in part.points(quick):
                try:
                    if definition.computation is not None:
                        computed.point(definition.computation, point.variables)
                        continue
                    passes = router_passes(part.setup(point, quick))
                except SubstitutionError as error:
                    raise self._fault(_in_part(error.place, point), str(error), part.name) from error
                except ValidationError as error:
                    raise self._told(error.errors(), part.name, point) from error
                if passes > MAX_PASSES:
                    message = (
                        f"a run has about {passes:.0e} packets to pass through routers, {MAX_PASSES:.0e} is the most"
                    )
                    raise self._fault(("duration",), message, part.name)

    def _told(self, faults: list[ErrorDetails], part: str | None = None, point: Point | None = None) -> ConfigError:
        """A line for each fault. A list whose items have faults also counts as too short for pydantic."""
        causes = [fault for fault in faults if fault["type"] != "too_short"] or faults
        sentences = []
        for fault in causes:
            place = (*fault["loc"], *fault.get("ctx", {}).get("place", ()))
            place = _in_part(place, point) if point is not None else place
            message = fault["msg"].removeprefix("Value error, ")
            sentences.append(str(self._fault(place, message, part)))
        return ConfigError("\n".join(dict.fromkeys(sentences)))

    def _fault(self, place: Place, message: str, part: str | None = None) -> ConfigError:
        if part is not None:
            inner: Place = ("parts", part, *place)
            inside = self._depth(inner) - 2
            if inside >= self._depth(place) and (inside > 0 or self._depth(place) == 0):
                place = inner
        shown = ".".join(str(key) for key in place if not str(key).startswith(":"))
        text = f"{shown}: {message}" if shown else message
        # Names that a message repeats may have line breaks.
        return ConfigError(f"{self._file.place(place)}: {' '.join(text.split())}")

    def _depth(self, place: Place) -> int:
        """How many of the keys lead somewhere in the file."""
        value: Any = self._file.values
        depth = 0
        for key in place:
            known = range(len(value)) if isinstance(value, list) else value if isinstance(value, dict) else ()
            if key not in known:
                break
            value = value[key]
            depth += 1
        return depth


def _in_part(place: Place, point: Point) -> Place:
    """Where in a part the setup's key is: its scheme is one of several."""
    if place[:1] == (SCHEME,):
        return ("schemes", str(point.labels[SCHEME]), *place[1:])
    return place


def _extended(common: Any, own: Any) -> Any:
    """A mapping with another's keys over its own, at every level; anything else is replaced."""
    if isinstance(common, dict) and isinstance(own, dict):
        return {**common, **{key: _extended(common.get(key), value) for key, value in own.items()}}
    return own

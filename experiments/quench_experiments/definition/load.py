# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Experiments from their YAML files; each fault is a line ``FILE:LINE:COLUMN: KEY: message``.

Places are our own, on PyYAML's nodes (`YamlFile`). Pydantic names the keys of a fault in the values that it checks, and
those are merged from a part and the whole, or swept: here they become a line and a column of the file. ruamel.yaml
keeps places too, but limits neither depth nor aliases, and reads the papers' 23 files in 0.83 s, not in 0.50.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from quench.config.yaml_file import YamlFile
from quench.errors import ConfigError, message_of
from quench.places import P4_SOURCES
from quench.programs import SwitchProgram, load_program
from quench_switch.outside.units import quoted

from quench_experiments.definition.cost import router_passes
from quench_experiments.definition.experiment import SCHEME, Experiment, Part, Point, tradeoff
from quench_experiments.definition.expression import Keys
from quench_experiments.definition.model import FILE_NAME, TOP_LEVEL_SETUP, Definition, PartModel
from quench_experiments.definition.references import reference_faults
from quench_experiments.definition.substitution import SubstitutionError
from quench_experiments.known import key_of, own_files

MAX_PASSES = 1e12
"""The most router passes of a run: a week of work."""
_EXTENDED = frozenset({"topology", "profile", "stack", "isq", "measure", "quick"})
"""Mappings to which a part adds its keys; its other values replace those outside of it."""
_SHARED = ("profile", "stack", "isq", "schemes")
"""The keys that an experiment takes from the one that it names as ``setup_of``."""
OWN_PROGRAMS: Final = ("bolt", "csig", "dualpi2", "hpcc")
"""Their descriptions are beside the programs; all others are files."""


def load(key: str | Path, folder: Path | None = None) -> Experiment:
    """An experiment by its key, or from a file of one's own. Raises ConfigError."""
    if isinstance(key, Path) or key.endswith((".yaml", ".yml")):
        path = Path(key)
    elif key in (files := own_files(folder)):
        path = files[key]
    else:
        raise ConfigError(f"there is no experiment {key!r}: quench experiment list shows all; a file ends in .yaml")
    return _Loader(path).experiment()


class _Loader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = YamlFile(path)
        self._shared_file: YamlFile | None = None
        self._programs: dict[Path, SwitchProgram] = {}
        if not isinstance(self._file.values, dict):
            raise ConfigError(f"{self._file.place()}: an experiment is a mapping")

    def experiment(self) -> Experiment:
        values = _extended(self._shared(), self._file.values)
        try:
            definition = Definition.model_validate(values)
        except ValidationError as error:
            raise self._error_of(error.errors()) from error
        names: Sequence[str | None] = tuple(definition.parts) or (None,)
        parts = tuple(self._part(name, values) for name in names)
        experiment = Experiment(key_of(self._path), self._path, definition, parts)
        for part in parts:
            self._check_points(part, definition)
        for place, sentence in reference_faults(experiment):
            # Up to the last key that is there: a bare name is a metric, too.
            raise self._fault(place[: self._depth(place)], sentence)
        return experiment

    def _shared(self) -> dict[str, Any]:
        """The settings of the experiment beside this one that it names, none of which are that one's from another."""
        given = self._file.values.get("setup_of")
        if not isinstance(given, str) or not re.fullmatch(FILE_NAME, given):
            return {}
        try:
            file = YamlFile(self._path.parent / f"{given}.yaml")
        except ConfigError as error:
            raise self._fault(("setup_of",), str(error)) from error
        values = file.values
        if not isinstance(values, dict) or "setup_of" in values:
            raise self._fault(("setup_of",), f"{given}.yaml has no setup of its own")
        self._shared_file = file
        return {key: values[key] for key in _SHARED if key in values}

    def _part(self, name: str | None, values: dict[str, Any]) -> Part:
        common = {key: value for key, value in values.items() if key in PartModel.model_fields}
        own = values["parts"][name] if name is not None else {}
        merged = {**common, **own}
        for key in _EXTENDED & common.keys() & own.keys():
            merged[key] = _extended(common[key], own[key])
        if isinstance(merged.get("schemes"), dict):
            merged["schemes"] = {
                scheme: self._with_program(name, scheme, each) for scheme, each in merged["schemes"].items()
            }
        try:
            model = PartModel.model_validate(merged)
        except ValidationError as error:
            raise self._error_of(error.errors(), name) from error
        if "computation" not in values and not model.schemes:
            place: Keys = ("parts", name) if name is not None else ()
            raise self._fault(place, "there is no scheme: name at least one under 'schemes'")
        return Part(name, model, {key: merged.get(key) for key in TOP_LEVEL_SETUP})

    def _with_program(self, part: str | None, scheme: str, values: Any) -> Any:
        """A scheme's values with its program: a description relative to this file, or the name of one of Quench's."""
        if not isinstance(values, dict) or not isinstance(values.get("program"), str):
            return values
        given = values["program"]
        if given in OWN_PROGRAMS:
            return {**values, "program": _own_program(given)}
        path = self._path.parent / given
        if path not in self._programs:
            if not path.is_file():
                what = f"there is no program {quoted(given)}: give a file, or one of {', '.join(OWN_PROGRAMS)}"
                raise self._fault(("schemes", scheme, "program"), what, part)
            self._programs[path] = load_program(path)
        return {**values, "program": self._programs[path]}

    def _check_points(self, part: Part, definition: Definition) -> None:
        """Check every point of the full set, and of the quick one if it changes more than the choice of points."""
        shortens = part.model.quick.duration is not None or part.model.quick.warmup is not None
        for quick in (False, True) if shortens else (False,):
            for point in part.points(quick):
                try:
                    if definition.computation is not None:
                        tradeoff(definition.computation, point.variables)
                        continue
                    passes = router_passes(part.setup(point, quick))
                except SubstitutionError as error:
                    raise self._fault(_in_part(error.place, point), str(error), part.name) from error
                except ValidationError as error:
                    raise self._error_of(error.errors(), part.name, point) from error
                if passes > MAX_PASSES:
                    message = (
                        f"a run has about {passes:.0e} packets to pass through routers, {MAX_PASSES:.0e} is the most"
                    )
                    raise self._fault(("duration",), message, part.name)

    def _error_of(self, faults: list[ErrorDetails], part: str | None = None, point: Point | None = None) -> ConfigError:
        """A line for each fault. A list whose items have faults also counts as too short for pydantic."""
        causes = [fault for fault in faults if fault["type"] != "too_short"] or faults
        sentences = []
        for fault in causes:
            place = (*fault["loc"], *fault.get("ctx", {}).get("place", ()))
            place = _in_part(place, point) if point is not None else place
            message = message_of(fault)
            sentences.append(str(self._fault(place, message, part)))
        return ConfigError("\n".join(dict.fromkeys(sentences)))

    def _fault(self, place: Keys, message: str, part: str | None = None) -> ConfigError:
        if part is not None:
            inner: Keys = ("parts", part, *place)
            inside = self._depth(inner) - 2
            if inside >= self._depth(place) and (inside > 0 or self._depth(place) == 0):
                place = inner
        shown = ".".join(str(key) for key in place if not str(key).startswith(":"))
        text = f"{shown}: {message}" if shown else message
        file, shared = self._file, self._shared_file
        if shared is not None and place[:1] and place[0] in _SHARED and self._depth(place, shared) > self._depth(place):
            file = shared
        # Names that a message repeats may have line breaks.
        return ConfigError(f"{file.place(place)}: {' '.join(text.split())}")

    def _depth(self, place: Keys, file: YamlFile | None = None) -> int:
        """The number of keys, from the first on, that the file has; None: the experiment's own."""
        value: Any = (file or self._file).values
        depth = 0
        for key in place:
            known = range(len(value)) if isinstance(value, list) else value if isinstance(value, dict) else ()
            if key not in known:
                break
            value = value[key]
            depth += 1
        return depth


@cache
def _own_program(name: str) -> SwitchProgram:
    """Kept, because most experiments of data centres have the same ones."""
    return load_program(P4_SOURCES / f"{name}.yaml")


def _in_part(place: Keys, point: Point) -> Keys:
    """The place in a part of a key of the setup, whose scheme is one of several."""
    if place[:1] == (SCHEME,):
        return ("schemes", str(point.labels[SCHEME]), *place[1:])
    return place


def _extended(common: Any, own: Any) -> Any:
    """A mapping with another's keys over its own, at every level; anything else is replaced."""
    if isinstance(common, dict) and isinstance(own, dict):
        return {**common, **{key: _extended(common.get(key), value) for key, value in own.items()}}
    return own

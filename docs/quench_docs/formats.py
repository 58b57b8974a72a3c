# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Reference pages of the file formats, from the pydantic models that read them."""

import re
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import griffe
from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo
from quench.config.model import Config
from quench.profiles import ProfileSettings
from quench.programs.description import Description
from quench_experiments.comparison.outcome import Outcome
from quench_experiments.definition.model import Definition
from quench_experiments.definition.setup import Setup
from quench_experiments.simulation.scenario import Scenario
from quench_topologies import plan_file

from quench_docs import python_api

_FOLDER = PurePosixPath("reference/formats")
Model = type[BaseModel]


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file, the types that it is read with, and what a reader should know first."""

    name: str
    title: str
    about: str
    roots: tuple[Any, ...]


FORMATS = (
    Format(
        "profile",
        "Congestion profiles",
        "A profile is a mapping, in a file of its own, in the controller's configuration or in an experiment. "
        "The key `scheme` chooses one of the tables.",
        (ProfileSettings,),
    ),
    Format(
        "configuration",
        "The controller's configuration",
        "One YAML file, which `quench controller run` reads and `quench controller check` checks.",
        (Config,),
    ),
    Format(
        "program",
        "Programs",
        "One YAML file a program that is not Quench's. The page Programs has the variables and units.",
        (Description,),
    ),
    Format(
        "topology",
        "Topologies",
        "The `topology.json` of p4lang/tutorials, which `quench net file` reads, and the files "
        "that its `runtime_json` names.",
        (plan_file._Topology, plan_file._Runtime),
    ),
    Format(
        "experiment",
        "Experiments",
        "One YAML file an experiment. The keys that describe a run are in the table `Setup`; a text that begins "
        "with `$` stands there for a swept value.",
        (Definition, Setup),
    ),
    Format(
        "scenario",
        "Scenarios of the simulator",
        "The input of `Scenario.parse`, as JSON text or as a mapping of Python. An experiment becomes one of these "
        "for each of its runs.",
        (Scenario,),
    ),
    Format(
        "outcome",
        "Results of a comparison",
        "The measurements of one run of either simulator: the records that `quench experiment compare` keeps.",
        (Outcome,),
    ),
)


def pages() -> dict[PurePosixPath, str]:
    """Markdown by path: a page a format. A model that several formats share is on the page of the first."""
    places: dict[Model, Format] = {}
    found = {}
    for each in FORMATS:
        parts = models(each.roots)
        for model in parts:
            places.setdefault(model, each)
        found[_FOLDER / f"{each.name}.md"] = "\n".join(_page(each, parts, places))
    return found


def _page(described: Format, parts: Sequence[Model], places: Mapping[Model, Format]) -> Iterator[str]:
    yield f"# {described.title}\n"
    yield f"{described.about}\n"
    here = [model for model in parts if places[model] is described]
    for model in here:
        yield from _section(model)
    yield from _types(here)
    for other in dict.fromkeys(places[model] for model in parts):
        names = [f"`{_name(model)}`" for model in parts if places[model] is other]
        if other is not described:
            yield f"On the page [{other.title}]({other.name}.md): {', '.join(names)}.\n"


def _types(described: Sequence[Model]) -> Iterator[str]:
    """The names of types in the tables that are no Python's, as the source defines them."""
    rows = {}
    for model in described:
        for name in model.model_fields:
            module, annotation = _declared(model, name)
            for word in re.findall(r"[A-Z]\w+", annotation):
                found = python_api.imported(module, word)
                if isinstance(found, griffe.Attribute) and found.value is not None:
                    meaning = found.docstring.value if found.docstring is not None else ""
                    rows[word] = f"| `{word}` | `{_cell(str(found.value))}` | {_cell(meaning)} |"
    if rows:
        yield "\n".join(["## Types\n", "| type | is | |", "|---|---|---|", *(rows[key] for key in sorted(rows)), ""])


def _declared(model: Model, name: str) -> tuple[griffe.Module, str]:
    """The module that declares a field, and the field's type."""
    attribute = _attribute(model, name)
    return attribute.module, str(attribute.annotation or "")


def _name(model: Model) -> str:
    return model.__name__.lstrip("_")


def models(roots: tuple[Any, ...]) -> list[Model]:
    """The models that these types are made of, each once, before those that its fields are made of."""
    found: dict[Model, None] = {}
    waiting = [model for root in roots for model in _models_in(root)]
    while waiting:
        model = waiting.pop(0)
        if model not in found:
            found[model] = None
            waiting += [each for field in model.model_fields.values() for each in _models_in(field.annotation)]
    return list(found)


def _models_in(annotation: Any) -> list[Model]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in typing.get_args(annotation) for model in _models_in(part)]


def _section(model: Model) -> Iterator[str]:
    described = _source(model)
    yield f"## {_name(model)}\n"
    if described.docstring is not None:
        yield f"{described.docstring.value.strip()}\n"
    rows = [_row(model, name, field) for name, field in model.model_fields.items()]
    if rows:
        yield "\n".join(["| key | type | default | |", "|---|---|---|---|", *rows, ""])


def _row(model: Model, name: str, field: FieldInfo) -> str:
    attribute = _attribute(model, name)
    annotation = str(attribute.annotation) if attribute.annotation is not None else ""
    meaning = description(model, name)
    default = "required" if field.is_required() else f"`{_value(_default(field))}`"
    key = str(field.alias or name)
    return f"| `{key}` | `{_cell(annotation)}`{_limits(field)} | {_cell(default)} | {_cell(meaning)} |"


def description(model: Model, name: str) -> str:
    """The sentence about a field: its docstring, else the description that pydantic has; empty without either."""
    attribute = _attribute(model, name)
    return attribute.docstring.value if attribute.docstring is not None else model.model_fields[name].description or ""


def _limits(field: FieldInfo) -> str:
    """The limits of a field, as in ``Field(ge=0)``."""
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<", "min_length": "length ≥", "max_length": "length ≤"}
    found = [
        f"{sign} {_number(getattr(each, name))}"
        for each in field.metadata
        for name, sign in signs.items()
        if getattr(each, name, None) is not None
    ]
    return f", {', '.join(found)}" if found else ""


def _number(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _default(field: FieldInfo) -> Any:
    """The default as a file would hold it, with its unit."""
    default = field.get_default(call_default_factory=True)
    if default is None or isinstance(default, BaseModel):
        return default
    annotated: Any = typing.Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
    return TypeAdapter(annotated).dump_python(default, mode="json")


def _value(value: Any) -> str:
    """A default as YAML's reader would write it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, BaseModel):
        given = {name: each for name, each in value if name in value.model_fields_set}
        return _value(given)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return str(value)


def _source(model: Model) -> griffe.Object:
    return python_api.find(f"{model.__module__}.{model.__qualname__}")


def _attribute(model: Model, name: str) -> griffe.Attribute:
    """The field where it is declared, in the model or in one that it extends. Raises KeyError."""
    for each in model.__mro__:
        if name in vars(each).get("__annotations__", {}):
            attribute = _source(each).members[name]
            assert isinstance(attribute, griffe.Attribute)
            return attribute
    raise KeyError(name)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")

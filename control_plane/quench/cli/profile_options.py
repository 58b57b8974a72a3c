# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The settings of a profile as options, for every command that takes a profile; the schemes declare them."""

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from quench.cli.shared_options import with_options
from quench.config.file import load_profiles
from quench.errors import ConfigError, ControllerError, message_of
from quench.profiles import ProfileSettings, parse_settings
from quench.profiles.settings import NAMED_SCHEMES, AqmSettings, CommonSettings, RedSettings, scheme_of
from quench.units import quantity_of

_SHARED = (RedSettings, AqmSettings, CommonSettings)
"""Bases of several schemes."""


def _options() -> dict[str, inspect.Parameter]:
    """An option for each setting that has a description: RED's thresholds, those of single schemes, then the rest."""
    own: dict[str, FieldInfo] = {}
    owners: dict[str, list[str]] = {}
    for scheme in NAMED_SCHEMES:
        for name, field in scheme_of(scheme).model_fields.items():
            if not any(name in base.model_fields for base in _SHARED):
                owners.setdefault(name, []).append(scheme)
                own.setdefault(name, field)
    red, aqm, common = (
        {name: field for name, field in base.model_fields.items() if name in base.__annotations__} for base in _SHARED
    )
    return {
        name: _option(name, field, owners.get(name, ()))
        for name, field in (red | own | aqm | common).items()
        if field.description is not None
    }


def _option(name: str, field: FieldInfo, owners: Sequence[str]) -> inspect.Parameter:
    kind, metavar = _kind(field)
    text = str(field.description)
    if owners:
        text = f"Of {' and '.join(owners)}: {text[0].lower()}{text[1:]}"
    option = typer.Option(metavar=metavar, help=text)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, option]
    )


def _kind(field: FieldInfo) -> tuple[type, str | None]:
    """The type that typer reads, and the name of a value that has a unit."""
    quantity = quantity_of(field)
    if quantity is not None:
        return str, quantity.upper()
    if isinstance(field.default, bool):
        return bool, None
    if field.annotation is int:
        return int, "NUMBER"
    choices = get_args(field.annotation)
    return (float, "NUMBER") if field.annotation is float else (str, "|".join(choices) or "TEXT")


def takes_profile(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command these options behind its ``scheme``; those that are used reach it as a dictionary, ``given``."""
    return with_options(command, _options().values(), "given", _used, after="scheme")


def _used(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def settings_of(values: dict[str, Any]) -> ProfileSettings:
    """The settings that options say. Raises ControllerError."""
    try:
        return parse_settings(values)
    except ValidationError as error:
        raise ControllerError(sentences(error)) from error


def sentences(error: ValidationError) -> str:
    """The faults of options, a line each."""
    return "\n".join(_sentence(fault) for fault in error.errors())


def _sentence(fault: Any) -> str:
    names = [str(part) for part in fault["loc"][1:]]
    message = message_of(fault)
    if fault["type"] == "missing" and names == ["points"]:
        return "a curve's points go into a file: name that instead of --scheme, as docs/schemes/curve.md shows"
    if fault["type"] == "missing":
        return f"--{names[-1].replace('_', '-')} is needed by this scheme"
    if fault["type"] == "extra_forbidden":
        return f"--{names[-1].replace('_', '-')} does not belong to this scheme"
    return f"{'.'.join(names)}: {message}" if names else message


def profile_from(path: Path, changes: dict[str, Any]) -> ProfileSettings:
    """The profile of a file that has one, with these changes. Raises ControllerError, ConfigError."""
    try:
        profiles = load_profiles(path, changes)
    except ValidationError as error:
        raise ControllerError(sentences(error)) from error
    if len(profiles) != 1:
        raise ConfigError(f"{path}: it has {len(profiles)} profiles: give --file a file with one")
    (settings,) = profiles.values()
    return settings

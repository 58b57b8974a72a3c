# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Configurations and profiles from YAML files, with the file's line in every error.

A file with profiles holds either one profile, or a controller's configuration with its ``profiles``.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from quench.config.fields import NameField
from quench.config.model import Config, SwitchConfig
from quench.config.yaml_file import YamlFile
from quench.errors import ConfigError, message_of
from quench.profiles.settings import ProfileSettings, parse_settings

_NAME: TypeAdapter[str] = TypeAdapter(NameField)


def load_config(path: Path) -> Config:
    """The controller's configuration; paths in it are relative to the file. Raises ConfigError."""
    file = YamlFile(path)
    try:
        config = Config.model_validate(file.values)
    except ValidationError as error:
        raise ConfigError(file.sentences(error)) from error
    base = path.resolve().parent
    return config.model_copy(update={"switches": tuple(_placed(switch, base) for switch in config.switches)})


def _placed(switch: SwitchConfig, base: Path) -> SwitchConfig:
    tls = switch.tls.relative_to(base) if switch.tls else None
    return switch.model_copy(update={"pipeline": switch.pipeline.relative_to(base), "tls": tls})


def load_profiles(path: Path, changes: Mapping[str, Any], names: Sequence[str] = ()) -> dict[str, ProfileSettings]:
    """The file's profiles by name, or those with these ``names``; a profile of its own has the file's name.

    ``changes`` replace what the file says. Raises ConfigError; pydantic.ValidationError for a fault in the changes.
    """
    file = YamlFile(path)
    found = _profiles(file)
    for name in names:
        if name not in found:
            raise ConfigError(f"{path}: there is no profile {name!r}: the file has {', '.join(found) or 'none'}")
    return {
        name: _parse(file, within, values, changes)
        for name, (within, values) in found.items()
        if not names or name in names
    }


def _profiles(file: YamlFile) -> dict[str, tuple[tuple[str, ...], Any]]:
    """The keys that lead to each profile, and the profile's value."""
    values = file.values
    if isinstance(values, dict):
        if "scheme" in values:
            return {file.path.stem: ((), values)}
        named = values.get("profiles", {} if "switches" in values else None)
        if isinstance(named, dict):
            return {_checked(file, str(name)): (("profiles", str(name)), each) for name, each in named.items()}
    raise ConfigError(
        f"{file.place()}: a profile is a mapping with the key 'scheme', a configuration one with the key 'profiles'"
    )


def _checked(file: YamlFile, name: str) -> str:
    try:
        return _NAME.validate_python(name)
    except ValidationError as error:
        fault = message_of(error.errors()[0])
        raise ConfigError(f"{file.place(('profiles', name))}: the profile's name {name[:40]!r}: {fault}") from error


def _parse(file: YamlFile, within: tuple[str, ...], values: Any, changes: Mapping[str, Any]) -> ProfileSettings:
    if not isinstance(values, dict):
        raise ConfigError(f"{file.place(within)}: a profile is a mapping with the key 'scheme'")
    try:
        return parse_settings({**values, **changes})
    except ValidationError as error:
        if any(part in changes for fault in error.errors() for part in fault["loc"][1:2]):
            raise
        raise ConfigError(file.sentences(error, within)) from error

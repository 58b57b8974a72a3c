# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Reading a YAML file into a pydantic model, with the file's line in every error."""

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from quench.config.model import Config, SwitchConfig
from quench.config.yaml_file import ConfigError, YamlFile

Model = TypeVar("Model", bound=BaseModel)


def load_config(path: Path) -> Config:
    """The controller's configuration; paths in it are relative to the file. Raises ConfigError."""
    config = load_yaml(path, Config)
    base = path.resolve().parent
    return config.model_copy(update={"switches": tuple(_placed(switch, base) for switch in config.switches)})


def _placed(switch: SwitchConfig, base: Path) -> SwitchConfig:
    pipeline = switch.pipeline
    files = {"p4info": base / pipeline.p4info, "json_": base / pipeline.json_}
    tls = switch.tls.relative_to(base) if switch.tls else None
    return switch.model_copy(update={"pipeline": pipeline.model_copy(update=files), "tls": tls})


def load_yaml(path: Path, model: type[Model]) -> Model:
    """Any model from a YAML file. Raises ConfigError."""
    file = YamlFile(path)
    try:
        return model.model_validate(file.values)
    except ValidationError as error:
        raise ConfigError(file.sentences(error)) from error

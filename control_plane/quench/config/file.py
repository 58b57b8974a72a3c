# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Reading a YAML file into a pydantic model, with the file's line in every error."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from quench.config.model import Config, SwitchConfig

Model = TypeVar("Model", bound=BaseModel)


class ConfigError(Exception):
    """The file can't be used. One line per fault: ``FILE:LINE:COLUMN: what is wrong``."""


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


class _Loader(yaml.SafeLoader):
    """The safe one, with a place in every error: its own constructors raise what Python's types do."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Raises ConstructorError."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError) as error:
            kind = node.tag.rpartition(":")[2]
            reason = error if isinstance(error, ValueError) else repr(node.value)
            raise yaml.constructor.ConstructorError(None, None, f"is no {kind}: {reason}", node.start_mark) from error


class YamlFile:
    """What a YAML file says, and where. Raises ConfigError for what is no YAML."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._root, self.values = _read(path)
        except RecursionError as error:
            raise ConfigError(f"{path}: is nested too deeply, or contains itself") from error

    def place(self, location: Sequence[str | int] = ()) -> str:
        """Where the value is to which these keys lead: ``FILE:LINE:COLUMN``."""
        node = _locate(self._root, location)
        return f"{self.path}:{node.start_mark.line + 1}:{node.start_mark.column + 1}"

    def sentences(self, error: ValidationError, within: Sequence[str | int] = ()) -> str:
        """A line about each of pydantic's faults in what was found ``within`` these keys."""
        faults = error.errors()
        # A list whose items have faults also counts as too short for pydantic.
        causes = [fault for fault in faults if fault["type"] != "too_short"] or faults
        return "\n".join(self._sentence(fault, within) for fault in causes)

    def _sentence(self, fault: Any, within: Sequence[str | int]) -> str:
        location = (*within, *fault["loc"], *fault.get("ctx", {}).get("place", ()))
        keys = ".".join(str(part) for part in location)
        message = fault["msg"].removeprefix("Value error, ")
        text = f"{keys}: {message}" if keys else message
        # Names that a message repeats may have line breaks.
        return f"{self.place(location)}: {' '.join(text.split())}"


def _read(path: Path) -> tuple[yaml.Node, Any]:
    """The nodes and what they say. Raises ConfigError."""
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text: {error.reason} at byte {error.start}") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise ConfigError(f"{where}: {error.problem or error}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: {' '.join(str(error).split())}") from error
    if root is None:
        raise ConfigError(f"{path}:1:1: the file is empty")
    _refuse_duplicates(path, root)
    try:
        return root, _Loader("").construct_document(root)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else f"{path}:1"
        raise ConfigError(f"{where}: {error.problem}") from error


def _locate(root: yaml.Node, location: Sequence[str | int]) -> yaml.Node:
    """The deepest node on the way to a fault: a missing key is shown at the mapping that lacks it."""
    node = root
    for part in location:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode) and key.value == str(part):
                    node = value
                    break
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
    return node


def _refuse_duplicates(path: Path, node: yaml.Node) -> None:
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    mark = key.start_mark
                    raise ConfigError(f"{path}:{mark.line + 1}:{mark.column + 1}: {key.value!r} is given twice")
                seen.add(key.value)
            _refuse_duplicates(path, value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_duplicates(path, item)

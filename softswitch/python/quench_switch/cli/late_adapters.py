# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Typer builds pydantic's validator of every option before it reads the command line: 0.2 s of each command's start.

Here a validator is built, and pydantic imported, when a value comes that only it can read. Text, flags and defaults are
as they come, and a path is what Typer makes of it without a validator.
"""

import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from typer import _coercion
from typer._coercion import AdapterRuntimeParam
from typer._param_types import coerce_cli_path

_NAME = "typer._adapters"


class _Late:
    """A validator that is built when it is used."""

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments

    def validate_python(self, value: Any, **settings: Any) -> Any:
        """The value of the parameter. Raises what Typer expects of a validator."""
        return _real().try_build_adapter(*self._arguments).validate_python(value, **settings)


@dataclass(frozen=True)
class _Param(AdapterRuntimeParam):
    """A parameter whose values mostly need no validator."""

    def _coerce_value(self, value: Any, param: Any, ctx: Any) -> Any:
        annotation = self.annotation
        if self.parameter_info.parser is None and isinstance(annotation, type):
            # A value of this type is text, a flag or a default: what a user types is text.
            if isinstance(value, (int, float) if annotation is float else annotation):
                return value
            if annotation is Path and isinstance(value, str):
                return coerce_cli_path(Path(value), self.parameter_info, path_type=Path, param=param, ctx=ctx)
        return super()._coerce_value(value, param, ctx)


class _Module(ModuleType):
    """Stands in for Typer's module."""

    @staticmethod
    def try_build_adapter(annotation: Any, parameter_info: Any) -> _Late:
        """In the place of Typer's function of this name."""
        return _Late(annotation, parameter_info)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_real(), name)


def _real() -> Any:
    """Typer's module, in its own place from then on."""
    if isinstance(sys.modules.get(_NAME), _Module):
        del sys.modules[_NAME]
    return importlib.import_module(_NAME)


def install() -> None:
    """Put validators off, unless they are there already."""
    if _NAME not in sys.modules:
        sys.modules[_NAME] = _Module(_NAME)
        vars(_coercion)["AdapterRuntimeParam"] = _Param

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Typer builds pydantic's validator of every option before it reads the command line: 0.2 s of each command's start.

Here a validator is built when a value comes to it that is to be read. Text, flags and defaults are as they come.
A Typer that has no such
validators never asks for this module.
"""

import importlib
import sys
from types import ModuleType
from typing import Any

_NAME = "typer._adapters"


class _Late:
    """A validator that is built when it is used."""

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments

    def validate_python(self, value: Any, **settings: Any) -> Any:
        """The value of the parameter. Raises what Typer expects of a validator."""
        annotation, parameter = self._arguments
        kinds = (int, float) if annotation is float else annotation
        # A value of this type is text, a flag or a default: what a user types is text.
        if isinstance(annotation, type) and isinstance(value, kinds) and parameter.parser is None:
            return value
        return _real().try_build_adapter(*self._arguments).validate_python(value, **settings)


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
    sys.modules.setdefault(_NAME, _Module(_NAME))

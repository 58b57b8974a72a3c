# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Errors that end a command with one line; here, so that catching them imports nothing else."""

from collections.abc import Mapping
from typing import Any


class ConfigError(Exception):
    """A file that cannot be used. The message has a line per fault: ``FILE:LINE:COLUMN: the fault``."""


class ControllerError(Exception):
    """The controller refused, or could not be reached."""


_WORDS = {"Tuple ": "List ", "valid tuple": "valid list", "valid dictionary": "valid mapping"}
"""Words of pydantic's messages, and those of YAML and JSON."""


def message_of(fault: Mapping[str, Any]) -> str:
    """The message of one of pydantic's faults, as a validator raised it, in the words of files."""
    message: str = fault["msg"]
    if fault["type"] == "value_error":
        return message.removeprefix("Value error, ")
    for of_python, of_files in _WORDS.items():
        message = message.replace(of_python, of_files)
    return message

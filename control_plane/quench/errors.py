# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Errors that end a command with one line; here, so that catching them imports nothing else."""

from collections.abc import Mapping
from typing import Any


class ConfigError(Exception):
    """A file that cannot be used. The message has a line per fault: ``FILE:LINE:COLUMN: the fault``."""


class ControllerError(Exception):
    """The controller refused, or could not be reached."""


def message_of(fault: Mapping[str, Any]) -> str:
    """The message of one of pydantic's faults, as a validator raised it."""
    message: str = fault["msg"]
    return message.removeprefix("Value error, ")

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A program, and its state before packets come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quench_switch._native import PortOptions


class SetupError(ValueError):
    """A file of entries or of packets cannot be used; the message says where and why in one line."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A program, its entries and its ports."""

    json: str
    p4info: bytes = b""
    """Binary P4Info; only P4Runtime's entries need it."""
    entries: Sequence[Path] = ()
    """STF files, and text files of ``p4.v1.WriteRequest``."""
    ports: Mapping[int, PortOptions] = field(default_factory=dict)
    cpu_port: int | None = None
    seed: int = 1
    priority_queues: int = 1

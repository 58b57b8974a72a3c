# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A transport with its settings: ``simulator/src/stacks.rs`` declares the fields of each transport, and checks them."""

import json
from typing import Self

from pydantic import ConfigDict, model_validator
from quench_simulator import check_stack, stack_ip_version

from quench_experiments.simulation.base import Model, check_by_simulator


class Stack(Model):
    """Settings that several connections share. docs/reference/simulator.md lists those of each transport."""

    model_config = ConfigDict(extra="allow")

    segment_bytes: int | None = None
    """Data of a full segment; None: as the preset says."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        check_by_simulator(check_stack, self)
        return self

    @property
    def ip_version(self) -> int:
        """The version of the IP packets, 4 or 6."""
        return stack_ip_version(json.dumps(self.model_dump(exclude_none=True)))

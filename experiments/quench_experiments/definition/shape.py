# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The base of all topologies."""

from abc import ABC, abstractmethod

from pydantic import BaseModel, ConfigDict

from quench_experiments.definition.network import Network


class Shape(BaseModel, ABC):
    """A topology's parameters."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @abstractmethod
    def network(self) -> Network:
        """Routers, links and places."""

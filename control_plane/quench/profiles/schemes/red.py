# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""red."""

from typing import ClassVar, Literal

from quench.profiles.scheme import RedSettings
from quench.profiles.segment import Segment


class Red(RedSettings):
    """Random early detection (Floyd and Jacobson 1993): selected packets are dropped."""

    host_algorithm: ClassVar = "plain"

    scheme: Literal["red"] = "red"

    def segments(self) -> list[Segment]:
        """Drops from minth."""
        return [*self.ramp(drop=True), *self.above_maxth()]

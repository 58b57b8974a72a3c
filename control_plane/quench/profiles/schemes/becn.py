# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""becn."""

from typing import ClassVar, Literal

from pydantic import Field

from quench.profiles.scheme import RedSettings
from quench.profiles.segment import Segment


class Becn(RedSettings):
    """As ``ecn``, and the source of each marked or dropped ECT packet gets an ICMP source quench."""

    host_algorithm: ClassVar = "becn"
    shared_with_hosts: ClassVar = ("isq_levels",)
    sends_isqs: ClassVar = True

    scheme: Literal["becn"] = "becn"
    isq_levels: bool = Field(default=False, description="Source quenches carry a level, 0 to 127.")
    """Source quenches carry a level that grows from 0 at ``minth`` to 127 at ``maxth``."""

    def segments(self) -> list[Segment]:
        """Marks with source quenches from minth, drops with source quenches from maxth."""
        levels = self.isq_levels
        return [*self.ramp(isq_from_pkts=0.0, isq_levels=levels), *self.above_maxth(isq=True, isq_levels=levels)]

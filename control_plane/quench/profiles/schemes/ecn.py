# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""ecn."""

from typing import ClassVar, Literal

from quench.profiles.scheme import RedSettings
from quench.profiles.segment import Segment


class Ecn(RedSettings):
    """RED that marks ECT packets CE instead of dropping them (RFC 3168), up to ``maxth``."""

    host_algorithm: ClassVar = "ecn"

    scheme: Literal["ecn"] = "ecn"

    def segments(self) -> list[Segment]:
        """Marks from minth, drops from maxth."""
        return [*self.ramp(), *self.above_maxth()]

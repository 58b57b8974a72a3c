# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""becn."""

from typing import ClassVar, Literal

from quench.profiles.scheme import IsqSettings
from quench.profiles.segment import Segment


class Becn(IsqSettings):
    """As ``ecn``, and the source of each marked or dropped ECT packet gets an ICMP source quench."""

    host_algorithm: ClassVar = "becn"

    scheme: Literal["becn"] = "becn"

    def segments(self) -> list[Segment]:
        """Source quenches from minth on."""
        return self.quenching(0.0)

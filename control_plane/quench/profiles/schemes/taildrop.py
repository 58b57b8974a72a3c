# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""taildrop."""

from typing import ClassVar, Literal

from quench.profiles.scheme import CommonSettings
from quench.profiles.segment import Segment


class TailDrop(CommonSettings):
    """Nothing is marked or dropped early: the queue overflows."""

    host_algorithm: ClassVar = "plain"

    scheme: Literal["taildrop"] = "taildrop"

    def segments(self) -> list[Segment]:
        """There are no segments."""
        return []

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""dctcp."""

from math import inf, sqrt
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from quench.profiles.formats import MAX_DEPTH_PKTS
from quench.profiles.scheme import AqmSettings, beyond_depth, known
from quench.profiles.segment import Segment
from quench.units import Depth, ThresholdField

SLOW_RATE_BPS = 1_000_000_000
SLOW_PKTS = 20
"""Default of k up to 1 Gb/s. It grows with the root of the rate: 63 packets at 10 Gb/s, 200 at 100 Gb/s."""


class Dctcp(AqmSettings):
    """While the queue of the moment is k or more, each ECT packet is marked (RFC 8257), and others are dropped."""

    host_algorithm: ClassVar = "dctcp"
    depths_by_topology: ClassVar = {"k": "minth"}
    fixed: ClassVar = frozenset({"wq"})

    scheme: Literal["dctcp"] = "dctcp"
    k: ThresholdField | None = Field(
        default=None,
        description="Where every packet is selected, such as 30KB or 20pkts. Default: 20pkts up to 1Gbps, and more in "
        "proportion to the root of a higher rate.",
    )
    """Queue from which every packet is selected. Null: 20 packets up to 1 Gb/s, above that as the root of the rate."""
    wq: float = Field(default=1.0, ge=1, le=1, description="Weight of one sample in the average queue.")
    """Weight of one sample in the average queue: 1, so that the average is the queue itself."""

    @model_validator(mode="after")
    def _k_is_within_reach(self) -> Self:
        if known(self.k) and self.in_pkts(self.k) > MAX_DEPTH_PKTS:
            raise ValueError(beyond_depth("k", self.k, self.in_pkts(self.k)))
        return self

    def defaults(self, rate_bps: int) -> dict[str, Depth]:
        """The default of k."""
        pkts = round(SLOW_PKTS * sqrt(max(1.0, rate_bps / SLOW_RATE_BPS)))
        return {} if self.k is not None else {"k": Depth(float(pkts), "pkts")}

    def segments(self) -> list[Segment]:
        """Marks from k on."""
        return [Segment(self.in_pkts(self.k), inf, 1.0, 1.0)]

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Measurements of a run of either simulator at the bottleneck, and of several runs together."""

import statistics
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

PLAIN = "plain"
"""The group of flows without ECN or BECN."""


class GroupOutcome(BaseModel):
    """One group of flows."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    flows: int
    goodput_bps: float
    """Mean over the flows, of data packets acknowledged, with their headers."""
    loss: float
    """Share of the group's packets that the bottleneck dropped."""


class Outcome(BaseModel):
    """One run, from the end of the warm-up on. Depths in bytes of IP packets, queues without the packet on the wire."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    utilisation: float
    loss: float
    mean_queue_bytes: float
    sd_queue_bytes: float
    mean_average_bytes: float
    """Mean over time of RED's own average."""
    marked_pkts: float
    isq_share: float | None = None
    """ISQs over all packets that go the senders' way, where routers send ISQs."""
    groups: dict[str, GroupOutcome]

    def metrics(self) -> dict[str, float]:
        """The numbers that are compared, by name."""
        names = ("utilisation", "loss", "mean_queue_bytes", "sd_queue_bytes", "mean_average_bytes", "marked_pkts")
        metrics = {name: float(getattr(self, name)) for name in names}
        if self.isq_share is not None:
            metrics["isq_share"] = self.isq_share
        plain = self.groups.get(PLAIN)
        others = [group for name, group in self.groups.items() if name != PLAIN]
        if plain is None or not others:
            goodputs = [group.goodput_bps for group in self.groups.values()]
            metrics["goodput_bps"] = sum(goodputs) / len(goodputs)
            return metrics
        (signalled,) = others
        metrics["gain"] = signalled.goodput_bps / plain.goodput_bps - 1
        metrics["signalled_loss"] = signalled.loss
        metrics["plain_loss"] = plain.loss
        return metrics


class Spread(BaseModel):
    """A mean over seeds and the standard deviation of one run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mean: float
    sd: float = 0.0


def over_seeds(outcomes: Sequence[Outcome]) -> dict[str, Spread]:
    """Each metric over several runs of one case."""
    runs = [outcome.metrics() for outcome in outcomes]
    spreads = {}
    for name in runs[0]:
        values = [run[name] for run in runs]
        spreads[name] = Spread(mean=statistics.fmean(values), sd=statistics.stdev(values) if len(values) > 1 else 0.0)
    return spreads

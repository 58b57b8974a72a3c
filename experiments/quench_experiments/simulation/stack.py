# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""How a host's TCP behaves: ``softswitch/netsim/src/tcp`` reads the same JSON."""

from typing import Literal

from pydantic import Field

from quench_experiments.simulation.base import Model, Positive, Seconds

Algorithm = Literal["plain", "ecn", "becn", "ecn-becn", "mecn", "ecn-mod"]
"""The window's reactions, those of host_stack/cc (docs/hosts.md)."""
Preset = Literal["modern", "ns2-2001", "linux-paper"]
"""``modern``: the RFCs as Linux follows them; ``ns2-2001``: the TCP of ns-2 in 2001, with which the papers'
numbers come out; ``linux-paper``: what host_stack's paper mode makes of the kernel."""


class Stack(Model):
    """TCP settings that several connections share. What is not said is as the preset has it."""

    preset: Preset = "modern"
    algorithm: Algorithm = "plain"
    parameters: dict[str, str | float | int | bool] = Field(default_factory=dict)
    """Of the algorithm, by the names and values that ``quench host enable --set`` takes (docs/hosts.md)."""
    recovery: Literal["reno", "newreno", "sack"] | None = None
    """Loss recovery: RFC 5681, RFC 6582 or RFC 6675."""
    ecn: Literal["off", "rfc3168", "mecn", "accurate"] | None = None
    """What marks are echoed, and how; ``accurate`` echoes each packet's mark (RFC 8257 section 3.2)."""
    payload_bytes: int | None = Field(default=None, ge=1, le=8960)
    """Of a full segment; the IP packet has 40 more, and those of TCP options."""
    max_window_pkts: int | None = Field(default=None, ge=1, le=1 << 20)
    """Largest window, of sender and receiver."""
    initial_window_pkts: int | None = Field(default=None, ge=1, le=1000)
    delayed_ack: bool | None = None
    """ACK every second packet, or after 40 ms (RFC 1122 section 4.2.3.2)."""
    handshake: bool | None = None
    """Connections begin with SYNs; else with data, as ns-2's one-way TCP."""
    limited_transmit: bool | None = None
    """New data for the first two duplicate ACKs (RFC 3042)."""
    tick_s: Seconds | None = None
    """Granularity of the clock that measures RTTs and retransmits; 0 is exact."""
    min_rto_s: Positive | None = None
    """Least retransmission timeout."""
    initial_rto_s: Positive | None = None
    """Retransmission timeout before the RTT is known."""

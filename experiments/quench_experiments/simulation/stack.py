# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The TCP of a host: ``simulator/src/tcp`` reads the same JSON."""

from typing import TYPE_CHECKING, Literal, TypeAlias

from pydantic import Field
from quench_simulator import host_algorithms

from quench_experiments.simulation.base import Dscp, Model

if TYPE_CHECKING:
    Algorithm: TypeAlias = str
else:
    Algorithm = Literal[tuple(host_algorithms())]
"""The window's reactions, those of host_stack/cc (docs/hosts.md)."""
Preset = Literal["modern", "ns2-2001", "linux-paper"]
"""``modern``: the RFCs as Linux follows them; ``ns2-2001``: the TCP of ns-2 in 2001, with which the papers'
numbers come out; ``linux-paper``: what host_stack's paper mode makes of the kernel."""


class Stack(Model):
    """TCP settings that several connections share. The preset has the values of the others."""

    preset: Preset = "modern"
    algorithm: Algorithm = "plain"
    parameters: dict[str, str | bool | int | float] = Field(default_factory=dict)
    """The parameters of the algorithm, by the names and values that ``quench host enable --set`` takes
    (docs/hosts.md)."""
    recovery: Literal["reno", "newreno", "sack"] | None = None
    """Loss recovery by RFC 5681, RFC 6582 or RFC 6675."""
    ecn: Literal["off", "rfc3168", "mecn", "accurate"] | None = None
    """The receiver's way to echo marks; ``accurate`` echoes each packet's (RFC 8257 section 3.2). None: as the
    algorithm needs it."""
    ect: Literal["new-data", "data", "all"] | None = None
    """The packets that are ECN-capable: new data (RFC 3168), retransmissions too (ns-2), or ACKs too."""
    quench: Literal["at-once", "next-ack"] | None = None
    """The moment at which a source quench takes effect: ``next-ack`` as in the kernel."""
    sender: Literal["rfc", "ns2-2001"] | None = None
    """The rules beyond ``recovery`` that the sender follows where ns-2 and the RFCs differ."""
    growth: Literal["packet", "ack"] | None = None
    """The growth of the window by an ACK: for each packet that it acknowledges (RFC 3465), or for one."""
    dscp: Dscp | None = None
    """The DSCP of all packets."""
    segment_bytes: int | None = Field(default=None, ge=1, le=8960)
    """Data of a full segment; the IP packet has 40 more, and those of TCP options."""
    handshake: bool | None = None
    """Connections begin with SYNs; else with data, as ns-2's one-way TCP."""
    fin: bool | None = None
    """Whether a FIN ends the connection."""
    delayed_ack: bool | None = None
    """One ACK for two segments, or after ``delayed_ack_s`` (RFC 1122 section 4.2.3.2)."""
    delayed_ack_s: float | None = Field(default=None, ge=0, le=0.5)
    max_window_pkts: int | None = Field(default=None, ge=1, le=1 << 20)
    """Largest window, of sender and receiver."""
    initial_window_pkts: int | None = Field(default=None, ge=1, le=1 << 16)
    """The first window. After a handshake with lost SYNs it may be one segment (docs/reference/simulator.md)."""
    timer: Literal["rfc6298", "linux", "ns2-2001"] | None = None
    """The estimator of the retransmission timeout."""
    clock_s: float | None = Field(default=None, ge=0, le=10)
    """Granularity of the clock that measures round trips; 0 is exact."""
    initial_rto_s: float | None = Field(default=None, ge=1e-9, le=3600)
    """Retransmission timeout before the RTT is known."""
    min_rto_s: float | None = Field(default=None, ge=1e-9, le=3600)
    max_rto_s: float | None = Field(default=None, ge=1e-9, le=1e6)
    max_timeouts: int | None = Field(default=None, ge=0, lt=1 << 32)
    """The timeouts of one segment after which the connection is given up; 0: never."""
    dupack_threshold: int | None = Field(default=None, ge=1, le=1 << 16)
    """Duplicate ACKs that show a loss."""
    limited_transmit: bool | None = None
    """New data for the first two duplicate ACKs (RFC 3042)."""
    grow_when_idle: bool | None = None
    """The window grows where the application limits what is sent."""
    restart_after_idle: bool | None = None
    """A pause of one RTO sends the window back to the initial one (RFC 5681 section 4.1)."""
    cwr_on_retransmissions: bool | None = None
    window_may_close: bool | None = None
    """A reduction at a window of one packet closes it until the timer fires (RFC 3168 section 6.1.2)."""
    partial_deflation: bool | None = None
    """NewReno: a partial ACK takes what it acknowledges from the inflated window (RFC 6582)."""
    impatient: bool | None = None
    """NewReno: only the first partial ACK restarts the retransmission timer (RFC 6582)."""
    bounded_exit: bool | None = None
    """NewReno: recovery ends with at most one segment more than is in flight."""

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""UDP that obeys ICMP source quench: BECN serves any transport. See docs/how-to/udp.md.

In: a rate and an address. Out: paced packets, and a report. Begin with ``sender``; ``aimd`` is its rate, ``quenches``
checks source quenches, ``receiver`` counts what arrives.
"""

from quench.udp.aimd import Aimd, AimdSettings
from quench.udp.flow import FlowReport
from quench.udp.receiver import DEFAULT_PORT, Receiver
from quench.udp.schedule import OnOff
from quench.udp.sender import Sender, SenderReport, SenderSettings
from quench.udp.sockets import UdpError

__all__ = [
    "DEFAULT_PORT",
    "Aimd",
    "AimdSettings",
    "FlowReport",
    "OnOff",
    "Receiver",
    "Sender",
    "SenderReport",
    "SenderSettings",
    "UdpError",
]

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""ICMP source quench: its conditions, its bytes and its limits.

In: a copied packet and the time. Out: an Ethernet frame, or a reason for none. Begin with ``message``, then
``limiter``.
"""

from quench.isq.limiter import Limiter, RateLimit
from quench.isq.message import Ineligible, NotEligibleError, source_quench

__all__ = ["Ineligible", "Limiter", "NotEligibleError", "RateLimit", "source_quench"]

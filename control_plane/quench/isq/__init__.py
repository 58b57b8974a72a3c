# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Source quenches, ICMP's and those for RoCEv2: their conditions, their bytes and their limits.

In: a copied packet and the time. Out: an Ethernet frame, or a reason for none. Begin with ``message``, then ``cnp``,
``origin`` and ``limiter``.
"""

from quench.isq.limiter import Limiter, RateLimit
from quench.isq.message import Ineligible, NotEligibleError, source_quench
from quench.isq.origin import IsqFormat, Origin

__all__ = ["Ineligible", "IsqFormat", "Limiter", "NotEligibleError", "Origin", "RateLimit", "source_quench"]

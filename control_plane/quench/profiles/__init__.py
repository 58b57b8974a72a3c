# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Congestion profiles: from a named scheme and its thresholds, or a drawn curve, to rows of the P4 tables.

In: settings, as a mapping. Out: ``ProfileRows``. Begin with ``schemes``, whose classes have settings and
make straight pieces of them, then ``compile`` (pieces to rows of quench.p4); ``tna`` makes the rows of
quench_tna.p4.
"""

from quench.profiles.compile import ProfileRows, compile_profile
from quench.profiles.curve import Curve, Segment
from quench.profiles.settings import ProfileSettings, parse_settings

__all__ = ["Curve", "ProfileRows", "ProfileSettings", "Segment", "compile_profile", "parse_settings"]

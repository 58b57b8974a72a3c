# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The schemes, in the order in which they are listed to users. The names of thresholds are those of the papers.

A new scheme is a file here and a line in ``MODELS`` (docs/how-to/add-a-scheme.md).
"""

from quench.profiles.scheme import CommonSettings
from quench.profiles.schemes.becn import Becn
from quench.profiles.schemes.curve import UserCurve
from quench.profiles.schemes.ecn import Ecn
from quench.profiles.schemes.ecn_becn import EcnBecn
from quench.profiles.schemes.ecn_mod import EcnMod
from quench.profiles.schemes.mecn import Mecn
from quench.profiles.schemes.red import Red
from quench.profiles.schemes.taildrop import TailDrop

MODELS: tuple[type[CommonSettings], ...] = (TailDrop, Red, Ecn, Becn, EcnBecn, Mecn, EcnMod, UserCurve)

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The tests import what they share from this folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

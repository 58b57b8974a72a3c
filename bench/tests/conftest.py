# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The tests import the scripts of the bench, which are no installed package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

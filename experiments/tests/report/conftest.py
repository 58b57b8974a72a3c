# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The tests share modules of the runner's and the command's tests, which the project's import mode does not find."""

import sys
from pathlib import Path

for name in ("cli", "runner"):
    sys.path.insert(0, str(Path(__file__).parents[1] / name))

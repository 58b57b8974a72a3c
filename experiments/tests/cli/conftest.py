# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The tests share modules of this folder and of the runner's tests, which the project's import mode does not find."""

import sys
from pathlib import Path

for folder in (Path(__file__).parent, Path(__file__).parents[1] / "runner"):
    sys.path.insert(0, str(folder))

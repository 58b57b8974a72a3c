# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The tests share the browser of the control plane's, which the import mode of the project does not find by itself."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "control_plane" / "tests"))

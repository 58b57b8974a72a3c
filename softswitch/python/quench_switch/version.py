# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The version, which a command prints without imports. `make release` writes it wherever a tool needs a copy."""

from typing import Final

VERSION: Final = "0.10.0"

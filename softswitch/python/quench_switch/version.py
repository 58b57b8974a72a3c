# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The version, here so that a command prints it without imports."""

from typing import Final

VERSION: Final = "0.1.0"

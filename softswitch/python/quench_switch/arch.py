# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The architectures that ``--arch`` takes."""

from enum import StrEnum


class Arch(StrEnum):
    """The architecture that a program is written for."""

    V1MODEL = "v1model"
    TNA = "tna"

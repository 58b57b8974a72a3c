# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The data plane's exception: there is one, which all native modules with a data plane raise."""

from typing import Literal


class DataPlaneError(Exception):
    """A request that the data plane refuses; nothing was changed."""

    code: Literal[
        "not_found",
        "already_exists",
        "invalid_argument",
        "out_of_range",
        "resource_exhausted",
        "failed_precondition",
        "permission_denied",
        "unimplemented",
    ]
    message: str

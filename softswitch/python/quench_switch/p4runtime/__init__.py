# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""P4Runtime server of the embedded switch."""

from .server import API_VERSION, P4RuntimeServer, grpc_server

__all__ = ["API_VERSION", "P4RuntimeServer", "grpc_server"]

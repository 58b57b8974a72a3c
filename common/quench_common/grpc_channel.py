# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Options of gRPC's channels that depend on the address."""

from __future__ import annotations


def options_of(address: str) -> list[tuple[str, str]]:
    """What a channel to an address needs: for ``unix:PATH`` a host that HTTP/2's servers take.

    gRPC's core sends the path with percent signs, which not all servers take in a name (RFC 3986, section 3.2.2).
    """
    return [("grpc.default_authority", "localhost")] if address.startswith("unix:") else []

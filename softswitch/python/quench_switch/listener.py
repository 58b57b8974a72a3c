# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The address that the gRPC server listens on: TLS, and whether it can be reached from other machines."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc
from grpc import aio
from quench_common.files import PEM_BYTES, read_file

MAX_TCP_PORT: Final = 65535


class ListenError(RuntimeError):
    """The server cannot listen as it was asked to; the message says why in one line."""


@dataclass(frozen=True, slots=True)
class Tls:
    """The server's certificate, and the authority whose clients it admits. All files are PEM."""

    certificate: Path
    key: Path
    client_authority: Path | None = None
    """Set, a client needs a certificate that this authority signed."""

    def credentials(self) -> grpc.ServerCredentials:
        """The credentials as gRPC takes them. Raises :class:`ListenError` for a file that cannot be read."""
        try:
            pair = (read_file(self.key, PEM_BYTES), read_file(self.certificate, PEM_BYTES))
            authority = None if self.client_authority is None else read_file(self.client_authority, PEM_BYTES)
        except OSError as error:
            raise ListenError(f"{error.filename}: {error.strerror}") from error
        return grpc.ssl_server_credentials([pair], authority, require_client_auth=authority is not None)


def is_local(address: str) -> bool:
    """Whether only this machine reaches an address: loopback, or a Unix socket."""
    if address.startswith(("unix:", "unix-abstract:")):
        return True
    host = address.rpartition(":")[0].strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check(address: str) -> None:
    """Refuse what gRPC would take for another address: it cuts ports to 16 bits and supplies those that are missing."""
    if not address.isprintable():
        raise ListenError(f"cannot listen on {address!r}: it is no address")
    if address.startswith(("unix:", "unix-abstract:")):
        if address.endswith(":"):
            raise ListenError(f"cannot listen on {address}: the socket's name is missing")
        return
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= MAX_TCP_PORT):
        raise ListenError(f"cannot listen on {address}: write HOST:PORT with a port from 0 to {MAX_TCP_PORT}")


def listen(server: aio.Server, address: str, tls: Tls | None) -> str:
    """Bind the server; returns the address with the port that it got. Raises :class:`ListenError`."""
    _check(address)
    credentials = None if tls is None else tls.credentials()
    try:
        if credentials is None:
            port = server.add_insecure_port(address)
        else:
            port = server.add_secure_port(address, credentials)
    except RuntimeError as error:
        files = "" if tls is None else f", or {tls.certificate} and {tls.key} are not a certificate and its key"
        raise ListenError(f"cannot listen on {address}: the address is in use or wrong{files}") from error
    if address.startswith(("unix:", "unix-abstract:")):
        return address
    return f"{address.rpartition(':')[0]}:{port}"

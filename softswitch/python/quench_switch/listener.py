# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The address that the gRPC server listens on: TLS, and whether it can be reached from other machines."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from quench_switch.outside.files import PEM_BYTES, read_file
from quench_switch.p4runtime.grpc_server import Certificates, GrpcServer

MAX_TCP_PORT: Final = 65535


class ListenError(RuntimeError):
    """The server cannot listen as it was asked to; the message says why in one line."""


@dataclass(frozen=True, slots=True)
class Tls:
    """The server's certificate, and the authority whose clients it admits. All files are PEM."""

    certificate: Path
    key: Path
    client_authority: Path | None = None
    """The authority that must have signed a client's certificate; None: a client needs none."""

    def read(self) -> Certificates:
        """Their texts. Raises :class:`ListenError` for a file that cannot be read."""
        try:
            key, certificate = read_file(self.key, PEM_BYTES), read_file(self.certificate, PEM_BYTES)
            authority = None if self.client_authority is None else read_file(self.client_authority, PEM_BYTES)
        except OSError as error:
            raise ListenError(f"{error.filename}: {error.strerror}") from error
        return Certificates(certificate, key, authority)


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
    """Refuse what is no address, before the system finds another meaning for it."""
    if not address.isprintable():
        raise ListenError(f"cannot listen on {address!r}: it is no address")
    if address.startswith(("unix:", "unix-abstract:")):
        if address.endswith(":"):
            raise ListenError(f"cannot listen on {address}: the socket's name is missing")
        return
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isascii() and port.isdigit() and len(port) <= 5 and int(port) <= MAX_TCP_PORT):
        raise ListenError(f"cannot listen on {address}: write HOST:PORT with a port from 0 to {MAX_TCP_PORT}")


def listen(server: GrpcServer, address: str, tls: Tls | None) -> str:
    """Bind the server; returns the address with the port that it got. Raises :class:`ListenError`."""
    _check(address)
    try:
        return server.listen(address, None if tls is None else tls.read())
    except OSError as error:
        raise ListenError(f"cannot listen on {address}: {error}") from error
    except ValueError as error:
        assert tls is not None
        files = ", ".join(str(each) for each in (tls.certificate, tls.key, tls.client_authority) if each is not None)
        raise ListenError(f"{files}: not a certificate and its key, or no authority: {error}") from error

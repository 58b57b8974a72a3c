# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The page's listening socket, its token and its address."""

import secrets
import socket
from ipaddress import ip_address

from quench.config.model import host_and_port
from quench.errors import ControllerError

_BACKLOG = 16
_TOKEN_BYTES = 32


def page_address(text: str) -> str:
    """``HOST:PORT``, with port 0 for any that is free. Raises ValueError."""
    host, _, port = text.rpartition(":")
    host_and_port(f"{host}:1" if port == "0" else text)
    return text


def listening_socket(address: str) -> socket.socket:
    """A TCP socket that listens at ``HOST:PORT``; port 0: any that is free. Raises ControllerError."""
    host, _, port = address.rpartition(":")
    try:
        # By name, so that a host name works as an address does.
        family, kind, protocol, _, place = socket.getaddrinfo(
            host.strip("[]"), int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
            listener.listen(_BACKLOG)
            listener.setblocking(False)
        except BaseException:
            listener.close()
            raise
    except OSError as error:
        reason = error.strerror or error
        raise ControllerError(
            f"{address}: cannot listen here ({reason}): choose another address, or port 0 for any that is free"
        ) from error
    return listener


def new_token() -> str:
    """A token that allows changes."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def page_url(listener: socket.socket, token: str) -> str:
    """The address of the page. The token is in its fragment, which browsers send to nobody and logs do not keep."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/#token={token}"


def is_local(listener: socket.socket) -> bool:
    """Whether only this machine reaches it."""
    return ip_address(listener.getsockname()[0]).is_loopback

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The page's address and its token."""

import secrets
import socket
from ipaddress import ip_address

from quench.config.fields import host_and_port

TOKEN_VARIABLE = "QUENCH_LIVE_TOKEN"  # noqa: S105 - a name
"""A token that another program has chosen, which then prints the address itself."""
_TOKEN_BYTES = 32


def page_address(text: str) -> str:
    """``HOST:PORT``, with port 0 for any that is free. Raises ValueError."""
    host, _, port = text.rpartition(":")
    host_and_port(f"{host}:1" if port == "0" else text)
    return text


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

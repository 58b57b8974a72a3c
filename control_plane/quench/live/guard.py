# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a request of the web page's server comes from its own page, and whether it may change anything."""

import hmac
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

PROTOCOL = "quench"
"""The subprotocol of the WebSocket (RFC 6455 section 1.9). A browser can send a token with one only as a further
protocol's name."""
_TOKEN_PROTOCOL = "quench-token-"  # noqa: S105 - the rest of the name is the token in hexadecimal
_BEARER = "Bearer "
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Guard:
    """The server's own names, and its token.

    A page of another site reaches a server on loopback by a name of its own that resolves to 127.0.0.1 (DNS
    rebinding). The browser then sends that name as ``Host``: so only names of this server are answered.
    """

    names: frozenset[str]
    any_address: bool
    """The server listens on all addresses: each address is a name of its own. Rebinding needs a name."""
    token: str

    @classmethod
    def of(cls, listens_on: str, allowed_hosts: Collection[str], token: str) -> "Guard":
        """The guard of a server that listens on an IP address, ``0.0.0.0`` and ``::`` for all."""
        names = _LOOPBACK_NAMES | {listens_on} | {name.lower() for name in allowed_hosts}
        return cls(names, ip_address(listens_on).is_unspecified, token)

    def knows(self, host: str) -> bool:
        """Whether a ``Host`` header (RFC 9110 section 7.2) names this server."""
        name = _hostname(f"//{host}")
        return name is not None and (name in self.names or (self.any_address and _is_address(name)))

    def is_own(self, origin: str | None, host: str, protocol: str) -> bool:
        """Whether an ``Origin`` header (RFC 6454) is that of a page of this server, as browsers send it."""
        return origin is not None and origin.lower() == f"{protocol}://{host}".lower()

    def has_token(self, authorization: str | None) -> bool:
        """Whether an ``Authorization`` header (RFC 6750 section 2.1) has the token."""
        return self._is_token((authorization or "").removeprefix(_BEARER).encode(errors="replace"))

    def offers_token(self, protocols: str | None) -> bool:
        """Whether a ``Sec-WebSocket-Protocol`` header names the token."""
        names = [name.strip() for name in (protocols or "").split(",")]
        return any(self._is_token(_from_hexadecimal(name)) for name in names if name.startswith(_TOKEN_PROTOCOL))

    def _is_token(self, given: bytes) -> bool:
        return hmac.compare_digest(given, self.token.encode())


def _from_hexadecimal(name: str) -> bytes:
    try:
        return bytes.fromhex(name.removeprefix(_TOKEN_PROTOCOL))
    except ValueError:
        return b""


def _hostname(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True

# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The origin of source quenches: the switch's addresses, the form about RoCEv2, and the domain that none leaves."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Literal

from quench.isq.cnp import congestion_notification, roce_packet
from quench.isq.message import Ineligible, NotEligibleError, source_of, source_quench

IsqFormat = Literal["icmp", "cnp", "fast-cnp"]
"""The form about a data packet of RoCEv2: as about any other, a CNP, or a Fast CNP where the packet is IPv6."""
Prefix = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class Origin:
    """Makes the source quenches of one switch."""

    address: IPv4Address
    ipv6_address: IPv6Address | None = None
    """Needed for a CNP about IPv6."""
    format: IsqFormat = "icmp"
    domain: tuple[Prefix, ...] = ()
    """The prefixes of sources that may be quenched; none: all of them."""

    def source_quench(self, frame: bytes, *, marked: bool, level: int) -> bytes:
        """The source quench about a packet, as a frame that a router can route to the packet's source.

        ``frame`` is the packet from its Ethernet header on. Raises NotEligibleError.
        """
        packet = None if self.format == "icmp" else roce_packet(frame)
        if self.domain:
            source = source_of(frame) if packet is None else packet.source
            if not _holds(self.domain, source):
                raise NotEligibleError(Ineligible.OUTSIDE_DOMAIN)
        if packet is None:
            return source_quench(frame, marked=marked, router=self.address, level=level)
        if isinstance(packet.source, IPv4Address):
            return congestion_notification(frame, packet, source=self.address, fast=False)
        if self.ipv6_address is None:
            raise NotEligibleError(Ineligible.NO_IPV6_ADDRESS)
        return congestion_notification(frame, packet, source=self.ipv6_address, fast=self.format == "fast-cnp")


def _holds(domain: Iterable[Prefix], address: IPv4Address | IPv6Address) -> bool:
    return any(address.version == prefix.version and address in prefix for prefix in domain)

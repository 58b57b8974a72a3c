# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The origin of source quenches: the switch's addresses, the form about RoCEv2, and the domain that none leaves."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Literal

from quench.isq.cnp import Address, congestion_notification, roce_packet
from quench.isq.icmpv6 import ipv6_source_quench
from quench.isq.message import Ineligible, NotEligibleError, source_of, source_quench

IsqFormat = Literal["icmp", "cnp", "fast-cnp"]
"""The form about a data packet of RoCEv2: ICMP or ICMPv6, a CNP, or a Fast CNP where the packet is IPv6."""
Prefix = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class Origin:
    """Makes the source quenches of one switch."""

    address: IPv4Address
    ipv6_address: IPv6Address | None = None
    """Needed for source quenches about IPv6."""
    format: IsqFormat = "icmp"
    domain: tuple[Prefix, ...] = ()
    """The prefixes of sources that may be quenched; none: all of IPv4."""

    def source_quench(self, frame: bytes, *, marked: bool, level: int, advice: int = 0) -> bytes:
        """The source quench about a packet, as a frame that a router can route to the packet's source.

        ``frame`` is the packet from its Ethernet header on; ``advice`` has the bits of ``advice_t``. Raises
        NotEligibleError.
        """
        packet = roce_packet(frame)
        if packet is None or (self.format == "icmp" and isinstance(packet.source, IPv4Address)):
            self._check_domain(source_of(frame))
            return source_quench(frame, marked=marked, router=self.address, level=level, advice=advice)
        self._check_domain(packet.source)
        if isinstance(packet.source, IPv4Address):
            return congestion_notification(frame, packet, source=self.address, fast=False, advice=advice)
        if self.ipv6_address is None:
            raise NotEligibleError(Ineligible.NO_IPV6_ADDRESS)
        if self.format == "icmp":
            return ipv6_source_quench(
                frame, packet, marked=marked, router=self.ipv6_address, level=level, advice=advice
            )
        fast = self.format == "fast-cnp"
        return congestion_notification(frame, packet, source=self.ipv6_address, fast=fast, advice=advice)

    def _check_domain(self, source: Address) -> None:
        """Raises NotEligibleError for a source that may not be quenched."""
        is_inside = _holds(self.domain, source) if self.domain else source.version == 4
        if not is_inside:
            raise NotEligibleError(Ineligible.OUTSIDE_DOMAIN)


def _holds(domain: Iterable[Prefix], address: Address) -> bool:
    return any(address.version == prefix.version and address in prefix for prefix in domain)

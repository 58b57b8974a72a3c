# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The part of the configuration file about source quenches."""

from ipaddress import IPv4Address, IPv6Address
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from quench.config.fields import AgeField, ConfigModel, PrefixField
from quench.isq import IsqFormat, Limiter, Origin, RateLimit
from quench.profiles.settings import fault_at

MAX_DOMAIN_PREFIXES = 64
"""Most prefixes of the domain of source quenches, as in the P4 program."""
IsqMode = Literal["cpu", "dataplane", "off"]
"""The sender of source quenches: the controller, the switch itself, or none."""


def _yaml_off(value: object) -> object:
    """YAML 1.1 reads an ``off`` without quotes as false."""
    return "off" if value is False else value


class LimitConfig(ConfigModel):
    """A token bucket that limits the controller's source quenches."""

    rate: float = Field(gt=0)
    """Messages per second in the long run."""
    burst: int = Field(default=10, ge=1)
    """Most messages at once."""

    def to_limit(self) -> RateLimit:
        """The limit in the form that the limiter takes."""
        return RateLimit(self.rate, self.burst)


class MeterConfig(ConfigModel):
    """The switch's own meter, which limits the source quenches that it sends itself."""

    rate: int = Field(ge=1, le=1_000_000)
    """Messages per second in the long run."""
    burst: int = Field(default=100, ge=1, le=1_000_000)
    """Most messages at once."""


class IsqConfig(ConfigModel):
    """The sender of source quenches (ISQs), and their limits (RFC 1812 section 4.3.2.8)."""

    mode: Annotated[IsqMode, BeforeValidator(_yaml_off)] = "cpu"
    """The sender: ``cpu``: the controller; ``dataplane``: the switch itself; ``off``: none."""
    per_queue: MeterConfig | None = MeterConfig(rate=1000, burst=100)
    """The limit of the ISQs about one queue, with ``dataplane``; null: no limit."""
    per_source: LimitConfig | None = LimitConfig(rate=1000, burst=100)
    """The limit of the ISQs to one host, with ``cpu``; null: no limit."""
    total: LimitConfig | None = LimitConfig(rate=10000, burst=1000)
    """The limit of all ISQs about one switch, with ``cpu``; null: no limit."""
    format: IsqFormat = "icmp"
    """The form about data packets of RoCEv2: ``icmp``, ``cnp``, or ``fast-cnp``, which is for IPv6 and leaves IPv4 the
    plain CNP. Both CNPs need ``domain``. So does ICMPv6, which only switches with a
    ``router_ipv6_address`` send."""
    domain: Annotated[tuple[PrefixField, ...], Field(max_length=MAX_DOMAIN_PREFIXES)] = ()
    """The prefixes of hosts and switches between which there are source quenches: no packet from elsewhere causes one,
    and the switches drop those from elsewhere. None: all of IPv4, with ICMP, and nothing about IPv6."""
    sender_support: Literal["unknown", "known"] = "unknown"
    """``known``: all senders of the domain understand a Fast CNP, and get it in place of a mark; ``unknown``: both."""

    @model_validator(mode="after")
    def _formats(self) -> Self:
        if self.format != "icmp" and not self.domain:
            raise fault_at(f"{self.format!r} needs isq.domain: the prefixes of the hosts and switches", "format")
        if self.format == "fast-cnp" and all(prefix.version == 4 for prefix in self.domain):
            raise fault_at("a Fast CNP is for IPv6: give isq.domain a prefix of IPv6, or take 'cnp'", "format")
        if self.sender_support == "known" and self.format != "fast-cnp":
            raise fault_at("'known' is for the format 'fast-cnp': leave it out", "sender_support")
        for index, prefix in enumerate(self.domain):
            if prefix.is_multicast:
                raise fault_at(f"{prefix} is multicast: give prefixes of hosts and switches", "domain", index)
        if len(set(self.domain)) < len(self.domain):
            raise fault_at("a prefix is given twice", "domain")
        return self

    def origin(self, address: IPv4Address, ipv6_address: IPv6Address | None = None) -> Origin:
        """The maker of a switch's source quenches, which come from these addresses."""
        return Origin(address, ipv6_address, self.format, self.domain)

    def limiter(self, seed: bytes | None = None) -> Limiter:
        """The limits of what the controller sends about one switch."""
        per_source = self.per_source.to_limit() if self.per_source else None
        return Limiter(per_source, self.total.to_limit() if self.total else None, seed)


class ControllerIsqConfig(IsqConfig):
    """Source quenches of a controller that runs in real time."""

    max_age: AgeField | None = 0.2
    """Greatest age of a packet-in that is answered, about a round trip: later the mark has reached the source, or its
    retransmission timer has run out. Null: no limit."""

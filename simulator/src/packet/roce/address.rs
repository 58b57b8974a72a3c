// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The IPv6 addresses of hosts: each is made of the host's IPv4 address, so that a scenario names one address a host.

use super::super::types::IpVersion;

/// The unique-local prefix (RFC 4193) of all hosts; the last 32 bits are the IPv4 address.
pub const IPV6_PREFIX: &str = "fd51:7565:6e63:6800::/96";
const PREFIX: [u8; 12] = [0xfd, 0x51, 0x75, 0x65, 0x6e, 0x63, 0x68, 0, 0, 0, 0, 0];
/// IPv4 addresses in the form of IPv6 (RFC 4291 section 2.5.5.2).
const MAPPED: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

pub(super) fn ipv6_of(address: u32) -> [u8; 16] {
    with_prefix(PREFIX, address)
}

/// The host's IPv4 address; none of an address that is no host's.
pub(super) fn host_of(ipv6: &[u8]) -> Option<u32> {
    behind(PREFIX, ipv6)
}

/// The host that a switch's notification names as the destination of the packet that it is about. That of an IPv4 packet
/// is mapped.
pub(super) fn original_of(version: IpVersion, ipv6: &[u8]) -> Option<u32> {
    match version {
        IpVersion::V4 => behind(MAPPED, ipv6),
        IpVersion::V6 => host_of(ipv6),
    }
}

/// A host as [`original_of`] reads it.
pub(super) fn original_as(version: IpVersion, address: u32) -> [u8; 16] {
    match version {
        IpVersion::V4 => with_prefix(MAPPED, address),
        IpVersion::V6 => ipv6_of(address),
    }
}

fn with_prefix(prefix: [u8; 12], address: u32) -> [u8; 16] {
    let mut ipv6 = [0; 16];
    ipv6[..12].copy_from_slice(&prefix);
    ipv6[12..].copy_from_slice(&address.to_be_bytes());
    ipv6
}

fn behind(prefix: [u8; 12], ipv6: &[u8]) -> Option<u32> {
    let rest = ipv6.strip_prefix(&prefix)?;
    Some(u32::from_be_bytes(rest.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use super::*;

    #[test]
    fn the_prefix_is_the_one_that_is_declared() {
        let (network, length) = IPV6_PREFIX.split_once('/').expect("a length");
        let network: Ipv6Addr = network.parse().expect("an address");
        assert_eq!((network.octets(), length), (ipv6_of(0), "96"));
        assert_eq!(host_of(&ipv6_of(0x0a00_0201)), Some(0x0a00_0201));
    }

    #[test]
    fn addresses_of_no_host_are_none() {
        let mut other = ipv6_of(0x0a00_0201);
        other[11] = 1;
        assert_eq!(host_of(&other), None);
        assert_eq!(host_of(&ipv6_of(1)[..15]), None);
        let mapped: Ipv6Addr = "::ffff:10.0.2.1".parse().expect("an address");
        assert_eq!(
            original_of(IpVersion::V4, &mapped.octets()),
            Some(0x0a00_0201)
        );
        assert_eq!(original_of(IpVersion::V6, &mapped.octets()), None);
        assert_eq!(original_of(IpVersion::V4, &ipv6_of(1)), None);
    }
}

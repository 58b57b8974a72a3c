// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A switch's notifications as frames, byte by byte as the routers' programs make them: for tests of hosts without such a
//! program, and for fuzzers.

use quench_dataplane::PacketBytes;

use super::super::layout::*;
use super::super::types::IpVersion;
use super::super::write::{put_ethernet, put_u32};
use super::address::{ipv6_of, original_as};
use super::icrc::icrc;
use super::types::*;

/// PadN of four bytes, and the option of 16 bytes.
const FAST_CNP_OPTIONS: [u8; 8] = [PROTOCOL_UDP, 2, 1, 2, 0, 0, 0x1e, 16];
const TTL: u8 = 255;

/// Replaces the content of `frame` by a switch's CNP, or with `fast` by a Fast CNP, which only IPv6 has. The switch has this
/// IPv4 address, and the IPv6 address `2001:db8::` with it.
pub fn write_switch_cnp(frame: &mut PacketBytes, cnp: &SwitchCnp, switch: u32, fast: bool) {
    let mut ip = match cnp.version {
        IpVersion::V4 => {
            let mut ip = vec![0x45, 48 << 2, 0, 60, 0, 0, 0x40, 0, TTL, PROTOCOL_UDP, 0, 0];
            ip.extend(switch.to_be_bytes());
            ip.extend(cnp.local.address.to_be_bytes());
            let sum = super::super::checksum::Sum::default().bytes(&ip);
            ip[10..12].copy_from_slice(&sum.checksum().to_be_bytes());
            ip
        }
        IpVersion::V6 => {
            let (length, next) = match fast {
                true => (64, DESTINATION_OPTIONS),
                false => (40, PROTOCOL_UDP),
            };
            let mut ip = vec![0x6c, 0, 0, 0, 0, length, next, TTL];
            ip.extend([0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0]);
            ip.extend(switch.to_be_bytes());
            ip.extend(ipv6_of(cnp.local.address));
            ip
        }
    };
    let original = original_as(cnp.version, cnp.remote.address);
    if fast {
        ip.extend(FAST_CNP_OPTIONS);
        ip.extend(original);
    }
    let udp = ip.len();
    ip.resize(udp + UDP_BYTES + BTH_BYTES, 0);
    let queue_pair = match cnp.local.port {
        ROCE_PORT => cnp.remote.port,
        port => port,
    };
    put_u32(
        &mut ip,
        udp,
        u32::from(cnp.local.port) << 16 | u32::from(ROCE_PORT),
    );
    put_u32(&mut ip, udp + 4, 40 << 16);
    put_u32(&mut ip, udp + 8, u32::from(opcode::CNP) << 24 | 0xffff);
    put_u32(
        &mut ip,
        udp + 12,
        u32::from(BECN) << 24 | u32::from(queue_pair),
    );
    put_u32(&mut ip, udp + 16, cnp.advice.bits().into());
    ip.extend(if fast { [0; CNP_BYTES] } else { original });
    let crc = icrc(&ip, udp);
    ip.extend(crc);
    frame.reset(ETHERNET_BYTES, 0);
    let ether_type = match cnp.version {
        IpVersion::V4 => ETHERTYPE_IPV4,
        IpVersion::V6 => ETHERTYPE_IPV6,
    };
    put_ethernet(frame.real_mut(), switch, cnp.local.address, ether_type);
    frame.append_slice(&ip);
}

// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The invariant CRC of RoCEv2 (InfiniBand Architecture, Annex A17.3.3): a CRC-32 over all that no router changes.
//!
//! Fields that routers change are covered as ones: the octet of DSCP and ECN, time to live, checksums, IPv6's flow label,
//! and the BTH's byte of FECN and BECN. Eight bytes of ones stand for the local header that RoCEv2 does not have.

use std::borrow::Cow;

use crc32fast::Hasher;

use super::super::layout::*;
use super::types::is_send;

/// The bytes in front of UDP that are masked: the longest fixed IP header.
const MOST_IP_BYTES: usize = IPV6_BYTES;

/// The ICRC of an IP packet whose UDP header begins at `udp`, as it is on the wire. `packet` ends before the ICRC; it has
/// an IP header without options (of IPv4), UDP's and the BTH.
pub(super) fn icrc(packet: &[u8], udp: usize) -> [u8; ICRC_BYTES] {
    let mut fixed = [0xff; 8 + MOST_IP_BYTES];
    let is_v6 = packet[0] >> 4 == 6;
    let ip_bytes = if is_v6 { IPV6_BYTES } else { IP_BYTES };
    let ip = &mut fixed[8..8 + ip_bytes];
    ip.copy_from_slice(&packet[..ip_bytes]);
    if is_v6 {
        ip[0] |= 0x0f;
        ip[1..4].fill(0xff);
        ip[7] = 0xff;
    } else {
        ip[1] = 0xff;
        ip[8] = 0xff;
        ip[10..12].fill(0xff);
    }
    let mut transport = [0; UDP_BYTES + BTH_BYTES];
    transport.copy_from_slice(&packet[udp..udp + UDP_BYTES + BTH_BYTES]);
    transport[UDP_CHECKSUM..UDP_CHECKSUM + 2].fill(0xff);
    transport[UDP_BYTES + 4] = 0xff;

    let mut crc = Hasher::new();
    crc.update(&fixed[..8 + ip_bytes]);
    // Extension headers between IP and UDP.
    crc.update(&packet[ip_bytes..udp]);
    crc.update(&transport);
    crc.update(&packet[udp + UDP_BYTES + BTH_BYTES..]);
    crc.finalize().to_le_bytes()
}

/// The frame with its ICRC, where that is left out. Hosts leave it out of packets with payload, whose zeros are implied:
/// it is needed only where somebody looks at the bytes.
pub fn complete(frame: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match left_out(&frame) {
        None => frame,
        Some((end, udp)) => {
            let mut frame = frame.into_owned();
            let crc = icrc(&frame[ETHERNET_BYTES..end - ICRC_BYTES], udp);
            frame[end - ICRC_BYTES..end].copy_from_slice(&crc);
            Cow::Owned(frame)
        }
    }
}

/// The end of the packet in its frame, and the place of UDP in the packet, if the ICRC is left out.
fn left_out(frame: &[u8]) -> Option<(usize, usize)> {
    let ip = frame.get(ETHERNET_BYTES..)?;
    let (udp, packet_bytes) = match (u16_at(frame, ETHERNET_BYTES - 2), *ip.first()?) {
        (ETHERTYPE_IPV4, 0x45) if ip.len() >= IP_BYTES && ip[9] == PROTOCOL_UDP => {
            (IP_BYTES, usize::from(u16_at(ip, 2)))
        }
        (ETHERTYPE_IPV6, 0x60..=0x6f) if ip.len() >= IPV6_BYTES && ip[6] == PROTOCOL_UDP => {
            (IPV6_BYTES, IPV6_BYTES + usize::from(u16_at(ip, 4)))
        }
        _ => return None,
    };
    let packet = ip.get(..packet_bytes)?;
    // A 0 in other packets is wrong, and stays so.
    let has_payload = packet_bytes > udp + UDP_BYTES + BTH_BYTES + ICRC_BYTES
        && is_roce(&packet[udp..])
        && is_send(packet[udp + UDP_BYTES]);
    (has_payload && packet.ends_with(&[0; ICRC_BYTES]))
        .then_some((ETHERNET_BYTES + packet_bytes, udp))
}

// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Reading of RoCEv2 packets: those of a connection, and switches' notifications. What is not right is
//! none.

use super::super::advice::Advice;
use super::super::checksum::Sum;
use super::super::layout::*;
use super::super::types::{Endpoint, IpVersion};
use super::address::{host_of, original_of};
use super::icrc::icrc;
use super::types::*;

/// The destination option of a Fast CNP (draft-xiao-rtgwg-rocev2-fast-cnp), which has no number of its own yet: RFC 4727's
/// experimental one that hosts skip if they do not know it.
const OPTION_FAST_CNP: u8 = 0x1e;
const OPTION_PAD1: u8 = 0;
/// The bits of an option's type by which a host that does not know it may skip it, if they are 0 (RFC 8200 section 4.2).
const OPTION_ACTION: u8 = 0xc0;

/// A packet that is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    Packet(RocePacket),
    SwitchCnp(SwitchCnp),
}

/// An IP packet with UDP to port 4791.
struct Around<'a> {
    version: IpVersion,
    /// From IP's header on, without the zeros that are implied.
    packet: &'a [u8],
    zeros: usize,
    /// The place of UDP in it.
    udp: usize,
    /// None: the address is no host's.
    source: Option<u32>,
    destination: u32,
    class: u8,
    ttl: u8,
    /// A Fast CNP's.
    original: Option<u32>,
}

/// The bytes of a frame that have to be real so that what follows may be implied zeros; none of another packet than one of
/// IPv6 over UDP.
pub fn header_bytes(frame: &[u8], zeros: usize, udp: usize) -> Option<usize> {
    let opcode = *frame.get(udp + UDP_BYTES)?;
    // An ICRC is implied as a whole, if at all, and only behind payload.
    if zeros < ICRC_BYTES || extension_bytes(opcode) > 0 {
        return None;
    }
    Some(udp + UDP_BYTES + BTH_BYTES)
}

/// `packet` is an IPv4 packet without options, whose header has been checked.
pub fn read_v4(packet: &[u8], zeros: usize) -> Option<Found> {
    let around = Around {
        version: IpVersion::V4,
        packet,
        zeros,
        udp: IP_BYTES,
        source: Some(u32_at(packet, 12)),
        destination: u32_at(packet, 16),
        class: packet[1],
        ttl: packet[8],
        original: None,
    };
    around.read()
}

/// `ip` is what follows Ethernet's header.
#[inline(never)]
pub fn read_v6(ip: &[u8], zeros: usize) -> Option<Found> {
    find_udp(ip, zeros)?.read()
}

fn find_udp(ip: &[u8], zeros: usize) -> Option<Around<'_>> {
    let header = ip.first_chunk::<IPV6_BYTES>()?;
    let packet_bytes = IPV6_BYTES + usize::from(u16_at(header, 4));
    if header[0] >> 4 != 6 || packet_bytes > ip.len() + zeros {
        return None;
    }
    let real_bytes = packet_bytes.min(ip.len());
    let (packet, zeros) = (&ip[..real_bytes], packet_bytes - real_bytes);
    let (udp, original) = match header[6] {
        PROTOCOL_UDP => (IPV6_BYTES, None),
        DESTINATION_OPTIONS => read_options(packet)?,
        _ => return None,
    };
    is_roce(packet.get(udp..)?).then_some(Around {
        version: IpVersion::V6,
        packet,
        zeros,
        udp,
        source: host_of(&header[8..24]),
        destination: host_of(&header[24..40])?,
        class: header[0] << 4 | header[1] >> 4,
        ttl: header[7],
        original,
    })
}

/// The place of UDP behind the destination options, and the original destination that a Fast CNP names in them. None:
/// the options are not right, there is one that must not be skipped, or something else than UDP follows.
fn read_options(packet: &[u8]) -> Option<(usize, Option<u32>)> {
    let [next, length] = *packet.get(IPV6_BYTES..)?.first_chunk()?;
    let end = IPV6_BYTES + 8 * (usize::from(length) + 1);
    let mut options = packet.get(IPV6_BYTES + 2..end)?;
    let mut original = None;
    while let [kind, rest @ ..] = options {
        if *kind == OPTION_PAD1 {
            options = rest;
            continue;
        }
        let (length, rest) = rest.split_first()?;
        let (content, rest) = rest.split_at_checked((*length).into())?;
        if *kind == OPTION_FAST_CNP {
            let named = original_of(IpVersion::V6, content)?;
            if original.replace(named).is_some() {
                return None;
            }
        } else if *kind & OPTION_ACTION != 0 {
            return None;
        }
        options = rest;
    }
    (next == PROTOCOL_UDP).then_some((end, original))
}

impl Around<'_> {
    fn read(&self) -> Option<Found> {
        let transport = self.packet.get(self.udp..)?;
        let (header, rest) = transport.split_first_chunk::<{ UDP_BYTES + BTH_BYTES }>()?;
        let udp_bytes = transport.len() + self.zeros;
        if usize::from(u16_at(header, 4)) != udp_bytes || !self.checksum_right() {
            return None;
        }
        let bth = &header[UDP_BYTES..];
        let (flags, partition) = (bth[1], u16_at(bth, 2));
        if flags & 0x0f != 0 || partition & 0x7fff != 0x7fff {
            return None;
        }
        // UDP's length is at most 16 bits, so all these are small.
        let body_bytes = (rest.len() + self.zeros).checked_sub(ICRC_BYTES)?;
        let pad = usize::from(flags >> 4 & 3);
        let psn = u32_at(bth, 8) & NUMBER_MASK;
        let content = match bth[0] {
            opcode if is_send(opcode) => {
                let payload_bytes = body_bytes.checked_sub(pad)? as u32;
                let first = matches!(opcode, opcode::SEND_FIRST | opcode::SEND_ONLY);
                let last = matches!(opcode, opcode::SEND_LAST | opcode::SEND_ONLY);
                if body_bytes % 4 != 0 || (payload_bytes == 0 && !last) {
                    return None;
                }
                RoceContent::Data {
                    psn,
                    first,
                    last,
                    payload_bytes,
                }
            }
            opcode::ACKNOWLEDGE if (body_bytes, pad) == (AETH_BYTES, 0) => {
                let word = u32_at(rest.first_chunk::<AETH_BYTES>()?, 0);
                let msn = word & NUMBER_MASK;
                match (word >> 24) as u8 {
                    0..=SYNDROME_ACK => RoceContent::Ack { psn, msn },
                    SYNDROME_NAK => RoceContent::Nak { psn, msn },
                    _ => return None,
                }
            }
            opcode::CNP if (body_bytes, pad) == (CNP_BYTES, 0) && bth[4] & BECN != 0 => {
                RoceContent::Cnp
            }
            _ => return None,
        };
        if !self.icrc_right(rest, &content) {
            return None;
        }
        let (local, remote) = ports(u16_at(header, 0), u32_at(bth, 4) & NUMBER_MASK)?;
        if content == RoceContent::Cnp {
            // A PSN of more bits than advice is a number that another vendor may write.
            let advice = u16::try_from(psn).map_or(Advice::None, Advice::from_bits);
            return self.notification(rest.first_chunk::<CNP_BYTES>()?, local, remote, advice);
        }
        // A Fast CNP's option says nothing about another packet.
        if self.original.is_some() {
            return None;
        }
        self.packet_of(content, local, remote)
    }

    /// `source` and `destination` are ports.
    fn packet_of(&self, content: RoceContent, source: u16, destination: u16) -> Option<Found> {
        Some(Found::Packet(RocePacket {
            version: self.version,
            source: Endpoint {
                address: self.source?,
                port: source,
            },
            destination: Endpoint {
                address: self.destination,
                port: destination,
            },
            content,
            ecn: self.class & 3,
            dscp: self.class >> 2,
            hops: IP_TTL.saturating_sub(self.ttl),
        }))
    }

    /// The peer's CNP, or a switch's. A switch copies the ports of the packet that it is about, so it names the flow as its
    /// sender does: the source port is the host's own.
    fn notification(
        &self,
        reserved: &[u8; CNP_BYTES],
        source: u16,
        destination: u16,
        advice: Advice,
    ) -> Option<Found> {
        let is_zero = *reserved == [0; CNP_BYTES];
        let original = match self.original {
            None if is_zero => return self.packet_of(RoceContent::Cnp, source, destination),
            None => original_of(self.version, reserved)?,
            Some(original) => is_zero.then_some(original)?,
        };
        Some(Found::SwitchCnp(SwitchCnp {
            version: self.version,
            local: Endpoint {
                address: self.destination,
                port: source,
            },
            remote: Endpoint {
                address: original,
                port: destination,
            },
            advice,
        }))
    }

    /// UDP's checksum is 0, as RoCEv2 sends it, or right.
    fn checksum_right(&self) -> bool {
        let udp = &self.packet[self.udp..];
        if u16_at(udp, UDP_CHECKSUM) == 0 {
            return true;
        }
        let addresses = match self.version {
            IpVersion::V4 => &self.packet[12..20],
            IpVersion::V6 => &self.packet[8..40],
        };
        Sum::default()
            .bytes(addresses)
            .double_word((udp.len() + self.zeros) as u32)
            .word(PROTOCOL_UDP.into())
            .bytes(udp)
            .is_right()
    }

    /// The ICRC, which is behind all of `rest`, is right. That of a packet with payload may be left out.
    fn icrc_right(&self, rest: &[u8], content: &RoceContent) -> bool {
        let may_miss =
            matches!(content, RoceContent::Data { payload_bytes, .. } if *payload_bytes > 0);
        if self.zeros > 0 {
            // Only an ICRC that is implied as a whole gets here: the caller has made all else real.
            return may_miss && self.zeros >= ICRC_BYTES;
        }
        let Some((_, crc)) = rest.split_last_chunk::<ICRC_BYTES>() else {
            return false;
        };
        let covered = &self.packet[..self.packet.len() - ICRC_BYTES];
        (may_miss && *crc == [0; ICRC_BYTES]) || icrc(covered, self.udp) == *crc
    }
}

/// The ports of sender and receiver, by UDP's source port and the queue pair.
pub(super) fn ports(source: u16, queue_pair: u32) -> Option<(u16, u16)> {
    let queue_pair = u16::try_from(queue_pair).ok()?;
    match source {
        ROCE_PORT if queue_pair != ROCE_PORT => Some((ROCE_PORT, queue_pair)),
        ROCE_PORT => None,
        port => (port == queue_pair).then_some((port, ROCE_PORT)),
    }
}

// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Counts of the packets that cross a direction of a link, by kind.

use quench_dataplane::PacketBytes;
use serde::Serialize;

use crate::packet::layout::{
    counted_bytes, traffic_class, u16_at, ETHERNET_BYTES, ETHERTYPE_IPV4, ETHERTYPE_IPV6,
    ICMPV6_SOURCE_QUENCH, ICMP_SOURCE_QUENCH, IPV6_BYTES, IP_BYTES, PROTOCOL_ICMP, PROTOCOL_ICMPV6,
    PROTOCOL_TCP, PROTOCOL_UDP,
};
use crate::packet::roce::{self, Sort};
use crate::packet::{csig, ecn, Formats, HeaderBits};

/// Packets and bits that arrived at the far end. Source quenches and other signals count as what they are, too: ICMP, or
/// segments without payload. Packets of RoCEv2 count as segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Crossing {
    /// Segments with payload, whatever their transport.
    pub data_pkts: u64,
    pub data_bits: u64,
    /// Segments without.
    pub ack_pkts: u64,
    pub ack_bits: u64,
    pub udp_pkts: u64,
    pub udp_bits: u64,
    pub icmp_pkts: u64,
    pub icmp_bits: u64,
    /// Source quenches.
    pub isq_pkts: u64,
    /// Packets that are nothing but a router's signal to a source: source quenches, those that a transport's own header
    /// has a mark for, and CNPs of RoCEv2 that name an original destination.
    pub signal_pkts: u64,
    pub signal_bits: u64,
    /// IP packets that carry a mark: the first level of Multilevel ECN (ECT(1)), and CE.
    pub ect1_pkts: u64,
    pub ce_pkts: u64,
    pub other_pkts: u64,
    pub other_bits: u64,
}

impl Crossing {
    pub fn count(&mut self, frame: &PacketBytes, formats: &Formats) {
        let bits = u64::from(counted_bytes(frame.len())) * 8;
        let untagged = csig::tag_form(frame).and_then(|form| csig::untagged(frame, form));
        let frame = untagged.as_ref().map_or(frame, |(_, rest)| rest);
        let (pkts, sum) = match kind(frame, formats) {
            Kind::Data => (&mut self.data_pkts, &mut self.data_bits),
            Kind::Ack => (&mut self.ack_pkts, &mut self.ack_bits),
            Kind::Udp => (&mut self.udp_pkts, &mut self.udp_bits),
            Kind::SourceQuench => {
                self.isq_pkts += 1;
                self.count_signal(bits);
                (&mut self.icmp_pkts, &mut self.icmp_bits)
            }
            Kind::Signal => {
                self.count_signal(bits);
                (&mut self.ack_pkts, &mut self.ack_bits)
            }
            Kind::Icmp => (&mut self.icmp_pkts, &mut self.icmp_bits),
            Kind::Other => (&mut self.other_pkts, &mut self.other_bits),
        };
        *pkts += 1;
        *sum += bits;
        match frame.array(0).map(|start| traffic_class(&start) & 3) {
            Some(ecn::ECT1) => self.ect1_pkts += 1,
            Some(ecn::CE) => self.ce_pkts += 1,
            _ => {}
        }
    }

    fn count_signal(&mut self, bits: u64) {
        self.signal_pkts += 1;
        self.signal_bits += bits;
    }
}

enum Kind {
    Data,
    Ack,
    /// A segment without payload that its header marks as a router's.
    Signal,
    Udp,
    SourceQuench,
    Icmp,
    Other,
}

fn kind(frame: &PacketBytes, formats: &Formats) -> Kind {
    let Some(header) = frame.array::<{ ETHERNET_BYTES + IP_BYTES }>(0) else {
        return Kind::Other;
    };
    if u16_at(&header, ETHERNET_BYTES - 2) != ETHERTYPE_IPV4 {
        return of_ipv6(frame, &header);
    }
    let transport = ETHERNET_BYTES + usize::from(header[ETHERNET_BYTES] & 0xf) * 4;
    match header[ETHERNET_BYTES + 9] {
        PROTOCOL_TCP => match frame.array(transport + 12) {
            Some([byte]) if frame.len() - transport > usize::from(byte >> 4) * 4 => Kind::Data,
            Some(_) => Kind::Ack,
            None if frame.len() >= transport => Kind::Ack,
            None => Kind::Other,
        },
        PROTOCOL_UDP => of_roce(frame, Kind::Udp),
        PROTOCOL_ICMP if frame.array(transport) == Some([ICMP_SOURCE_QUENCH]) => Kind::SourceQuench,
        PROTOCOL_ICMP => Kind::Icmp,
        protocol => match formats.header_bytes(protocol) {
            Some(bytes) if frame.len() > transport + bytes => Kind::Data,
            Some(_) => {
                let HeaderBits { byte, mask } = formats.signal(protocol);
                match frame.array(transport + usize::from(byte)) {
                    Some([bits]) if bits & mask != 0 => Kind::Signal,
                    _ => Kind::Ack,
                }
            }
            None => Kind::Other,
        },
    }
}

fn of_ipv6(frame: &PacketBytes, header: &[u8]) -> Kind {
    let is_ipv6 = u16_at(header, ETHERNET_BYTES - 2) == ETHERTYPE_IPV6;
    if !is_ipv6 || header[ETHERNET_BYTES + 6] != PROTOCOL_ICMPV6 {
        return of_roce(frame, Kind::Other);
    }
    match frame.array(ETHERNET_BYTES + IPV6_BYTES) {
        Some([ICMPV6_SOURCE_QUENCH]) => Kind::SourceQuench,
        _ => Kind::Icmp,
    }
}

/// The kind of a packet of RoCEv2; of another, what it is otherwise.
#[inline(never)]
fn of_roce(frame: &PacketBytes, otherwise: Kind) -> Kind {
    match roce::sort(frame) {
        Some(Sort::Data) => Kind::Data,
        Some(Sort::Answer) => Kind::Ack,
        Some(Sort::Signal) => Kind::Signal,
        None => otherwise,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::HeaderFormat;

    fn frame(protocol: u8, rest: &[u8]) -> Vec<u8> {
        let mut frame = vec![0; ETHERNET_BYTES + IP_BYTES];
        frame[12] = 8;
        frame[ETHERNET_BYTES] = 0x45;
        frame[ETHERNET_BYTES + 9] = protocol;
        frame.extend_from_slice(rest);
        frame
    }

    const OWN: u8 = 200;

    fn own() -> Formats {
        Formats::of([HeaderFormat {
            protocol: OWN,
            bytes: 12,
            signal: Some(HeaderBits { byte: 9, mask: 8 }),
        }])
    }

    #[test]
    fn a_header_of_ones_own_counts_as_data_if_there_is_payload_behind_it() {
        let mut crossing = Crossing::default();
        crossing.count(&frame(OWN, &[0; 12]).into(), &own());
        crossing.count(&frame(OWN, &[0; 13]).into(), &own());
        crossing.count(&PacketBytes::new(frame(OWN, &[0; 12]), 88), &own());
        crossing.count(&frame(OWN + 1, &[0; 13]).into(), &own());
        assert_eq!(
            (crossing.data_pkts, crossing.data_bits),
            (2, 8 * (33 + 120))
        );
        assert_eq!((crossing.ack_pkts, crossing.ack_bits), (1, 8 * 32));
        assert_eq!(crossing.other_pkts, 1);
    }

    #[test]
    fn a_signal_is_known_by_the_bits_that_its_header_has_for_it() {
        let mut header = [0xff; 13];
        let mut crossing = Crossing::default();
        crossing.count(&frame(OWN, &header[..12]).into(), &own());
        crossing.count(&frame(OWN, &header).into(), &own());
        crossing.count(&frame(OWN, &header[..12]).into(), &Formats::default());
        header[9] = !8;
        crossing.count(&frame(OWN, &header[..12]).into(), &own());
        let expected = Crossing {
            data_pkts: 1,
            data_bits: 8 * 33,
            ack_pkts: 2,
            ack_bits: 8 * 64,
            signal_pkts: 1,
            signal_bits: 8 * 32,
            other_pkts: 1,
            other_bits: 8 * 32,
            ..Crossing::default()
        };
        assert_eq!(crossing, expected);
    }

    #[test]
    fn packets_count_by_kind_with_the_bits_of_ip() {
        let mut segment = [0; 24];
        segment[12] = 6 << 4;
        let mut crossing = Crossing::default();
        crossing.count(&frame(PROTOCOL_TCP, &segment).into(), &Formats::default());
        crossing.count(
            &PacketBytes::new(frame(PROTOCOL_TCP, &segment), 960),
            &Formats::default(),
        );
        crossing.count(&frame(PROTOCOL_UDP, &[0; 8]).into(), &Formats::default());
        crossing.count(
            &frame(PROTOCOL_ICMP, &[4, 0, 0, 0]).into(),
            &Formats::default(),
        );
        crossing.count(&frame(PROTOCOL_ICMP, &[8, 0]).into(), &Formats::default());
        crossing.count(&vec![0; 20].into(), &Formats::default());
        let expected = Crossing {
            data_pkts: 1,
            data_bits: 8 * 1004,
            ack_pkts: 1,
            ack_bits: 8 * 44,
            udp_pkts: 1,
            udp_bits: 8 * 28,
            icmp_pkts: 2,
            icmp_bits: 8 * (24 + 22),
            isq_pkts: 1,
            signal_pkts: 1,
            signal_bits: 8 * 24,
            other_pkts: 1,
            other_bits: 8 * 6,
            ..Crossing::default()
        };
        assert_eq!(crossing, expected);
    }

    #[test]
    fn marks_count_by_their_level() {
        let mut crossing = Crossing::default();
        for tos in [0, 1, 1, 2, 3, 0b1011_1011] {
            let mut marked = frame(PROTOCOL_UDP, &[0; 8]);
            marked[ETHERNET_BYTES + 1] = tos;
            crossing.count(&marked.into(), &Formats::default());
        }
        assert_eq!(
            (crossing.ect1_pkts, crossing.ce_pkts, crossing.udp_pkts),
            (2, 2, 6)
        );
    }

    #[test]
    fn implied_zeros_count_as_real_ones() {
        let formats = own();
        for protocol in [PROTOCOL_TCP, PROTOCOL_UDP, PROTOCOL_ICMP, OWN] {
            let mut whole = frame(protocol, &[0; 20]);
            for length in (0..whole.len()).rev() {
                whole[length..].fill(0);
                let (mut real, mut implied) = (Crossing::default(), Crossing::default());
                real.count(&whole.clone().into(), &formats);
                let zeros = whole.len() - length;
                implied.count(&PacketBytes::new(whole[..length].to_vec(), zeros), &formats);
                assert_eq!(implied, real);
            }
        }
    }

    #[test]
    fn a_truncated_frame_is_counted_once() {
        for length in 0..60 {
            let mut whole = frame(PROTOCOL_TCP, &[0xff; 40]);
            whole.truncate(length);
            let mut crossing = Crossing::default();
            crossing.count(&whole.into(), &Formats::default());
            assert_eq!(
                crossing.other_pkts + crossing.ack_pkts + crossing.data_pkts,
                1
            );
        }
    }
}

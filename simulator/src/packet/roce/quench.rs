// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The source quench of ICMPv6 about RoCEv2, an error for experiments (RFC 4443 section 2.1) that quotes the headers as far as
//! the BTH: reading and checking.

use super::super::checksum::Sum;
use super::super::layout::*;
use super::super::quench::{signal_of, Quote, Refusal, SourceQuench};
use super::super::types::{Carrier, Endpoint, IpVersion};
use super::address::host_of;
use super::read::ports;
use super::types::NUMBER_MASK;

/// RFC 4443 section 2.4 (c): an error fits into the least MTU.
const MAX_ICMPV6_BYTES: usize = 1280 - IPV6_BYTES;
const LEAST_BYTES: usize = ICMP_BYTES + IPV6_BYTES + UDP_BYTES + BTH_BYTES;

/// None: it is no source quench, or its destination is no host. `ip` is what follows Ethernet's header, all of it real.
pub fn read_icmpv6(ip: &[u8]) -> Option<SourceQuench> {
    let (header, rest) = ip.split_first_chunk::<IPV6_BYTES>()?;
    if header[0] >> 4 != 6 || header[6] != PROTOCOL_ICMPV6 || *rest.first()? != ICMPV6_SOURCE_QUENCH
    {
        return None;
    }
    let destination = host_of(&header[24..40])?;
    let icmp = rest.get(..usize::from(u16_at(header, 4)));
    let (marked, level, advice) = signal_of(icmp.unwrap_or_default());
    Some(SourceQuench {
        destination,
        marked,
        level,
        advice,
        quote: icmp
            .ok_or(Refusal::Truncated)
            .and_then(|icmp| check(&header[8..40], icmp, destination)),
    })
}

/// The checks that need no connection.
fn check(addresses: &[u8], icmp: &[u8], destination: u32) -> Result<Quote, Refusal> {
    if icmp.len() > MAX_ICMPV6_BYTES {
        return Err(Refusal::TooLong);
    }
    if icmp.len() < LEAST_BYTES {
        return Err(Refusal::Truncated);
    }
    let sum = Sum::default()
        .bytes(addresses)
        .double_word(icmp.len() as u32)
        .word(PROTOCOL_ICMPV6.into())
        .bytes(icmp);
    if !sum.is_right() {
        return Err(Refusal::BadChecksum);
    }
    if icmp[1] != 0 {
        return Err(Refusal::BadCode);
    }
    let (quoted, transport) = icmp[ICMP_BYTES..].split_at(IPV6_BYTES);
    if quoted[0] >> 4 != 6 {
        return Err(Refusal::BadQuote);
    }
    if quoted[6] != PROTOCOL_UDP || !is_roce(transport) {
        return Err(Refusal::NotTcp);
    }
    if host_of(&quoted[8..24]) != Some(destination) {
        return Err(Refusal::WrongSource);
    }
    let queue_pair = u32_at(transport, UDP_BYTES + 4) & NUMBER_MASK;
    let (source, remote) = ports(u16_at(transport, 0), queue_pair).ok_or(Refusal::NoSocket)?;
    Ok(Quote {
        source: Endpoint {
            address: destination,
            port: source,
        },
        destination: Endpoint {
            address: host_of(&quoted[24..40]).ok_or(Refusal::NoSocket)?,
            port: remote,
        },
        carrier: Carrier::Roce(IpVersion::V6),
        seq: 0,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quench_dataplane::PacketBytes;

    use super::super::tests::{frame_of, packet};
    use super::super::RoceContent;
    use super::*;
    use crate::packet::{read, Advice, Formats, Received};

    const ICMP_AT: usize = ETHERNET_BYTES + IPV6_BYTES;

    /// The source quench about a packet of data, as a switch writes it.
    fn frame() -> Vec<u8> {
        let content = RoceContent::Data {
            psn: 7,
            first: true,
            last: true,
            payload_bytes: 1000,
        };
        let data = frame_of(&packet(IpVersion::V6, content)).into_vec();
        let mut frame = data[..ICMP_AT].to_vec();
        frame[18..20].copy_from_slice(&(LEAST_BYTES as u16).to_be_bytes());
        frame[20] = PROTOCOL_ICMPV6;
        frame.copy_within(22..38, 38);
        frame.extend([ICMPV6_SOURCE_QUENCH, 0, 0, 0, 0x85, 0, 0x80, 50]);
        frame.extend(&data[ETHERNET_BYTES..][..LEAST_BYTES - ICMP_BYTES]);
        with_checksum(frame)
    }

    fn with_checksum(mut frame: Vec<u8>) -> Vec<u8> {
        frame[ICMP_AT + 2..][..2].fill(0);
        let length = frame.len() - ICMP_AT;
        let sum = Sum::default()
            .bytes(&frame[22..54])
            .double_word(length as u32)
            .word(PROTOCOL_ICMPV6.into())
            .bytes(&frame[ICMP_AT..]);
        frame[ICMP_AT + 2..][..2].copy_from_slice(&sum.checksum().to_be_bytes());
        frame
    }

    fn quench(frame: Vec<u8>) -> SourceQuench {
        match read(&frame.into(), &Formats::default()) {
            Received::SourceQuench(quench) => quench,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn it_has_the_flow_the_level_and_the_advice() {
        let found = quench(frame());
        assert_eq!((found.marked, found.level), (true, 5));
        assert_eq!(found.advice, Advice::Pause(50));
        let sent = packet(IpVersion::V6, RoceContent::Cnp);
        let quote = found.quote.expect("it is right");
        assert_eq!(
            (quote.source, quote.destination),
            (sent.source, sent.destination)
        );
        assert_eq!(quote.carrier, Carrier::Roce(IpVersion::V6));
    }

    #[test]
    fn each_fault_has_its_refusal() {
        let quoted = ICMP_AT + ICMP_BYTES;
        for (at, byte, refusal) in [
            (ICMP_AT + 1, 1, Refusal::BadCode),
            (quoted, 0x45, Refusal::BadQuote),
            (quoted + 6, PROTOCOL_TCP, Refusal::NotTcp),
            (quoted + IPV6_BYTES + 3, 1, Refusal::NotTcp),
            (quoted + 23, 99, Refusal::WrongSource),
            (quoted + 24, 0x20, Refusal::NoSocket),
            (quoted + IPV6_BYTES + UDP_BYTES + 5, 1, Refusal::NoSocket),
        ] {
            let mut wrong = frame();
            wrong[at] = byte;
            assert_eq!(quench(with_checksum(wrong)).quote, Err(refusal), "{at}");
        }
        let mut wrong = frame();
        wrong[ICMP_AT + 7] ^= 1;
        assert_eq!(quench(wrong).quote, Err(Refusal::BadChecksum));
        let short = frame()[..quoted + 30].to_vec();
        assert_eq!(quench(short).quote, Err(Refusal::Truncated));
        let mut long = frame();
        long.resize(ICMP_AT + MAX_ICMPV6_BYTES + 1, 0);
        let payload_bytes = (long.len() - ICMP_AT) as u16;
        long[18..20].copy_from_slice(&payload_bytes.to_be_bytes());
        assert_eq!(quench(long).quote, Err(Refusal::TooLong));
    }

    proptest! {
        #[test]
        fn a_frame_that_is_cut_or_changed_is_read_without_harm(at in 0..ICMP_AT + LEAST_BYTES, byte: u8, cut: bool) {
            let mut changed = frame();
            match cut {
                true => changed.truncate(at),
                false => changed[at] = byte,
            }
            let is_same = changed == frame();
            let found = read(&PacketBytes::from(changed), &Formats::default());
            let is_right = matches!(found, Received::SourceQuench(SourceQuench { quote: Ok(_), .. }));
            prop_assert!(!is_right || is_same || at < ICMP_AT);
        }
    }
}

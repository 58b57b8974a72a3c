// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The frames of the bench: Ethernet, IPv4 with ECT(0), UDP to the discard port, a mark, a flow and a number.

use std::net::Ipv4Addr;
use std::num::ParseIntError;
use std::str::FromStr;

const IP_AT: usize = 14;
const UDP_AT: usize = IP_AT + 20;
const MARK_AT: usize = UDP_AT + 8;
const MARK: [u8; 8] = *b"QUENCHBW";
const NUMBER_AT: usize = MARK_AT + MARK.len();
/// The shortest frame that has room for all of it.
pub const MIN_BYTES: usize = NUMBER_AT + 8;
/// A frame of the usual MTU, and room for a VLAN's tag.
pub const MAX_BYTES: usize = 1518;
pub const MAX_FLOWS: u16 = 4096;
const FIRST_PORT: u16 = 10_000;
const DISCARD_PORT: u16 = 9;
const ECT_0: u8 = 2;
const UDP: u8 = 17;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mac(pub [u8; 6]);

impl FromStr for Mac {
    type Err = ParseIntError;

    /// Octets that are missing are 0.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut octets = [0; 6];
        for (octet, digits) in octets.iter_mut().zip(text.split(':')) {
            *octet = u8::from_str_radix(digits, 16)?;
        }
        Ok(Self(octets))
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Ends {
    pub source_mac: Mac,
    pub destination_mac: Mac,
    pub source: Ipv4Addr,
    pub destination: Ipv4Addr,
}

/// Fill a frame of `MIN_BYTES` to `MAX_BYTES`. UDP's checksum is 0, which stands for none.
pub fn build(frame: &mut [u8], ends: &Ends) {
    let ip_bytes = frame.len() - IP_AT;
    frame.fill(0);
    frame[..6].copy_from_slice(&ends.destination_mac.0);
    frame[6..12].copy_from_slice(&ends.source_mac.0);
    put(frame, 12, libc::ETH_P_IP as u16);
    frame[IP_AT] = 0x45;
    frame[IP_AT + 1] = ECT_0;
    put(frame, IP_AT + 2, ip_bytes as u16);
    frame[IP_AT + 8] = 64;
    frame[IP_AT + 9] = UDP;
    frame[IP_AT + 12..IP_AT + 16].copy_from_slice(&ends.source.octets());
    frame[IP_AT + 16..UDP_AT].copy_from_slice(&ends.destination.octets());
    let checksum = checksum(&frame[IP_AT..UDP_AT]);
    put(frame, IP_AT + 10, checksum);
    put(frame, UDP_AT + 2, DISCARD_PORT);
    put(frame, UDP_AT + 4, (ip_bytes - 20) as u16);
    frame[MARK_AT..NUMBER_AT].copy_from_slice(&MARK);
}

/// Make it a packet of a flow, with its number.
pub fn number(frame: &mut [u8], flow: u16, number: u64) {
    put(frame, UDP_AT, FIRST_PORT + flow);
    frame[NUMBER_AT..MIN_BYTES].copy_from_slice(&number.to_be_bytes());
}

/// Flow and number of a frame of the bench; None: it is another's.
pub fn read(frame: &[u8]) -> Option<(u16, u64)> {
    if frame.len() < MIN_BYTES || frame[MARK_AT..NUMBER_AT] != MARK {
        return None;
    }
    let flow = u16::from_be_bytes([frame[UDP_AT], frame[UDP_AT + 1]]).checked_sub(FIRST_PORT)?;
    let number = frame[NUMBER_AT..MIN_BYTES].try_into().ok()?;
    (flow < MAX_FLOWS).then_some((flow, u64::from_be_bytes(number)))
}

fn put(frame: &mut [u8], at: usize, value: u16) {
    frame[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

/// The checksum of RFC 1071 over whole 16-bit words.
fn checksum(header: &[u8]) -> u16 {
    let mut sum: u32 = header
        .chunks_exact(2)
        .map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])))
        .sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_is_read_and_its_header_sums_to_nothing() {
        let ends = Ends {
            source_mac: Mac([2, 0, 0, 0, 1, 1]),
            destination_mac: "02:00:00:00:02:0a".parse().unwrap(),
            source: Ipv4Addr::new(10, 0, 1, 2),
            destination: Ipv4Addr::new(10, 0, 2, 2),
        };
        let mut frame = [0xff; 60];
        build(&mut frame, &ends);
        number(&mut frame, 7, 1 << 40);
        assert_eq!(read(&frame), Some((7, 1 << 40)));
        assert_eq!(frame[..6], [2, 0, 0, 0, 2, 10]);
        assert_eq!(checksum(&frame[IP_AT..UDP_AT]), 0);
        frame[MARK_AT] ^= 1;
        assert_eq!(read(&frame), None);
        assert_eq!(read(&frame[..MIN_BYTES - 1]), None);
    }
}

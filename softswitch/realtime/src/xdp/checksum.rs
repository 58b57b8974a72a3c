// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Checksums that a sender left to hardware that is not there.
//!
//! The kernel does not hand its note of it to XDP. But the sender has left the sum of the pseudo header in the field.

use crate::offload::checksum::{fold, sum};

const TAGS: [[u8; 2]; 2] = [[0x81, 0x00], [0x88, 0xa8]];
const TCP: u8 = 6;
const UDP: u8 = 17;

/// The place where the bytes begin whose checksum is unfinished, and behind that, the place of the checksum. `None`
/// where it is finished, or cannot be told: it is neither TCP's nor UDP's, or one of a packet in a tunnel.
pub fn unfinished(packet: &[u8]) -> Option<(u16, u16)> {
    let mut at = 12;
    while TAGS.iter().any(|tag| packet.get(at..at + 2) == Some(tag)) {
        at += 4;
    }
    let ip = packet.get(at + 2..)?;
    let (protocol, addresses, header_bytes, payload_bytes) = match word(packet, at)? {
        0x0800 => {
            let header_bytes = usize::from(ip.first()? & 0x0f) * 4;
            // Only the first fragment has the field, and it is not over the fragment.
            if word(ip, 6)? & 0x3fff != 0 {
                return None;
            }
            let payload_bytes = usize::from(word(ip, 2)?).checked_sub(header_bytes)?;
            (*ip.get(9)?, ip.get(12..20)?, header_bytes, payload_bytes)
        }
        0x86dd => (*ip.get(6)?, ip.get(8..40)?, 40, usize::from(word(ip, 4)?)),
        _ => return None,
    };
    let field = match protocol {
        TCP => 16,
        UDP => 6,
        _ => return None,
    };
    let found = word(ip, header_bytes + field)?;
    if protocol == UDP && found == 0 {
        return None;
    }
    let pseudo_sum = fold(sum(addresses) + u64::from(protocol) + payload_bytes as u64);
    if found != pseudo_sum {
        return None;
    }
    // A finished one has this value by chance once in 65,536 packets.
    let transport = ip.get(header_bytes..header_bytes + payload_bytes)?;
    let finished = fold(u64::from(pseudo_sum) + sum(transport)) == 0xffff;
    let start = u16::try_from(at + 2 + header_bytes).ok()?;
    (!finished).then_some((start, field as u16))
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A UDP packet of 10.0.0.1 to 10.0.0.2 with 4 bytes of payload.
    fn packet(tagged: bool, checksum: u16) -> Vec<u8> {
        let mut packet = vec![2; 12];
        if tagged {
            packet.extend([0x81, 0x00, 0x00, 0x07]);
        }
        packet.extend([0x08, 0x00, 0x45, 0, 0, 32, 0, 1, 0x40, 0, 64, UDP, 0, 0]);
        packet.extend([10, 0, 0, 1, 10, 0, 0, 2, 0, 7, 0, 9, 0, 12]);
        packet.extend(checksum.to_be_bytes());
        packet.extend([1, 2, 3, 4]);
        packet
    }

    /// Addresses, protocol and length.
    const PSEUDO: u16 = 0x0a00 + 1 + 0x0a00 + 2 + 17 + 12;

    #[test]
    fn the_sum_of_the_pseudo_header_is_no_checksum() {
        for (tagged, start) in [(false, 34), (true, 38)] {
            assert_eq!(unfinished(&packet(tagged, PSEUDO)), Some((start, 6)));
            assert_eq!(unfinished(&packet(tagged, 0x1234)), None);
            assert_eq!(unfinished(&packet(tagged, 0)), None);
        }
        let mut fragment = packet(false, PSEUDO);
        fragment[21] = 1;
        assert_eq!(unfinished(&fragment), None);
        for len in 0..packet(false, 0).len() {
            assert_eq!(unfinished(&packet(false, PSEUDO)[..len]), None);
        }
        let mut six = vec![2; 12];
        six.extend([0x86, 0xdd, 0x60, 0, 0, 0, 0, 20, TCP, 64]);
        six.extend([0; 32]);
        six.extend([0; 16]);
        six.extend([0, 26, 0, 0]);
        assert_eq!(unfinished(&six), Some((54, 16)));
    }

    #[test]
    fn a_checksum_that_is_right_is_finished_whatever_its_value() {
        // The last two bytes of the payload make up for the rest.
        let mut packet = packet(false, PSEUDO);
        let rest = fold(u64::from(PSEUDO) + sum(&packet[34..44]));
        packet[44..46].copy_from_slice(&(!rest).to_be_bytes());
        assert_eq!(unfinished(&packet), None);
        packet[45] ^= 1;
        assert_eq!(unfinished(&packet), Some((34, 6)));
    }
}

// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! RoCEv2's invariant CRC bit by bit, to compare the fast one with, and to make mutants right.

const BYTES: usize = 4;
const UDP: u8 = 17;
const DESTINATION_OPTIONS: u8 = 60;
/// UDP's header and the BTH.
const HEADERS: usize = 20;
const ROCE_PORT: [u8; 2] = 4791u16.to_be_bytes();

/// The packet without Ethernet's padding, and the place of UDP in it; none if it is not of RoCEv2.
pub fn find(ip: &[u8]) -> Option<(usize, usize)> {
    let length = |at: usize| Some(usize::from(*ip.get(at)?) << 8 | usize::from(*ip.get(at + 1)?));
    let (end, udp) = match (ip.first()? >> 4, ip.get(6)?) {
        (4, _) if *ip.get(9)? == UDP => (length(2)?, usize::from(ip[0] & 15) * 4),
        (6, &UDP) => (40 + length(4)?, 40),
        (6, &DESTINATION_OPTIONS) if *ip.get(40)? == UDP => {
            (40 + length(4)?, 48 + 8 * usize::from(*ip.get(41)?))
        }
        _ => return None,
    };
    let is_roce = ip.get(udp + 2..udp + 4)? == ROCE_PORT;
    (is_roce && end <= ip.len() && end >= udp + HEADERS + BYTES).then_some((end, udp))
}

/// The CRC of a packet that [`find`] has found.
pub fn icrc(ip: &[u8], (end, udp): (usize, usize)) -> [u8; BYTES] {
    let mut covered = ip[..end - BYTES].to_vec();
    let masked: &[(usize, u8)] = match ip[0] >> 4 {
        4 => &[(1, 0xff), (8, 0xff), (10, 0xff), (11, 0xff)],
        _ => &[(0, 0x0f), (1, 0xff), (2, 0xff), (3, 0xff), (7, 0xff)],
    };
    let of_udp = [(udp + 6, 0xff), (udp + 7, 0xff), (udp + 12, 0xff)];
    for (at, bits) in masked.iter().chain(&of_udp) {
        covered[*at] |= bits;
    }
    let mut crc = u32::MAX;
    for byte in [0xff; 8].iter().chain(&covered) {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    (!crc).to_le_bytes()
}

/// Makes the lengths of IPv6 and UDP, and the CRC, those of the frame's bytes.
pub fn make_right(ip: &mut [u8]) {
    if ip.len() < 48 || ip.len() > 0xffff {
        return;
    }
    let put = |ip: &mut [u8], at: usize, value: usize| {
        ip[at..at + 2].copy_from_slice(&(value as u16).to_be_bytes());
    };
    if ip[0] >> 4 == 6 {
        let bytes = ip.len() - 40;
        put(ip, 4, bytes);
    }
    let Some((end, udp)) = find(ip) else {
        return;
    };
    put(ip, udp + 4, end - udp);
    put(ip, udp + 6, 0);
    let crc = icrc(ip, (end, udp));
    ip[end - BYTES..end].copy_from_slice(&crc);
}

// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The header before a frame of a packet socket: `struct virtio_net_hdr` of linux/virtio_net.h, of which packet(7) has
//! the form without a count of buffers, in the machine's byte order.

use super::refusal::Refusal;

pub const VNET_HEADER_BYTES: usize = 10;

const NEEDS_CHECKSUM: u8 = 1;
const NO_GSO: u8 = 0;
const TCPV4: u8 = 1;
const TCPV6: u8 = 4;
const UDP_L4: u8 = 5;
/// CWR is set, and only the first segment is to have it.
const CWR: u8 = 0x80;

/// The packets that a frame is to be cut into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gso {
    Tcp4,
    Tcp6,
    Udp,
}

/// The work that was left undone in a frame: none, by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VnetHeader {
    pub gso: Option<Gso>,
    /// CWR is set, and only the first segment is to have it.
    pub cwr: bool,
    /// The bytes of the headers, a hint. What the kernel states is not.
    pub header_bytes: u16,
    /// The payload of each segment but the last.
    pub segment_bytes: u16,
    /// The place where the bytes begin whose checksum is not finished, and behind that, the place of the checksum.
    pub checksum: Option<(u16, u16)>,
}

impl VnetHeader {
    pub fn parse(bytes: &[u8; VNET_HEADER_BYTES]) -> Result<Self, Refusal> {
        let word = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
        let gso = match bytes[1] & !CWR {
            NO_GSO => None,
            TCPV4 => Some(Gso::Tcp4),
            TCPV6 => Some(Gso::Tcp6),
            UDP_L4 => Some(Gso::Udp),
            _ => return Err(Refusal::Kind),
        };
        let unfinished = bytes[0] & NEEDS_CHECKSUM != 0;
        Ok(Self {
            gso,
            cwr: bytes[1] & CWR != 0,
            header_bytes: word(2),
            segment_bytes: word(4),
            checksum: unfinished.then(|| (word(6), word(8))),
        })
    }

    pub fn bytes(&self) -> [u8; VNET_HEADER_BYTES] {
        let mut bytes = [0; VNET_HEADER_BYTES];
        let kind = match self.gso {
            None => NO_GSO,
            Some(Gso::Tcp4) => TCPV4,
            Some(Gso::Tcp6) => TCPV6,
            Some(Gso::Udp) => UDP_L4,
        };
        bytes[1] = kind | if self.cwr { CWR } else { 0 };
        bytes[2..4].copy_from_slice(&self.header_bytes.to_ne_bytes());
        bytes[4..6].copy_from_slice(&self.segment_bytes.to_ne_bytes());
        if let Some((start, offset)) = self.checksum {
            bytes[0] = NEEDS_CHECKSUM;
            bytes[6..8].copy_from_slice(&start.to_ne_bytes());
            bytes[8..].copy_from_slice(&offset.to_ne_bytes());
        }
        bytes
    }

    /// A VLAN tag came into the frame before the bytes of the checksum.
    pub fn shift(&mut self, tag_bytes: u16) {
        if let Some((start, _)) = &mut self.checksum {
            // One that is far beyond the frame already stays there.
            *start = start.saturating_add(tag_bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for (gso, cwr, checksum) in [
            (None, false, None),
            (None, false, Some((34, 6))),
            (Some(Gso::Tcp4), true, Some((34, 16))),
            (Some(Gso::Tcp6), false, Some((54, 16))),
            (Some(Gso::Udp), false, Some((0xffff, 0xffff))),
        ] {
            let header = VnetHeader {
                gso,
                cwr,
                header_bytes: 54,
                segment_bytes: 1448,
                checksum,
            };
            assert_eq!(VnetHeader::parse(&header.bytes()), Ok(header));
        }
        assert_eq!(VnetHeader::default().bytes(), [0; VNET_HEADER_BYTES]);
    }

    #[test]
    fn other_kinds_are_refused() {
        for kind in (0..=255).filter(|kind| ![0, 1, 4, 5].contains(&(kind & 0x7f))) {
            let bytes = [0, kind, 0, 0, 0, 0, 0, 0, 0, 0];
            assert_eq!(VnetHeader::parse(&bytes), Err(Refusal::Kind), "{kind}");
        }
    }
}

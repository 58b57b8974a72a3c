// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The time of sending of a segment, carried in its payload for the measurement of delays.
//!
//! The rest of the payload is zeros. Its first bytes are the time of sending and the same with all bits inverted:
//! each pair of words adds up to 0xffff, which is zero in the checksum's arithmetic (RFC 1071), so the checksum stays
//! right.

use quench_dataplane::PacketBytes;

use crate::time::Ns;

const TIME_BYTES: usize = 8;

/// Bytes of payload that a stamp needs.
pub const STAMP_BYTES: u32 = 2 * TIME_BYTES as u32;

/// Writes the time into the payload, the last `payload_bytes` of the frame, if there is room.
pub fn write(frame: &mut PacketBytes, payload_bytes: u32, now: Ns) {
    if payload_bytes < STAMP_BYTES {
        return;
    }
    let payload = frame.len() - payload_bytes as usize;
    frame.lengthen(payload + STAMP_BYTES as usize);
    let payload = &mut frame.real_mut()[payload..];
    payload[..TIME_BYTES].copy_from_slice(&now.to_be_bytes());
    payload[TIME_BYTES..][..TIME_BYTES].copy_from_slice(&(!now).to_be_bytes());
}

/// The time at which the segment with this payload was sent; none without a stamp.
pub fn read(frame: &PacketBytes, payload_bytes: u32) -> Option<Ns> {
    if payload_bytes < STAMP_BYTES {
        return None;
    }
    let payload = frame.len().checked_sub(payload_bytes as usize)?;
    let time = |at: usize| frame.array(at).map(Ns::from_be_bytes);
    let sent = time(payload)?;
    (time(payload + TIME_BYTES)? == !sent).then_some(sent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{self, Endpoint, Formats, Received, Segment};

    #[test]
    fn a_stamp_leaves_the_checksum_right() {
        let segment = Segment {
            source: Endpoint {
                address: 0x0a00_0101,
                port: 1024,
            },
            destination: Endpoint {
                address: 0x0a00_0201,
                port: 1025,
            },
            payload_bytes: 960,
            ..Segment::default()
        };
        let mut frame = PacketBytes::default();
        packet::write_segment(&mut frame, &segment, 7);
        assert_eq!((frame.len(), frame.real().len()), (1014, 54));
        for sent in [0, 1, 123_456_789_012_345, Ns::MAX] {
            write(&mut frame, 960, sent);
            assert_eq!(
                packet::read(&frame, &Formats::default()),
                Received::Segment(segment)
            );
            assert_eq!(read(&frame, 960), Some(sent));
            assert_eq!((frame.len(), frame.real().len()), (1014, 70));
            assert_eq!(read(&frame.clone().into_vec().into(), 960), Some(sent));
        }
    }

    #[test]
    fn a_small_payload_has_no_stamp() {
        let mut frame = PacketBytes::new(vec![0; 54], 15);
        write(&mut frame, 15, 5);
        assert_eq!(*frame.all(), [0; 69]);
        assert_eq!(read(&frame, 15), None);
        assert_eq!(read(&frame, 16), None, "zeros are no stamp");
    }
}

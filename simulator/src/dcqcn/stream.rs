// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The bytes of a stream as packets: what is sent next, and what of it is acknowledged. Go-back-N sends packets again as
//! they were: a number stands for the same bytes for ever, even if more bytes have come meanwhile.

use std::collections::VecDeque;

/// Most packets in flight, so that numbers of 24 bits are told apart.
const MAX_FLIGHT_PKTS: u64 = 1 << 22;

/// A packet to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Packet {
    /// Counted from 0, without the limit of 24 bits.
    pub number: u64,
    pub payload_bytes: u32,
    /// It ends the stream.
    pub last: bool,
}

/// Bytes are counted from 0, too.
#[derive(Debug)]
pub(super) struct Stream {
    segment_bytes: u64,
    /// Runs of packets of which all but the last one are full: the first packet of each, and its first byte. The first run
    /// has the first packet that is not acknowledged.
    runs: VecDeque<(u64, u64)>,
    /// All packets before this one are acknowledged.
    acked: u64,
    /// The next one to send: less than `sent` after going back.
    next: u64,
    /// The end of all that were sent so far, and of their bytes.
    sent: u64,
    sent_bytes: u64,
    /// The end of the bytes to send; [`u64::MAX`]: without end.
    end: u64,
    closing: bool,
    /// The packet that ends the stream, once it was sent.
    last: Option<u64>,
}

impl Stream {
    pub fn new(segment_bytes: u32) -> Self {
        Self {
            segment_bytes: segment_bytes.into(),
            runs: VecDeque::from([(0, 0)]),
            acked: 0,
            next: 0,
            sent: 0,
            sent_bytes: 0,
            end: 0,
            closing: false,
            last: None,
        }
    }

    pub fn append(&mut self, bytes: u64) {
        if !self.closing {
            self.end = self.end.saturating_add(bytes);
        }
    }

    /// False: it is closed already. A stream without end is cut after what was sent.
    pub fn close(&mut self) -> bool {
        if self.closing {
            return false;
        }
        if self.end == u64::MAX {
            self.end = self.sent_bytes;
        }
        self.closing = true;
        true
    }

    /// The first byte of a packet that was sent, or is the next new one.
    fn begin_of(&self, number: u64) -> u64 {
        let after = self.runs.partition_point(|&(first, _)| first <= number);
        let (first, byte) = self.runs[after.saturating_sub(1)];
        byte + number.saturating_sub(first) * self.segment_bytes
    }

    /// The packet that is sent next, if there is one.
    pub fn peek(&self) -> Option<Packet> {
        let number = self.next;
        if number < self.sent {
            return Some(Packet {
                number,
                payload_bytes: (self.begin_of(number + 1) - self.begin_of(number)) as u32,
                last: self.last == Some(number),
            });
        }
        let left = self.end - self.sent_bytes;
        let payload = left.min(self.segment_bytes);
        let last = self.closing && payload == left;
        let is_over = self.last.is_some() || self.end == 0 || (payload == 0 && !last);
        let is_full = number - self.acked >= MAX_FLIGHT_PKTS;
        (!is_over && !is_full).then_some(Packet {
            number,
            payload_bytes: payload as u32,
            last,
        })
    }

    /// The packet that [`Self::peek`] gave is sent. True if it was sent before.
    pub fn advance(&mut self, packet: Packet) -> bool {
        self.next = packet.number + 1;
        if packet.number < self.sent {
            return true;
        }
        self.sent = self.next;
        self.sent_bytes += u64::from(packet.payload_bytes);
        if u64::from(packet.payload_bytes) < self.segment_bytes {
            self.runs.push_back((self.sent, self.sent_bytes));
        }
        if packet.last {
            self.last = Some(packet.number);
        }
        false
    }

    /// All packets before this one have arrived, which is among those that were sent or the next one. Returns the bytes that
    /// this says first.
    pub fn acknowledge(&mut self, number: u64) -> u64 {
        let before = self.begin_of(self.acked);
        self.acked = number;
        self.next = self.next.max(number);
        while self.runs.get(1).is_some_and(|&(first, _)| first <= number) {
            self.runs.pop_front();
        }
        self.begin_of(number) - before
    }

    /// All packets in flight are to be sent again.
    pub fn go_back(&mut self) {
        self.next = self.acked;
    }

    pub fn acked(&self) -> u64 {
        self.acked
    }

    /// Packets that were sent and are not acknowledged.
    pub fn flight_pkts(&self) -> u64 {
        self.sent - self.acked
    }

    /// The bytes of those.
    pub fn flight_bytes(&self) -> u64 {
        self.sent_bytes - self.begin_of(self.acked)
    }

    /// Bytes in flight, without those that are to be sent again.
    pub fn outstanding_bytes(&self) -> u64 {
        self.begin_of(self.next) - self.begin_of(self.acked)
    }

    pub fn has_begun(&self) -> bool {
        self.sent > 0
    }

    /// All of it, and its end, are acknowledged, or there was nothing.
    pub fn has_ended(&self) -> bool {
        match self.end {
            0 => self.closing,
            _ => self.last.is_some_and(|last| last < self.acked),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Sends all that there is.
    fn send_all(stream: &mut Stream) -> Vec<Packet> {
        let mut sent = Vec::new();
        while let Some(packet) = stream.peek() {
            stream.advance(packet);
            sent.push(packet);
        }
        sent
    }

    #[test]
    fn a_packet_that_is_sent_again_has_the_bytes_that_it_had() {
        let mut stream = Stream::new(1000);
        stream.append(1500);
        let first = send_all(&mut stream);
        let sizes: Vec<_> = first.iter().map(|packet| packet.payload_bytes).collect();
        assert_eq!(sizes, [1000, 500]);
        stream.append(1700);
        stream.go_back();
        let again = send_all(&mut stream);
        assert_eq!(again[..2], first);
        let sizes: Vec<_> = again.iter().map(|packet| packet.payload_bytes).collect();
        assert_eq!(sizes, [1000, 500, 1000, 700]);
        assert_eq!((stream.acknowledge(2), stream.flight_bytes()), (1500, 1700));
        stream.close();
        let last = send_all(&mut stream);
        assert_eq!(
            last,
            [Packet {
                number: 4,
                payload_bytes: 0,
                last: true
            }],
            "it was closed when all had been sent"
        );
        assert!(!stream.has_ended());
        assert_eq!(stream.acknowledge(5), 1700);
        assert!(stream.has_ended() && stream.peek().is_none());
    }

    #[test]
    fn a_stream_without_bytes_ends_without_a_packet() {
        let mut stream = Stream::new(1000);
        assert!(stream.close() && !stream.close());
        assert!(stream.has_ended() && stream.peek().is_none());
        let mut endless = Stream::new(1000);
        endless.append(u64::MAX);
        endless.append(7);
        let packet = endless.peek().expect("there is always more");
        endless.advance(packet);
        endless.close();
        endless.append(7);
        let last = endless.peek().expect("the end has to be told");
        assert_eq!((last.payload_bytes, last.last), (0, true));
    }

    #[test]
    fn no_more_is_in_flight_than_numbers_can_tell_apart() {
        let mut stream = Stream::new(1000);
        stream.append(u64::MAX);
        assert_eq!(send_all(&mut stream).len() as u64, MAX_FLIGHT_PKTS);
        stream.acknowledge(1);
        assert_eq!(send_all(&mut stream).len(), 1);
    }

    proptest! {
        /// Bytes come in pieces, packets are acknowledged and sent again at random: each number has the same bytes each
        /// time, and together they are the stream.
        #[test]
        fn numbers_stand_for_the_same_bytes(
            segment_bytes in 1u32..=3000,
            steps in prop::collection::vec((0u8..4, any::<u16>()), 1..200),
        ) {
            let mut stream = Stream::new(segment_bytes);
            let (mut packets, mut appended, mut acked) = (Vec::<Packet>::new(), 0, 0);
            for (step, value) in steps.into_iter().chain([(4, 0), (1, u16::MAX)]) {
                match step {
                    0 => {
                        stream.append(value.into());
                        appended += u64::from(value);
                    }
                    1 => for _ in 0..value {
                        let Some(packet) = stream.peek() else { break };
                        let again = stream.advance(packet);
                        let number = packet.number as usize;
                        prop_assert_eq!(again, number < packets.len());
                        if again {
                            prop_assert_eq!(packets[number], packet);
                        } else {
                            prop_assert_eq!(number, packets.len());
                            packets.push(packet);
                        }
                    },
                    2 => {
                        let more = u64::from(value) % (stream.flight_pkts() + 1);
                        acked += stream.acknowledge(stream.acked() + more);
                        let bytes = packets[..stream.acked() as usize].iter().map(|each| u64::from(each.payload_bytes));
                        prop_assert_eq!(bytes.sum::<u64>(), acked);
                    }
                    3 => stream.go_back(),
                    _ => {
                        stream.close();
                    }
                }
            }
            // The rest of a long stream is sent now.
            while let Some(packet) = stream.peek() {
                stream.acknowledge(packet.number);
                if !stream.advance(packet) {
                    packets.push(packet);
                }
            }
            let bytes: u64 = packets.iter().map(|packet| u64::from(packet.payload_bytes)).sum();
            prop_assert_eq!(bytes, appended);
            let lasts = packets.iter().filter(|packet| packet.last).count();
            prop_assert_eq!(lasts, usize::from(appended > 0));
            prop_assert_eq!(packets.last().is_none_or(|packet| packet.last), true);
        }
    }
}

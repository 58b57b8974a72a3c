// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The sending half of a port. Threads share it beside the machine's lock.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;

use quench_handoff::Handoff;

use crate::io_stats::IoStats;
use crate::offload::Refusal;
use crate::pcap::Capture;
use crate::tx_batch::{self, TxBatch};
use crate::wire::Wire;

/// Packets may wait for the interface beside the port's queues: those of links with a delay, which were under way when
/// the interface stopped taking any.
const OUTBOX_BYTES: usize = 8 << 20;
/// Packets are sent so many at a time: between two system calls the processor would forget the pipeline. Where the
/// interface has sent all of them at once there are more the next time.
pub const TOGETHER_PKTS: usize = 8;
/// Not where the socket was full within this time: there the queue must see each packet that the interface refuses.
const CALM_NS: u64 = 1_000_000_000;
/// The socket was never full.
const NEVER: u64 = u64::MAX;

/// Sends packets in the order of the machine's decisions.
#[derive(Debug)]
pub struct Line {
    number: u32,
    interface: String,
    handoff: Handoff<Vec<u8>, Sender>,
    /// The most packets that are sent together.
    together_pkts: AtomicUsize,
    /// The time at which the socket was last full, or [`NEVER`].
    full_ns: AtomicU64,
    /// Packets wait for room in the socket.
    blocked: AtomicBool,
}

/// The state that only the thread that sends touches.
#[derive(Debug)]
struct Sender {
    /// None while the interface does not exist or has no carrier.
    wire: Option<Arc<Wire>>,
    batch: TxBatch,
    /// Packets that the socket did not take yet.
    outbox: VecDeque<Vec<u8>>,
    outbox_bytes: usize,
    capture: Option<Capture>,
    stats: IoStats,
}

impl Line {
    pub fn new(number: u32, interface: &str, capture: Option<Capture>) -> Self {
        Self {
            number,
            interface: interface.to_owned(),
            handoff: Handoff::new(Sender {
                wire: None,
                batch: TxBatch::default(),
                outbox: VecDeque::new(),
                outbox_bytes: 0,
                capture,
                stats: IoStats::default(),
            }),
            together_pkts: AtomicUsize::new(TOGETHER_PKTS),
            full_ns: AtomicU64::new(NEVER),
            blocked: AtomicBool::new(false),
        }
    }

    /// Send one packet after those that wait, at the latest with [`Self::flush`], or count why it could not be sent.
    /// True when it waits for the latter.
    pub fn transmit(&self, now_ns: u64, packet: Vec<u8>) -> bool {
        let waiting_pkts = self.handoff.put(packet);
        let full_ns = self.full_ns.load(Ordering::Relaxed);
        let most_pkts = if full_ns == NEVER || now_ns.saturating_sub(full_ns) >= CALM_NS {
            self.together_pkts.load(Ordering::Relaxed)
        } else {
            1
        };
        let waits = waiting_pkts < most_pkts;
        if !waits {
            self.with(now_ns, |_| ());
        }
        waits
    }

    /// Send the packets that were to be sent together, unless another thread is about to.
    pub fn flush(&self, now_ns: u64) {
        self.handoff
            .flush(|sender, packets| self.send(sender, now_ns, packets));
    }

    /// Whether packets wait for room in the socket.
    pub fn is_blocked(&self) -> bool {
        self.blocked.load(Ordering::Acquire)
    }

    /// The socket has room: send what waits for it.
    pub fn refill(&self, now_ns: u64) -> io::Result<()> {
        self.with(now_ns, |sender| {
            if let Some(wire) = &sender.wire {
                wire.refill(now_ns)?;
            }
            self.send_waiting(sender, now_ns);
            Ok(())
        })
    }

    /// Send by `wire` from now on. With none, what waits is lost and counted.
    pub fn connect(&self, wire: Option<&Arc<Wire>>, now_ns: u64) {
        self.with(now_ns, |sender| {
            sender.wire = wire.cloned();
            if sender.wire.is_none() {
                self.send_waiting(sender, now_ns);
            }
            self.see_room(sender, now_ns);
        });
    }

    /// Close the capture, and give the last counts.
    pub fn close(&self, now_ns: u64) -> IoStats {
        self.with(now_ns, |sender| {
            sender.wire = None;
            self.send_waiting(sender, now_ns);
            sender.capture = None;
            sender.stats
        })
    }

    pub fn stats(&self, now_ns: u64) -> IoStats {
        self.with(now_ns, |sender| sender.stats)
    }

    fn with<R>(&self, now_ns: u64, look: impl FnOnce(&mut Sender) -> R) -> R {
        self.handoff
            .with(|sender, packets| self.send(sender, now_ns, packets), look)
    }

    fn send(&self, sender: &mut Sender, now_ns: u64, packets: &mut Vec<Vec<u8>>) {
        let dealt_with = if sender.outbox.is_empty() {
            self.try_send(sender, now_ns, packets)
        } else {
            0
        };
        let together_pkts = self.together_pkts.load(Ordering::Relaxed);
        if dealt_with == packets.len() && dealt_with >= together_pkts {
            self.send_more_together(sender, together_pkts);
        }
        packets
            .drain(dealt_with..)
            .for_each(|packet| self.keep(sender, packet));
        self.see_room(sender, now_ns);
        if let Some(capture) = &mut sender.capture {
            capture.flush();
        }
    }

    /// An interface that has nothing left to send has no queue behind the socket, where packets would be out of sight.
    fn send_more_together(&self, sender: &Sender, together_pkts: usize) {
        let more = (2 * together_pkts).min(tx_batch::BATCH);
        if let (Some(wire), true) = (&sender.wire, more > together_pkts) {
            if wire.is_dry() {
                self.together_pkts.store(more, Ordering::Relaxed);
            }
        }
    }

    fn send_waiting(&self, sender: &mut Sender, now_ns: u64) {
        while let Some(packet) = sender.outbox.pop_front() {
            if self.try_send(sender, now_ns, std::slice::from_ref(&packet)) == 0 {
                sender.outbox.push_front(packet);
                break;
            }
            sender.outbox_bytes -= packet.len();
        }
        self.see_room(sender, now_ns);
        if let Some(capture) = &mut sender.capture {
            capture.flush();
        }
    }

    fn keep(&self, sender: &mut Sender, packet: Vec<u8>) {
        if sender.outbox_bytes + packet.len() > OUTBOX_BYTES {
            sender.stats.tx_socket_full_pkts += 1;
            return;
        }
        sender.outbox_bytes += packet.len();
        sender.outbox.push_back(packet);
    }

    /// See whether packets wait for room.
    fn see_room(&self, sender: &Sender, now_ns: u64) {
        let stuck = sender.wire.as_ref().is_some_and(|wire| wire.is_stuck());
        if stuck {
            self.was_full(now_ns);
        }
        let blocked = stuck || !sender.outbox.is_empty();
        self.blocked.store(blocked, Ordering::Release);
    }

    fn was_full(&self, now_ns: u64) {
        self.full_ns.store(now_ns, Ordering::Relaxed);
        self.together_pkts.store(TOGETHER_PKTS, Ordering::Relaxed);
    }

    /// Send packets until the socket has no room. Returns how many are dealt with: sent, or counted with the reason that
    /// they cannot be.
    fn try_send(&self, sender: &mut Sender, now_ns: u64, packets: &[Vec<u8>]) -> usize {
        let mut done = 0;
        while done < packets.len() {
            let stats = &mut sender.stats;
            // Without a carrier the kernel takes a packet, drops it, and reports success.
            let Some(wire) = &sender.wire else {
                stats.tx_no_link_pkts += (packets.len() - done) as u64;
                return packets.len();
            };
            let sent = wire.send(&mut sender.batch, now_ns, &packets[done..]);
            for _ in 0..sender.batch.take_strays() {
                refuse(stats, self.number, &self.interface, Refusal::Undescribed);
            }
            if let Some(capture) = &mut sender.capture {
                let sent = packets[done..].iter().take(sent.packets);
                sent.for_each(|packet| capture.record(now_ns, packet));
            }
            done += sent.packets;
            match sent.failure {
                None => {}
                Some((_, error)) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.was_full(now_ns);
                    break;
                }
                Some((failed, error)) => {
                    self.count_failure(stats, failed, packets[done].len(), &error);
                    done += failed;
                }
            }
        }
        done
    }

    fn count_failure(&self, stats: &mut IoStats, pkts: usize, len_bytes: usize, error: &io::Error) {
        let (count, what) = match error.raw_os_error() {
            _ if is_link_loss(error) => (&mut stats.tx_no_link_pkts, None),
            Some(libc::EMSGSIZE) => (
                &mut stats.tx_oversize_pkts,
                Some("it is longer than the MTU"),
            ),
            Some(libc::ENOBUFS) => (&mut stats.tx_no_buffer_pkts, None),
            _ => (&mut stats.tx_error_pkts, Some("the kernel refuses it")),
        };
        if let (0, Some(what)) = (*count, what) {
            tracing::warn!(
                "port {}: a packet of {len_bytes} bytes cannot be sent on {}: {what} ({error}); \
                 further ones are only counted",
                self.number,
                self.interface
            );
        }
        *count += pkts as u64;
    }
}

pub fn is_link_loss(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::ENETDOWN | libc::ENXIO | libc::ENODEV)
    )
}

/// Count a frame that is no packet, and name the first.
pub fn refuse(stats: &mut IoStats, number: u32, interface: &str, refusal: Refusal) {
    if stats.rx_offload_refused_pkts == 0 {
        tracing::warn!(
            "port {number}: a frame on {interface} is left to hardware that is not there, and the switch cannot make \
             packets of it: {refusal}; turn offloads off where it is sent (ethtool -K IFACE tx off tso off gso off); \
             further ones are only counted"
        );
    }
    stats.rx_offload_refused_pkts += 1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet_socket::PacketSocket;

    fn broken() -> Line {
        let line = Line::new(1, "s1", None);
        line.connect(Some(&Arc::new(Wire::Packet(PacketSocket::broken()))), 0);
        line
    }

    #[test]
    fn what_waits_beside_the_queues_is_limited_and_the_rest_counted() {
        let line = broken();
        let fitting = OUTBOX_BYTES / 1000;
        line.with(0, |sender| {
            (0..fitting + 3).for_each(|_| line.keep(sender, vec![0; 1000]));
            assert_eq!(sender.outbox.len(), fitting);
            line.see_room(sender, 0);
        });
        assert!(line.is_blocked());
        assert_eq!(line.stats(0).tx_socket_full_pkts, 3);
        line.connect(None, 0);
        assert!(!line.is_blocked());
        assert_eq!(line.close(0).tx_no_link_pkts, fitting as u64);
    }

    #[test]
    fn packets_are_sent_together_unless_the_socket_was_full_lately() {
        let line = broken();
        let sent = |now_ns, together| {
            let before = line.stats(now_ns).tx_error_pkts;
            for number in 1..=together {
                assert_eq!(line.transmit(now_ns, vec![0; 60]), number < together);
            }
            assert_eq!(line.stats(now_ns).tx_error_pkts, before + together as u64);
        };
        sent(0, TOGETHER_PKTS);
        line.full_ns.store(5, Ordering::Relaxed);
        sent(4 + CALM_NS, 1);
        sent(5 + CALM_NS, TOGETHER_PKTS);
    }
}

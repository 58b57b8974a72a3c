// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One port: an interface, its captures and its counts.

use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use crate::io_stats::IoStats;
use crate::packet_socket::{LinkState, PacketSocket};
use crate::pcap::Capture;
use crate::poller::{Poller, Wake};
use crate::rx_batch::{Received, RxBatch};

/// Packets may wait for the interface beside the port's queues: those of links with a delay, which were under way when
/// the interface stopped taking any.
const OUTBOX_BYTES: usize = 8 << 20;
/// Packets are sent so many at a time: between two system calls the processor would forget the pipeline.
pub(crate) const TOGETHER_PKTS: usize = 8;
/// Not where the socket was full within this time: there the queue must see each packet that the interface refuses.
const CALM_NS: u64 = 1_000_000_000;

/// A port cannot be added or removed.
#[derive(Debug, thiserror::Error)]
pub enum PortError {
    #[error("port {0} already has an interface")]
    InUse(u32),
    #[error("port {0} has no interface")]
    NotFound(u32),
    #[error("port {0} is not between 0 and 511")]
    OutOfRange(u32),
    #[error("port {0} cannot have an interface: it is the CPU port")]
    CpuPort(u32),
    #[error("port {0} cannot have an interface: it is the drop port")]
    DropPort(u32),
    #[error("interface {interface}: {}", explain(.source))]
    Interface {
        interface: String,
        source: io::Error,
    },
    #[error("{}: {source}", .path.display())]
    Capture { path: PathBuf, source: io::Error },
}

fn explain(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EPERM) => "not permitted: run as root or with CAP_NET_RAW".to_owned(),
        Some(libc::ENODEV) => "there is no such interface in this network namespace".to_owned(),
        _ => error.to_string(),
    }
}

#[derive(Debug)]
pub struct Port {
    number: u32,
    interface: String,
    /// None while the interface does not exist.
    socket: Option<PacketSocket>,
    state: LinkState,
    /// Packets that will be sent together.
    together: Vec<Vec<u8>>,
    /// The time at which the socket was last full.
    full_ns: Option<u64>,
    /// Packets that the socket did not take yet.
    outbox: VecDeque<Vec<u8>>,
    outbox_bytes: usize,
    /// The poller says when the socket has room.
    room_watched: bool,
    capture_in: Option<Capture>,
    capture_out: Option<Capture>,
    stats: IoStats,
    /// The kernel's count cannot be read, which was logged.
    overruns_unknown: bool,
}

impl Port {
    pub fn open(
        number: u32,
        interface: &str,
        pcap_prefix: Option<&Path>,
    ) -> Result<Self, PortError> {
        let socket = PacketSocket::open(interface).map_err(|source| PortError::Interface {
            interface: interface.to_owned(),
            source,
        })?;
        let capture = |suffix: &str| {
            let Some(prefix) = pcap_prefix else {
                return Ok(None);
            };
            let mut path = prefix.as_os_str().to_owned();
            path.push(suffix);
            let path = PathBuf::from(path);
            match Capture::create(&path) {
                Ok(capture) => Ok(Some(capture)),
                Err(source) => Err(PortError::Capture { path, source }),
            }
        };
        let port = Self {
            number,
            interface: interface.to_owned(),
            state: socket.link_state(),
            socket: Some(socket),
            together: Vec::with_capacity(TOGETHER_PKTS),
            full_ns: None,
            outbox: VecDeque::new(),
            outbox_bytes: 0,
            room_watched: false,
            capture_in: capture("_in.pcap")?,
            capture_out: capture("_out.pcap")?,
            stats: IoStats::default(),
            overruns_unknown: false,
        };
        if port.state == LinkState::Down {
            tracing::info!("port {number}: interface {interface} is down as yet");
        }
        Ok(port)
    }

    /// Wake the switch's thread for this port's packets.
    pub fn watch(&self, poller: &Poller) -> Result<(), PortError> {
        let watched = self
            .socket
            .as_ref()
            .map_or(Ok(()), |socket| poller.add(socket, Wake::Port(self.number)));
        watched.map_err(|source| PortError::Interface {
            interface: self.interface.clone(),
            source,
        })
    }

    pub fn is_up(&self) -> bool {
        self.state == LinkState::Up
    }

    /// Read waiting packets; true when there may be more.
    pub fn receive(&self, batch: &mut RxBatch) -> bool {
        let Some(socket) = &self.socket else {
            batch.clear();
            return false;
        };
        batch.receive(socket.as_fd()).unwrap_or_else(|error| {
            // The kernel reports a lost interface this way; `refresh` says so once.
            if !is_link_loss(&error) {
                tracing::warn!(
                    "port {}: receiving on {}: {error}",
                    self.number,
                    self.interface
                );
            }
            false
        })
    }

    /// Count and capture a packet that came; false when it is not whole.
    pub fn take(&mut self, now_ns: u64, packet: &Received) -> bool {
        if packet.oversize {
            self.stats.rx_oversize_pkts += 1;
            return false;
        }
        if packet.unfinished_checksum {
            if self.stats.rx_unfinished_checksum_pkts == 0 {
                tracing::warn!(
                    "port {}: packets on {} have unfinished checksums; turn off transmit offload \
                     where they are sent (ethtool -K IFACE tx off)",
                    self.number,
                    self.interface
                );
            }
            self.stats.rx_unfinished_checksum_pkts += 1;
        }
        if let Some(capture) = &mut self.capture_in {
            capture.record(now_ns, packet.bytes);
        }
        true
    }

    /// Send one packet after those that wait, at the latest with [`Self::send_together`], or count why it could not be
    /// sent. True when it waits for the latter.
    pub fn transmit(&mut self, now_ns: u64, packet: Vec<u8>) -> bool {
        self.together.push(packet);
        let calm = |full_ns| now_ns.saturating_sub(full_ns) >= CALM_NS;
        let waits = self.together.len() < TOGETHER_PKTS && self.full_ns.is_none_or(calm);
        if !waits {
            self.send_together(now_ns);
        }
        waits
    }

    /// Send the packets that were to be sent together.
    pub fn send_together(&mut self, now_ns: u64) {
        let mut packets = std::mem::take(&mut self.together);
        for packet in packets.drain(..) {
            if self.is_blocked() || !self.try_send(now_ns, &packet) {
                self.keep(packet);
            }
        }
        self.together = packets;
    }

    /// Whether packets wait for room in the socket.
    pub fn is_blocked(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// The socket has room: send what waits for it.
    pub fn refill(&mut self, now_ns: u64) -> io::Result<()> {
        if let Some(socket) = &mut self.socket {
            socket.refill(now_ns)?;
        }
        self.send_waiting(now_ns);
        Ok(())
    }

    fn send_waiting(&mut self, now_ns: u64) {
        while let Some(packet) = self.outbox.pop_front() {
            if !self.try_send(now_ns, &packet) {
                self.outbox.push_front(packet);
                return;
            }
            self.outbox_bytes -= packet.len();
        }
    }

    /// Let the poller say when the socket has room, as long as packets wait for it.
    pub fn watch_room(&mut self, poller: &Poller) -> io::Result<()> {
        let watch = self.is_blocked();
        if let (Some(socket), true) = (&self.socket, watch != self.room_watched) {
            poller.watch_room(socket, self.number, watch)?;
            self.room_watched = watch;
        }
        Ok(())
    }

    fn keep(&mut self, packet: Vec<u8>) {
        if self.outbox_bytes + packet.len() > OUTBOX_BYTES {
            self.stats.tx_socket_full_pkts += 1;
            return;
        }
        self.outbox_bytes += packet.len();
        self.outbox.push_back(packet);
    }

    /// False when the socket has no room. A packet that cannot be sent for another reason is counted.
    fn try_send(&mut self, now_ns: u64, packet: &[u8]) -> bool {
        // Without a carrier the kernel takes a packet, drops it, and reports success.
        let (Some(socket), LinkState::Up) = (&self.socket, self.state) else {
            self.stats.tx_no_link_pkts += 1;
            return true;
        };
        match socket.send(packet) {
            Ok(()) => {
                if let Some(capture) = &mut self.capture_out {
                    capture.record(now_ns, packet);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.full_ns = Some(now_ns);
                return false;
            }
            Err(error) => self.count_failure(packet.len(), &error),
        }
        true
    }

    fn count_failure(&mut self, len_bytes: usize, error: &io::Error) {
        let (count, what) = match error.raw_os_error() {
            _ if is_link_loss(error) => (&mut self.stats.tx_no_link_pkts, None),
            Some(libc::EMSGSIZE) => (
                &mut self.stats.tx_oversize_pkts,
                Some("it is longer than the MTU"),
            ),
            Some(libc::ENOBUFS) => (&mut self.stats.tx_no_buffer_pkts, None),
            _ => (&mut self.stats.tx_error_pkts, Some("the kernel refuses it")),
        };
        if let (0, Some(what)) = (*count, what) {
            tracing::warn!(
                "port {}: a packet of {len_bytes} bytes cannot be sent on {}: {what} ({error}); \
                 further ones are only counted",
                self.number,
                self.interface
            );
        }
        *count += 1;
    }

    /// Look at the interface again; true when it went up or down. Packets that wait for one that is down are lost.
    pub fn refresh(&mut self, poller: &Poller, now_ns: u64) -> bool {
        self.reopen(poller);
        let state = self
            .socket
            .as_ref()
            .map_or(LinkState::Gone, PacketSocket::link_state);
        if state == self.state {
            return false;
        }
        let (number, interface) = (self.number, &self.interface);
        match state {
            LinkState::Up => tracing::info!("port {number}: interface {interface} is up"),
            LinkState::Down => tracing::error!("port {number}: interface {interface} is down"),
            LinkState::Gone => {
                tracing::error!("port {number}: interface {interface} was removed");
                self.update_overruns();
                self.disconnect();
            }
        }
        let was_up = self.is_up();
        self.state = state;
        if !self.is_up() {
            self.send_waiting(now_ns);
        }
        was_up != self.is_up()
    }

    /// An interface that was removed may have been created again.
    fn reopen(&mut self, poller: &Poller) {
        if self.socket.is_none() {
            if let Ok(socket) = PacketSocket::open(&self.interface) {
                if poller.add(&socket, Wake::Port(self.number)).is_ok() {
                    self.socket = Some(socket);
                }
            }
        }
    }

    fn disconnect(&mut self) {
        self.socket = None;
        self.room_watched = false;
    }

    /// Close the interface and the captures, and give the last counts.
    pub fn close(mut self) -> IoStats {
        self.flush_captures();
        self.update_overruns();
        self.stats.tx_no_link_pkts += (self.together.len() + self.outbox.len()) as u64;
        self.stats
    }

    pub fn flush_captures(&mut self) {
        for capture in [&mut self.capture_in, &mut self.capture_out]
            .into_iter()
            .flatten()
        {
            capture.flush();
        }
    }

    pub fn stats(&mut self) -> IoStats {
        self.update_overruns();
        self.stats
    }

    fn update_overruns(&mut self) {
        let Some(socket) = &self.socket else { return };
        match socket.take_overruns() {
            Ok(pkts) => self.stats.rx_overrun_pkts += pkts,
            Err(_) if self.overruns_unknown => {}
            Err(error) => {
                self.overruns_unknown = true;
                tracing::error!(
                    "port {}: rx_overrun_pkts of {} is no longer counted: {error}",
                    self.number,
                    self.interface
                );
            }
        }
    }
}

fn is_link_loss(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::ENETDOWN | libc::ENXIO | libc::ENODEV)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken() -> Port {
        Port {
            number: 1,
            interface: "s1".to_owned(),
            socket: Some(PacketSocket::broken()),
            state: LinkState::Up,
            together: Vec::with_capacity(TOGETHER_PKTS),
            full_ns: None,
            outbox: VecDeque::new(),
            outbox_bytes: 0,
            room_watched: false,
            capture_in: None,
            capture_out: None,
            stats: IoStats::default(),
            overruns_unknown: false,
        }
    }

    #[test]
    fn what_waits_beside_the_queues_is_limited_and_the_rest_counted() {
        let mut port = broken();
        let fitting = OUTBOX_BYTES / 1000;
        (0..fitting + 3).for_each(|_| port.keep(vec![0; 1000]));
        assert_eq!(port.outbox.len(), fitting);
        assert_eq!(port.stats().tx_socket_full_pkts, 3);
        port.state = LinkState::Down;
        port.send_waiting(0);
        assert_eq!(port.stats().tx_no_link_pkts, fitting as u64);
        assert_eq!(port.outbox_bytes, 0);
    }

    #[test]
    fn packets_are_sent_together_unless_the_socket_was_full_lately() {
        let mut port = broken();
        for number in 1..=TOGETHER_PKTS {
            assert_eq!(port.transmit(0, vec![0; 60]), number < TOGETHER_PKTS);
        }
        assert_eq!(port.stats().tx_error_pkts, TOGETHER_PKTS as u64);
        port.full_ns = Some(5);
        assert!(!port.transmit(4 + CALM_NS, vec![0; 60]));
        assert!(port.transmit(5 + CALM_NS, vec![0; 60]));
    }

    #[test]
    fn an_unreadable_count_of_overruns_is_reported_and_the_others_remain() {
        let mut port = broken();
        assert!(port.transmit(0, vec![0; 60]));
        port.send_together(0);
        for _ in 0..2 {
            let stats = port.stats();
            assert_eq!((stats.tx_error_pkts, stats.rx_overrun_pkts), (1, 0));
            assert!(port.overruns_unknown);
        }
    }
}

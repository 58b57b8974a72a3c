// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One port: an interface, its captures and its counts.

use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use crate::io_stats::IoStats;
use crate::packet_socket::{LinkState, PacketSocket};
use crate::pcap::Capture;
use crate::poller::{Poller, Wake};
use crate::rx_batch::RxBatch;

/// Batches that one port may read before the others get their turn.
const MAX_BATCHES: usize = 4;

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

    /// Give the waiting packets to `accept`, not more than a few batches of them.
    pub fn receive(&mut self, batch: &mut RxBatch, now_ns: u64, mut accept: impl FnMut(&[u8])) {
        for _ in 0..MAX_BATCHES {
            let Some(socket) = &self.socket else { return };
            match batch.receive(socket.as_fd()) {
                Ok(more) => {
                    self.take_batch(batch, now_ns, &mut accept);
                    if !more {
                        return;
                    }
                }
                Err(error) => {
                    // The kernel reports a lost interface this way; `refresh` says so once.
                    if !is_link_loss(&error) {
                        tracing::warn!(
                            "port {}: receiving on {}: {error}",
                            self.number,
                            self.interface
                        );
                    }
                    return;
                }
            }
        }
    }

    fn take_batch(&mut self, batch: &RxBatch, now_ns: u64, accept: &mut impl FnMut(&[u8])) {
        for packet in batch.packets() {
            if packet.oversize {
                self.stats.rx_oversize_pkts += 1;
                continue;
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
            accept(packet.bytes);
        }
    }

    /// Send one packet, or count why it could not be sent.
    pub fn transmit(&mut self, now_ns: u64, packet: &[u8]) {
        // Without a carrier the kernel takes a packet, drops it, and reports success.
        let (Some(socket), LinkState::Up) = (&self.socket, self.state) else {
            self.stats.tx_no_link_pkts += 1;
            return;
        };
        match socket.send(packet) {
            Ok(()) => {
                if let Some(capture) = &mut self.capture_out {
                    capture.record(now_ns, packet);
                }
            }
            Err(error) => self.count_failure(packet.len(), &error),
        }
    }

    fn count_failure(&mut self, len_bytes: usize, error: &io::Error) {
        let (count, what) = match error.raw_os_error() {
            _ if is_link_loss(error) => (&mut self.stats.tx_no_link_pkts, None),
            Some(libc::EMSGSIZE) => (
                &mut self.stats.tx_oversize_pkts,
                Some("it is longer than the MTU"),
            ),
            Some(libc::ENOBUFS) => (&mut self.stats.tx_no_buffer_pkts, None),
            Some(libc::EAGAIN) => (&mut self.stats.tx_socket_full_pkts, None),
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

    /// Look at the interface again; true when it went up or down.
    pub fn refresh(&mut self, poller: &Poller) -> bool {
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
                self.socket = None;
            }
        }
        let was_up = self.is_up();
        self.state = state;
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

    #[test]
    fn an_unreadable_count_of_overruns_is_reported_and_the_others_remain() {
        let mut port = Port {
            number: 1,
            interface: "s1".to_owned(),
            socket: Some(PacketSocket::broken()),
            state: LinkState::Up,
            capture_in: None,
            capture_out: None,
            stats: IoStats::default(),
            overruns_unknown: false,
        };
        port.transmit(0, &[0; 60]);
        for _ in 0..2 {
            let stats = port.stats();
            assert_eq!((stats.tx_error_pkts, stats.rx_overrun_pkts), (1, 0));
            assert!(port.overruns_unknown);
        }
    }
}

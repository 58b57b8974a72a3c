// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One port: an interface, its captures and its counts.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::io_stats::IoStats;
use crate::line::Line;
use crate::offload::Refusal;
use crate::packet_socket::{LinkState, PacketSocket};
use crate::pcap::Capture;
use crate::rx_batch::{Fault, Received};
use crate::seats::Seats;

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

/// A port in the machine's hands: what arrives, and the state of its interface. The [`Line`] sends.
#[derive(Debug)]
pub struct Port {
    number: u32,
    interface: String,
    /// Each is read by a thread of its own, and the first is for sending; none while the interface does not exist.
    sockets: Vec<Arc<PacketSocket>>,
    /// The number of sockets that share what arrives.
    readers: usize,
    state: LinkState,
    /// The poller says when the socket has room.
    room_watched: bool,
    pub line: Arc<Line>,
    capture_in: Option<Capture>,
    stats: IoStats,
    /// The kernel's count cannot be read, which was logged.
    overruns_unknown: bool,
}

impl Port {
    /// Connected with `interface` by `readers` sockets, which the threads of `seats` read.
    pub fn open(
        number: u32,
        interface: &str,
        pcap_prefix: Option<&Path>,
        readers: usize,
        seats: &Seats,
    ) -> Result<Self, PortError> {
        let failed = |source| PortError::Interface {
            interface: interface.to_owned(),
            source,
        };
        let sockets = PacketSocket::open_shared(interface, readers).map_err(failed)?;
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
        let capture_in = capture("_in.pcap")?;
        let line = Line::new(number, interface, capture("_out.pcap")?);
        seats.add(number, &sockets).map_err(failed)?;
        let port = Self {
            number,
            interface: interface.to_owned(),
            state: sockets[0].link_state(),
            sockets,
            readers,
            room_watched: false,
            line: Arc::new(line),
            capture_in,
            stats: IoStats::default(),
            overruns_unknown: false,
        };
        port.connect_line(0);
        if port.state == LinkState::Down {
            tracing::info!("port {number}: interface {interface} is down as yet");
        }
        Ok(port)
    }

    pub fn is_up(&self) -> bool {
        self.state == LinkState::Up
    }

    /// Whether what was read from `socket` came in by this port: it may have been removed and added again meanwhile.
    pub fn has(&self, socket: &Arc<PacketSocket>) -> bool {
        self.sockets.iter().any(|own| Arc::ptr_eq(own, socket))
    }

    /// Count and capture a packet that came; false when it is not whole.
    pub fn take(&mut self, now_ns: u64, packet: &Received) -> bool {
        match packet.fault {
            None => {}
            Some(Fault::Oversize) => {
                self.stats.rx_oversize_pkts += 1;
                return false;
            }
            Some(Fault::Refused(refusal)) => {
                refuse(&mut self.stats, self.number, &self.interface, refusal);
                return false;
            }
        }
        if let Some(capture) = &mut self.capture_in {
            capture.record(now_ns, packet.bytes);
        }
        true
    }

    /// Let the seats' poller say when the socket has room, as long as packets wait for it.
    pub fn watch_room(&mut self, seats: &Seats) -> io::Result<()> {
        let watch = self.line.is_blocked();
        if let (Some(socket), true) = (self.sockets.first(), watch != self.room_watched) {
            seats.watch_room(self.number, socket, watch)?;
            self.room_watched = watch;
        }
        Ok(())
    }

    /// Look at the interface again; true when it went up or down. Packets that wait for one that is down are lost.
    pub fn refresh(&mut self, seats: &Seats, now_ns: u64) -> bool {
        self.reopen(seats);
        let state = self
            .sockets
            .first()
            .map_or(LinkState::Gone, |socket| socket.link_state());
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
                self.disconnect(seats);
            }
        }
        let was_up = self.is_up();
        self.state = state;
        self.connect_line(now_ns);
        was_up != self.is_up()
    }

    /// An interface that was removed may have been created again.
    fn reopen(&mut self, seats: &Seats) {
        if self.sockets.is_empty() {
            if let Ok(sockets) = PacketSocket::open_shared(&self.interface, self.readers) {
                if seats.add(self.number, &sockets).is_ok() {
                    self.sockets = sockets;
                }
            }
        }
    }

    fn disconnect(&mut self, seats: &Seats) {
        seats.remove(self.number);
        self.sockets.clear();
        self.room_watched = false;
    }

    fn connect_line(&self, now_ns: u64) {
        self.line
            .connect(self.sockets.first().filter(|_| self.is_up()), now_ns);
    }

    /// Close the interface and the captures, and give the last counts.
    pub fn close(mut self, seats: &Seats, now_ns: u64) -> IoStats {
        self.flush_capture();
        self.update_overruns();
        self.disconnect(seats);
        self.stats.add(&self.line.close(now_ns));
        self.stats
    }

    /// Make visible what arrived.
    pub fn flush_capture(&mut self) {
        if let Some(capture) = &mut self.capture_in {
            capture.flush();
        }
    }

    pub fn stats(&mut self, now_ns: u64) -> IoStats {
        self.update_overruns();
        let mut stats = self.stats;
        stats.add(&self.line.stats(now_ns));
        stats
    }

    fn update_overruns(&mut self) {
        for socket in &self.sockets {
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

    fn broken() -> Port {
        let port = Port {
            number: 1,
            interface: "s1".to_owned(),
            sockets: vec![Arc::new(PacketSocket::broken())],
            readers: 1,
            state: LinkState::Up,
            room_watched: false,
            line: Arc::new(Line::new(1, "s1", None)),
            capture_in: None,
            stats: IoStats::default(),
            overruns_unknown: false,
        };
        port.connect_line(0);
        port
    }

    #[test]
    fn what_is_no_packet_is_counted_under_its_own_name() {
        let mut port = broken();
        let faults = [
            None,
            Some(Fault::Oversize),
            Some(Fault::Refused(Refusal::Tunnel)),
            Some(Fault::Refused(Refusal::Undescribed)),
        ];
        let taken = faults.map(|fault| {
            let bytes = &[0; 60];
            port.take(0, &Received { bytes, fault })
        });
        assert_eq!(taken, [true, false, false, false]);
        let stats = port.stats(0);
        let counts = (stats.rx_oversize_pkts, stats.rx_offload_refused_pkts);
        assert_eq!(counts, (1, 2));
    }

    #[test]
    fn an_unreadable_count_of_overruns_is_reported_and_the_others_remain() {
        let mut port = broken();
        assert!(port.line.transmit(0, vec![0; 60]));
        port.line.flush(0);
        for _ in 0..2 {
            let stats = port.stats(0);
            assert_eq!((stats.tx_error_pkts, stats.rx_overrun_pkts), (1, 0));
            assert!(port.overruns_unknown);
        }
    }
}

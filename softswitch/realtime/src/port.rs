// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! One port: an interface, its captures and its counts.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use crate::io_stats::IoStats;
use crate::line::{refuse, Line};
use crate::packet_socket::LinkState;
use crate::pcap::Capture;
use crate::rx_batch::{Fault, Received};
use crate::seats::Seats;
use crate::wire::{IoMode, Wire};
use crate::xdp::{self, XdpSocket};

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
    #[error("interface {interface}: {refusal}; or use --io packet")]
    Xdp {
        interface: String,
        refusal: xdp::Refusal,
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
    /// Each is read by a thread of its own, and the first is for sending; none while the interface does not exist, or
    /// is refused.
    wires: Vec<Arc<Wire>>,
    /// The wire that a thread may have read by while others took its place.
    former: Weak<Wire>,
    io: IoMode,
    /// The number of wires that share what arrives.
    readers: usize,
    /// The reason against XDP that was logged last.
    refusal: Option<String>,
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
    /// Connected with `interface` in a way, by so many wires that the threads of `seats` read.
    pub fn open(
        number: u32,
        interface: &str,
        pcap_prefix: Option<&Path>,
        (io, readers): (IoMode, usize),
        seats: &Seats,
    ) -> Result<Self, PortError> {
        let failed = |source| PortError::Interface {
            interface: interface.to_owned(),
            source,
        };
        let opened = Wire::open(interface, io, readers).map_err(|refusal| match refusal {
            xdp::Refusal::Interface(source) => failed(source),
            refusal => PortError::Xdp {
                interface: interface.to_owned(),
                refusal,
            },
        });
        let (wires, refusal) = opened?;
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
        seats.add(number, &wires).map_err(failed)?;
        let mut port = Self {
            number,
            interface: interface.to_owned(),
            state: wires[0].link_state(),
            wires: Vec::new(),
            former: Weak::new(),
            io,
            readers,
            refusal: None,
            room_watched: false,
            line: Arc::new(line),
            capture_in,
            stats: IoStats::default(),
            overruns_unknown: false,
        };
        if port.state == LinkState::Down {
            tracing::info!("port {number}: interface {interface} is down as yet");
        }
        port.connect(wires, refusal.as_ref());
        port.connect_line(0);
        Ok(port)
    }

    /// Take wires into use, and say which where there was a choice.
    fn connect(&mut self, wires: Vec<Arc<Wire>>, refusal: Option<&xdp::Refusal>) {
        let (number, interface) = (self.number, &self.interface);
        if let Some(socket) = wires.first().and_then(|wire| wire.xdp()) {
            let manner = socket.manner();
            tracing::info!("port {number}: interface {interface} by {manner}");
        }
        self.wires = wires;
        match refusal {
            Some(refusal) => self.log_refusal(refusal),
            None => self.refusal = None,
        }
    }

    /// Say why XDP is not used, once for each reason.
    fn log_refusal(&mut self, refusal: &xdp::Refusal) {
        let reason = Some(refusal.to_string());
        if self.refusal == reason {
            return;
        }
        let (number, interface) = (self.number, &self.interface);
        if self.io == IoMode::Auto {
            tracing::info!("port {number}: interface {interface} by packet sockets: {refusal}");
        } else {
            tracing::error!("port {number}: interface {interface}: {refusal}");
        }
        self.refusal = reason;
    }

    /// See whether what was read came unfinished from its sender, which speaks against XDP.
    pub fn reconsider_unfinished(&mut self, seats: &Seats, now_ns: u64) {
        let socket = self.wires.first().and_then(|wire| wire.xdp());
        if self.refusal.is_none() && socket.is_some_and(XdpSocket::sees_unfinished) {
            self.reconsider(seats, now_ns);
        }
    }

    /// Where something speaks against XDP now, take packet sockets if that is allowed, otherwise say so.
    fn reconsider(&mut self, seats: &Seats, now_ns: u64) {
        let Some(old) = self.wires.first().cloned() else {
            return;
        };
        let Some(socket) = old.xdp() else { return };
        let Some(refusal) = socket.misfit(self.io == IoMode::Auto) else {
            return;
        };
        if self.io == IoMode::Auto {
            let opened = Wire::open(&self.interface, IoMode::Packet, self.readers);
            let Ok((wires, _)) = opened else { return };
            if seats.replace(self.number, &old, &wires[0]).is_err() {
                return;
            }
            self.wires = wires;
            self.former = Arc::downgrade(&old);
            self.room_watched = false;
            self.connect_line(now_ns);
            self.leave(socket);
            self.update_losses_of(&old);
        }
        self.log_refusal(&refusal);
    }

    pub fn is_up(&self) -> bool {
        self.state == LinkState::Up
    }

    /// Whether what was read by `wire` came in by this port: it may have been removed and added again meanwhile.
    pub fn has(&self, wire: &Weak<Wire>) -> bool {
        let own = |own: &Arc<Wire>| std::ptr::eq(Arc::as_ptr(own), wire.as_ptr());
        self.wires.iter().any(own) || self.former.ptr_eq(wire)
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
        if let (Some(wire), true) = (self.wires.first(), watch != self.room_watched) {
            seats.watch_room(self.number, wire, watch)?;
            self.room_watched = watch;
        }
        Ok(())
    }

    /// Look at the interface again; true when it went up or down. Packets that wait for one that is down are lost.
    pub fn refresh(&mut self, seats: &Seats, now_ns: u64) -> bool {
        self.reopen(seats);
        let wire = self.wires.first();
        let state = wire.map_or(LinkState::Gone, |wire| wire.link_state());
        if state != LinkState::Gone {
            self.reconsider(seats, now_ns);
        }
        if state == self.state {
            return false;
        }
        let (number, interface) = (self.number, &self.interface);
        match state {
            LinkState::Up => tracing::info!("port {number}: interface {interface} is up"),
            LinkState::Down => tracing::error!("port {number}: interface {interface} is down"),
            LinkState::Gone => {
                tracing::error!("port {number}: interface {interface} was removed");
                self.update_losses();
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
        if !self.wires.is_empty() {
            return;
        }
        match Wire::open(&self.interface, self.io, self.readers) {
            Ok((wires, refusal)) => {
                if seats.add(self.number, &wires).is_ok() {
                    self.connect(wires, refusal.as_ref());
                }
            }
            // It is not there yet.
            Err(xdp::Refusal::Interface(_)) => {}
            Err(refusal) => self.log_refusal(&refusal),
        }
    }

    fn disconnect(&mut self, seats: &Seats) {
        seats.remove(self.number);
        for wire in std::mem::take(&mut self.wires) {
            wire.xdp().into_iter().for_each(|socket| self.leave(socket));
        }
        self.former = Weak::new();
        self.room_watched = false;
    }

    /// Count what was still on its way through a socket of XDP.
    fn leave(&mut self, socket: &XdpSocket) {
        let (unread_pkts, untaken_pkts) = socket.leave();
        self.stats.rx_overrun_pkts += unread_pkts;
        self.stats.tx_no_buffer_pkts += untaken_pkts;
    }

    fn connect_line(&self, now_ns: u64) {
        self.line
            .connect(self.wires.first().filter(|_| self.is_up()), now_ns);
    }

    /// Close the interface and the captures, and give the last counts.
    pub fn close(mut self, seats: &Seats, now_ns: u64) -> IoStats {
        self.flush_capture();
        self.stats.add(&self.line.close(now_ns));
        self.update_losses();
        self.disconnect(seats);
        self.stats
    }

    /// Make visible what arrived.
    pub fn flush_capture(&mut self) {
        if let Some(capture) = &mut self.capture_in {
            capture.flush();
        }
    }

    pub fn stats(&mut self, now_ns: u64) -> IoStats {
        let line = self.line.stats(now_ns);
        self.update_losses();
        let mut stats = self.stats;
        stats.add(&line);
        stats
    }

    fn update_losses(&mut self) {
        let wires = std::mem::take(&mut self.wires);
        wires.iter().for_each(|wire| self.update_losses_of(wire));
        self.wires = wires;
    }

    fn update_losses_of(&mut self, wire: &Wire) {
        if let Some(socket) = wire.xdp() {
            self.stats.tx_no_buffer_pkts += socket.take_lost();
        }
        match wire.take_overruns() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offload::Refusal;
    use crate::packet_socket::PacketSocket;

    fn broken() -> Port {
        let port = Port {
            number: 1,
            interface: "s1".to_owned(),
            wires: vec![Arc::new(Wire::Packet(PacketSocket::broken()))],
            former: Weak::new(),
            io: IoMode::Packet,
            readers: 1,
            refusal: None,
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

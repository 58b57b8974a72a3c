// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The way that packets take between an interface and the switch.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

use crate::packet_socket::{LinkState, PacketSocket};
use crate::poller::{Poller, Wake};
use crate::rx_batch::RxBatch;
use crate::tx_batch::{Sent, TxBatch};
use crate::xdp::{Refusal, XdpSocket};

/// The ways that a switch's ports may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IoMode {
    /// Through the kernel's stack, on every interface.
    #[default]
    Packet,
    /// Past the kernel's stack; interfaces that cannot are refused.
    Xdp,
    /// [`Self::Xdp`] where nothing speaks against it, otherwise [`Self::Packet`].
    Auto,
}

/// An open interface. Threads may use it at the same time.
#[derive(Debug)]
pub enum Wire {
    Packet(PacketSocket),
    Xdp(Box<XdpSocket>),
}

impl Wire {
    /// Whether packets came with unfinished checksums, where they should not.
    pub fn sees_unfinished(&self) -> bool {
        self.xdp().is_some_and(XdpSocket::sees_unfinished)
    }

    /// `readers` wires that share what arrives, and the reason where `auto` takes packet sockets.
    pub fn open(
        interface: &str,
        mode: IoMode,
        readers: usize,
    ) -> Result<(Vec<Arc<Self>>, Option<Refusal>), Refusal> {
        let packet = || {
            let sockets = PacketSocket::open_shared(interface, readers)?.into_iter();
            let wires = sockets.map(|socket| Arc::new(Self::Packet(socket)));
            Ok::<_, Refusal>(wires.collect())
        };
        let xdp = |wise| {
            if readers > 1 {
                return Err(Refusal::Shared);
            }
            let socket = XdpSocket::open(interface, wise)?;
            Ok(vec![Arc::new(Self::Xdp(Box::new(socket)))])
        };
        match mode {
            IoMode::Packet => Ok((packet()?, None)),
            IoMode::Xdp => Ok((xdp(false)?, None)),
            IoMode::Auto => match xdp(true) {
                Ok(wires) => Ok((wires, None)),
                Err(refusal) => Ok((packet()?, Some(refusal))),
            },
        }
    }

    pub fn link_state(&self) -> LinkState {
        match self {
            Self::Packet(socket) => socket.link_state(),
            Self::Xdp(socket) => socket.link_state(),
        }
    }

    /// Wake the thread of `poller` for packets of this port.
    pub fn watch(&self, poller: &Poller, port: u32) -> io::Result<()> {
        match self {
            Self::Packet(socket) => poller.add(socket, Wake::Port(port)),
            Self::Xdp(socket) => {
                poller.add(socket.as_fd(), Wake::Port(port))?;
                poller.add(socket.room_timer(), Wake::Writable(port))
            }
        }
    }

    /// Whether to wake the thread, too, when packets can be sent again.
    pub fn watch_room(&self, poller: &Poller, port: u32, watch: bool) -> io::Result<()> {
        match self {
            Self::Packet(socket) => poller.watch_room(socket, port, watch),
            Self::Xdp(socket) => socket.watch_room(watch),
        }
    }

    /// Read what is there, up to one batch. Never blocks. Returns whether there may be more.
    pub fn receive(&self, batch: &mut RxBatch) -> io::Result<bool> {
        match self {
            Self::Packet(socket) => batch.receive(socket.as_fd()),
            Self::Xdp(socket) => socket.receive(batch),
        }
    }

    /// Send packets until one fails. Never blocks: `EAGAIN` says that the interface has enough to send.
    pub fn send(&self, batch: &mut TxBatch, now_ns: u64, packets: &[Vec<u8>]) -> Sent {
        match self {
            Self::Packet(socket) => socket.send(batch, packets),
            Self::Xdp(socket) => socket.send(now_ns, packets),
        }
    }

    /// Whether packets that were sent still wait for the kernel to take them.
    pub fn is_stuck(&self) -> bool {
        matches!(self, Self::Xdp(socket) if socket.is_stuck())
    }

    /// Whether the interface has nothing left to send.
    pub fn is_dry(&self) -> bool {
        match self {
            Self::Packet(socket) => matches!(socket.unsent_bytes(), Ok(0)),
            Self::Xdp(socket) => socket.is_dry(),
        }
    }

    /// The interface takes packets again: see that it has enough of them, and not more.
    pub fn refill(&self, now_ns: u64) -> io::Result<()> {
        match self {
            Self::Packet(socket) => socket.refill(now_ns),
            Self::Xdp(socket) => socket.refill(now_ns),
        }
    }

    /// Packets dropped since the last call because they came faster than they were read.
    pub fn take_overruns(&self) -> io::Result<u64> {
        match self {
            Self::Packet(socket) => socket.take_overruns(),
            Self::Xdp(socket) => socket.take_overruns(),
        }
    }

    /// The socket of AF_XDP, where it is one.
    pub fn xdp(&self) -> Option<&XdpSocket> {
        match self {
            Self::Packet(_) => None,
            Self::Xdp(socket) => Some(socket),
        }
    }
}

// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The seats of the switch's threads: each thread reads the sockets of its seat, without the machine's lock.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::packet_socket::PacketSocket;
use crate::poller::{Poller, Wake};

/// The seats, of which the first has the alarm, the calls and the changes of links besides.
#[derive(Debug)]
pub struct Seats(Vec<Seat>);

/// The poller that wakes one thread, and the sockets that it reads.
#[derive(Debug)]
pub struct Seat {
    pub poller: Poller,
    sockets: Mutex<BTreeMap<u32, Arc<PacketSocket>>>,
}

impl Seats {
    pub fn new(count: usize) -> io::Result<Self> {
        let seat = || {
            Ok(Seat {
                poller: Poller::new()?,
                sockets: Mutex::default(),
            })
        };
        Ok(Self(
            (0..count.max(1))
                .map(|_| seat())
                .collect::<io::Result<_>>()?,
        ))
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Seat> {
        self.0.iter()
    }

    /// The first thread's, which takes calls.
    pub fn first(&self) -> &Poller {
        &self.0[0].poller
    }

    pub fn get(&self, index: usize) -> &Seat {
        &self.0[index]
    }

    /// Wake all threads.
    pub fn wake(&self) {
        self.iter().for_each(|seat| seat.poller.wake());
    }

    /// Let the sockets of a port be read, each by a thread of those that read the fewest.
    pub fn add(&self, port: u32, sockets: &[Arc<PacketSocket>]) -> io::Result<()> {
        let added = sockets
            .iter()
            .try_for_each(|socket| self.add_one(port, socket));
        if added.is_err() {
            self.remove(port);
        }
        added
    }

    fn add_one(&self, port: u32, socket: &Arc<PacketSocket>) -> io::Result<()> {
        let free = self.iter().filter(|seat| seat.socket(port).is_none());
        let seat = free
            .min_by_key(|seat| seat.sockets.lock().len())
            .expect("a port has at most as many sockets as there are threads");
        seat.sockets.lock().insert(port, Arc::clone(socket));
        seat.poller.add(socket, Wake::Port(port))
    }

    /// Nobody reads the port's sockets any more, but for what is being read now.
    pub fn remove(&self, port: u32) {
        for seat in self.iter() {
            seat.sockets.lock().remove(&port);
        }
    }

    /// Whether to wake the thread that reads a socket as long as it takes packets.
    pub fn watch_room(&self, port: u32, socket: &Arc<PacketSocket>, watch: bool) -> io::Result<()> {
        let reads = |seat: &&Seat| {
            seat.socket(port)
                .is_some_and(|own| Arc::ptr_eq(&own, socket))
        };
        match self.iter().find(reads) {
            Some(seat) => seat.poller.watch_room(socket, port, watch),
            None => Ok(()),
        }
    }
}

impl Seat {
    /// The socket of a port that this seat's thread reads.
    pub fn socket(&self, port: u32) -> Option<Arc<PacketSocket>> {
        self.sockets.lock().get(&port).cloned()
    }
}

// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The seats of the switch's threads: each thread reads the wires of its seat, without the machine's lock.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::poller::Poller;
use crate::wire::Wire;

/// The seats, of which the first has the alarm, the calls and the changes of links besides.
#[derive(Debug)]
pub struct Seats(Vec<Seat>);

/// The poller that wakes one thread, and the sockets that it reads.
#[derive(Debug)]
pub struct Seat {
    pub poller: Poller,
    wires: Mutex<BTreeMap<u32, Arc<Wire>>>,
}

impl Seats {
    /// The threads wait busily for the time `busy` before they sleep.
    pub fn new(count: usize, busy: Duration) -> io::Result<Self> {
        let seat = || {
            Ok(Seat {
                poller: Poller::new(busy)?,
                wires: Mutex::default(),
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

    /// Let the wires of a port be read, each by a thread of those that read the fewest.
    pub fn add(&self, port: u32, wires: &[Arc<Wire>]) -> io::Result<()> {
        let added = wires.iter().try_for_each(|wire| self.add_one(port, wire));
        if added.is_err() {
            self.remove(port);
        }
        added
    }

    fn add_one(&self, port: u32, wire: &Arc<Wire>) -> io::Result<()> {
        let free = self.iter().filter(|seat| seat.wire(port).is_none());
        let seat = free
            .min_by_key(|seat| seat.wires.lock().len())
            .expect("a port has at most as many wires as there are threads");
        seat.wires.lock().insert(port, Arc::clone(wire));
        wire.watch(&seat.poller, port)
    }

    /// Let the thread that reads `old` read `new` instead.
    pub fn replace(&self, port: u32, old: &Arc<Wire>, new: &Arc<Wire>) -> io::Result<()> {
        if let Some(seat) = self.reader(port, old) {
            new.watch(&seat.poller, port)?;
            seat.wires.lock().insert(port, Arc::clone(new));
        }
        Ok(())
    }

    /// Nobody reads the port's wires any more, but for what is being read now.
    pub fn remove(&self, port: u32) {
        for seat in self.iter() {
            seat.wires.lock().remove(&port);
        }
    }

    /// Whether to wake the thread that reads a wire, too, when it takes packets.
    pub fn watch_room(&self, port: u32, wire: &Arc<Wire>, watch: bool) -> io::Result<()> {
        match self.reader(port, wire) {
            Some(seat) => wire.watch_room(&seat.poller, port, watch),
            None => Ok(()),
        }
    }

    fn reader(&self, port: u32, wire: &Arc<Wire>) -> Option<&Seat> {
        let reads = |seat: &&Seat| seat.wire(port).is_some_and(|own| Arc::ptr_eq(&own, wire));
        self.iter().find(reads)
    }
}

impl Seat {
    /// The wire of a port that this seat's thread reads.
    pub fn wire(&self, port: u32) -> Option<Arc<Wire>> {
        self.wires.lock().get(&port).cloned()
    }
}

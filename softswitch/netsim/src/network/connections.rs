// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Connections and their ends.

use std::sync::Arc;

use crate::measure::Totals;
use crate::packet::Endpoint;
use crate::tcp::{Connection, Stack};
use crate::time::Ns;
use crate::traffic::{ConnectionId, Side};

/// One end of a connection, at a host.
#[derive(Debug)]
pub struct End {
    pub host: u32,
    pub local: Endpoint,
    /// None at the end that was not called yet.
    pub connection: Option<Box<Connection>>,
    /// What the connection had counted when statistics began.
    pub before: Totals,
    /// What the source sent, and that it closed, before the connection was.
    pub early_bytes: u64,
    pub early_close: bool,
    /// The delay of the last packet with data that arrived here.
    pub last_delay_ns: Option<Ns>,
    /// The earliest timer event of this end in the event queue that counts; later ones are left over.
    armed_ns: Ns,
}

impl End {
    fn new(host: u32, local: Endpoint) -> Self {
        Self {
            host,
            local,
            connection: None,
            before: Totals::default(),
            early_bytes: 0,
            early_close: false,
            last_delay_ns: None,
            armed_ns: Ns::MAX,
        }
    }

    /// When the end is next to be called, if the event queue does not know yet.
    pub fn arm(&mut self) -> Option<Ns> {
        let at = self.connection.as_ref()?.timer_ns()?;
        if at >= self.armed_ns {
            return None;
        }
        self.armed_ns = at;
        Some(at)
    }

    /// Whether an event of this time is not one that was left over.
    pub fn wakes(&mut self, at: Ns) -> bool {
        let wakes = at == self.armed_ns;
        if wakes {
            self.armed_ns = Ns::MAX;
        }
        wakes
    }
}

/// A place for a connection; used again when that is over.
#[derive(Debug)]
pub struct Slot {
    pub id: ConnectionId,
    pub source: u32,
    /// The source is told what has been received and acknowledged.
    pub tells_progress: bool,
    pub stack: Arc<Stack>,
    pub ends: [End; 2],
    /// An end was closed or has failed: it may soon be over.
    pub ending: bool,
    /// It waits among those of which one end is over.
    pub lingers: bool,
}

#[derive(Debug, Default)]
pub struct Connections {
    slots: Vec<Option<Slot>>,
    free: Vec<u32>,
    opened: u64,
}

/// Bits of an id that are the place of the connection; those above count connections.
const PLACE_BITS: u32 = 24;
const PLACE_MASK: u64 = (1 << PLACE_BITS) - 1;

pub fn side_index(side: Side) -> usize {
    match side {
        Side::Opener => 0,
        Side::Acceptor => 1,
    }
}

pub fn side_of(end: u32) -> Side {
    if end & 1 == 0 {
        Side::Opener
    } else {
        Side::Acceptor
    }
}

impl Connections {
    /// A place for the next connection.
    pub fn reserve(&mut self) -> usize {
        match self.free.pop() {
            Some(place) => place as usize,
            None => {
                self.slots.push(None);
                self.slots.len() - 1
            }
        }
    }

    /// A connection between two hosts and their ports, which nobody has opened yet.
    pub fn put(
        &mut self,
        place: usize,
        (source, tells_progress): (u32, bool),
        stack: Arc<Stack>,
        ends: [(u32, Endpoint); 2],
    ) -> ConnectionId {
        self.opened += 1;
        let id = ConnectionId(self.opened << PLACE_BITS | place as u64);
        self.slots[place] = Some(Slot {
            id,
            source,
            tells_progress,
            stack,
            ends: ends.map(|(host, local)| End::new(host, local)),
            ending: false,
            lingers: false,
        });
        id
    }

    pub fn take(&mut self, place: usize) -> Option<Slot> {
        let slot = self.slots.get_mut(place)?.take();
        if slot.is_some() {
            self.free.push(place as u32);
        }
        slot
    }

    pub fn at(&mut self, place: usize) -> Option<&mut Slot> {
        self.slots.get_mut(place)?.as_mut()
    }

    /// The place of a connection that is not over.
    pub fn find(&self, id: ConnectionId) -> Option<usize> {
        let place = (id.0 & PLACE_MASK) as usize;
        let slot = self.slots.get(place)?.as_ref()?;
        (slot.id == id).then_some(place)
    }

    pub fn all(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter().flatten()
    }

    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.slots.iter_mut().flatten()
    }
}

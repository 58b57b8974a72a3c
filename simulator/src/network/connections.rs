// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The connections of the network, and their two ends.

use std::collections::VecDeque;
use std::sync::Arc;

use slab::Slab;

use super::alarm::Alarm;
use crate::packet::Endpoint;
use crate::time::Ns;
use crate::traffic::{ConnectionId, Progress, Side};
use crate::transport::{Counters, Socket, Transport};

/// One end of a connection, at a host.
#[derive(Debug)]
pub struct End {
    pub host: u32,
    pub local: Endpoint,
    /// None at the acceptor until its first segment arrives.
    pub socket: Option<Box<dyn Socket>>,
    /// The socket's counts when statistics began.
    pub before: Counters,
    /// Bytes that the source sent, and whether it closed, while `socket` was none.
    pub early_bytes: u64,
    pub early_close: bool,
    /// The delay of the last packet with data that arrived here.
    pub last_delay_ns: Option<Ns>,
    /// Bytes of the source's first message that are not acknowledged; and those of the messages behind it.
    awaited_bytes: u64,
    awaited_later: VecDeque<u64>,
    /// It waits for its turn on the host's link.
    pub awaits_turn: bool,
    /// The socket's next timer.
    alarm: Alarm,
}

impl End {
    fn new(host: u32, local: Endpoint) -> Self {
        Self {
            host,
            local,
            socket: None,
            before: Counters::default(),
            early_bytes: 0,
            early_close: false,
            last_delay_ns: None,
            awaited_bytes: 0,
            awaited_later: VecDeque::new(),
            awaits_turn: false,
            alarm: Alarm::default(),
        }
    }

    /// The source has sent a message of so many bytes.
    pub fn awaits(&mut self, bytes: u64) {
        match self.awaited_bytes {
            0 => self.awaited_bytes = bytes,
            _ => self.awaited_later.push_back(bytes),
        }
    }

    /// The messages of which `bytes` more acknowledge the last byte.
    pub fn acknowledged(&mut self, mut bytes: u64) -> u64 {
        let mut messages = 0;
        while self.awaited_bytes > 0 && bytes >= self.awaited_bytes {
            bytes -= self.awaited_bytes;
            self.awaited_bytes = self.awaited_later.pop_front().unwrap_or(0);
            messages += 1;
        }
        self.awaited_bytes = self.awaited_bytes.saturating_sub(bytes);
        messages
    }

    /// The time for which a timer event has to be scheduled, if any.
    pub fn arm(&mut self) -> Option<Ns> {
        let at = self.socket.as_ref()?.timer_ns()?;
        self.alarm.set(at)
    }

    /// The socket has something to do now.
    pub fn is_due(&self, now: Ns) -> bool {
        let timer_ns = self.socket.as_ref().and_then(|socket| socket.timer_ns());
        timer_ns.is_some_and(|at| at <= now)
    }

    /// Is the timer event of this time, which is now, the valid one?
    pub fn fires(&mut self, now: Ns) -> bool {
        self.alarm.fires(now)
    }
}

/// A connection of a source: both ends, and its life cycle.
#[derive(Debug)]
pub struct Pair {
    pub id: ConnectionId,
    pub source: u32,
    /// The events [`crate::transport::ConnectionEvent::is_progress`] that the source gets.
    pub progress: Progress,
    pub transport: Arc<dyn Transport>,
    pub ends: [End; 2],
    /// An end was closed or has failed, so the connection may be finished soon.
    pub ending: bool,
    /// It is in [`super::Network`]'s list of connections of which one end is finished.
    pub lingers: bool,
}

/// All connections that are not finished, by a key that is used again after one was removed.
#[derive(Debug, Default)]
pub struct Connections {
    pairs: Slab<Pair>,
    opened: u64,
}

/// The lower bits of a [`ConnectionId`] are the key; those above count connections, so that no id is used twice.
const KEY_BITS: u32 = 24;
const KEY_MASK: u64 = (1 << KEY_BITS) - 1;

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
    /// The key that [`Self::insert`] will give to the next connection.
    pub fn next_key(&self) -> usize {
        self.pairs.vacant_key()
    }

    /// Adds a connection between two endpoints, each with the index of its host. Neither end has sent anything.
    pub fn insert(
        &mut self,
        (source, progress): (u32, Progress),
        transport: Arc<dyn Transport>,
        ends: [(u32, Endpoint); 2],
    ) -> ConnectionId {
        self.opened += 1;
        let key = self.pairs.vacant_key();
        let id = ConnectionId(self.opened << KEY_BITS | key as u64);
        self.pairs.insert(Pair {
            id,
            source,
            progress,
            transport,
            ends: ends.map(|(host, local)| End::new(host, local)),
            ending: false,
            lingers: false,
        });
        id
    }

    pub fn remove(&mut self, key: usize) -> Option<Pair> {
        self.pairs.try_remove(key)
    }

    pub fn get(&self, key: usize) -> Option<&Pair> {
        self.pairs.get(key)
    }

    pub fn get_mut(&mut self, key: usize) -> Option<&mut Pair> {
        self.pairs.get_mut(key)
    }

    /// The key of a connection that is not finished.
    pub fn find(&self, id: ConnectionId) -> Option<usize> {
        let key = (id.0 & KEY_MASK) as usize;
        (self.pairs.get(key)?.id == id).then_some(key)
    }

    pub fn all(&self) -> impl Iterator<Item = &Pair> {
        self.pairs.iter().map(|(_, pair)| pair)
    }

    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut Pair> {
        self.pairs.iter_mut().map(|(_, pair)| pair)
    }
}

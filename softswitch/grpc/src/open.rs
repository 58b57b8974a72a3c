// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Connections and calls that are open, and how many may be.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

/// The limits of what a client may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The calls of all connections.
    pub calls: usize,
    pub calls_of_peer: usize,
    pub calls_per_connection: u32,
    /// The metadata of one call.
    pub metadata_bytes: u32,
    /// The bytes that a client may send of a call before somebody reads it.
    pub stream_window_bytes: u32,
    /// The same of a connection.
    pub connection_window_bytes: u32,
    /// The time in which a new connection has to begin a call.
    pub first_call: Duration,
    /// The time in which a client has to fetch the rest of an answer that is complete.
    pub answer: Duration,
    /// Silence after which a connection is probed.
    pub keepalive: Duration,
    /// The time in which a probed client has to answer.
    pub keepalive_answer: Duration,
}

/// A client's connection, as the [`Handler`](crate::Handler) sees it.
#[derive(Debug, Default)]
pub struct Connection {
    calls: AtomicUsize,
    pub(crate) has_called: AtomicBool,
    pub(crate) closing: Notify,
}

impl Connection {
    /// The number of calls that are open on it.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// Close it, whatever it does.
    pub fn close(&self) {
        self.closing.notify_one();
    }
}

/// The number of calls of each peer.
#[derive(Default)]
pub struct Calls(Mutex<HashMap<Arc<str>, usize>>);

impl Calls {
    /// The reason that there may be none more.
    fn add(&self, peer: &Arc<str>, limits: &Limits) -> Option<String> {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.values().sum::<usize>() >= limits.calls {
            return Some(format!("there are {} calls, the most", limits.calls));
        }
        let of_peer = calls.entry(Arc::clone(peer)).or_default();
        if *of_peer >= limits.calls_of_peer {
            return Some(format!(
                "there are {} calls of {peer}, the most",
                limits.calls_of_peer
            ));
        }
        *of_peer += 1;
        None
    }

    fn remove(&self, peer: &Arc<str>) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_peer) = calls.get_mut(peer) {
            *of_peer -= 1;
            if *of_peer == 0 {
                calls.remove(peer);
            }
        }
    }
}

/// A call. It counts until the system has its whole answer.
///
/// HTTP/2 drops it with its lock held, so nothing here may call the handler when it goes.
pub struct Open {
    connection: Arc<Connection>,
    peer: Arc<str>,
    calls: Arc<Calls>,
    /// Whether it counts: one that is refused does not.
    counts: bool,
}

impl Open {
    /// The call, and why there may be none more.
    pub fn new(
        connection: &Arc<Connection>,
        peer: &Arc<str>,
        calls: &Arc<Calls>,
        limits: &Limits,
    ) -> (Self, Option<String>) {
        connection.has_called.store(true, Ordering::Relaxed);
        let refusal = calls.add(peer, limits);
        let counts = refusal.is_none();
        if counts {
            connection.calls.fetch_add(1, Ordering::Relaxed);
        }
        let open = Self {
            connection: Arc::clone(connection),
            peer: Arc::clone(peer),
            calls: Arc::clone(calls),
            counts,
        };
        (open, refusal)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if self.counts {
            self.connection.calls.fetch_sub(1, Ordering::Relaxed);
            self.calls.remove(&self.peer);
        }
    }
}

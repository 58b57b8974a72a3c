// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The sessions of a switch, and the records of packets that arrive.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use super::budget::{Budget, Share};
use super::record::Record;
use super::session::{Consumer, Filter, Session, BURST_NS};
use crate::model::error::{ControlError, ControlResult, ErrorCode};

/// Sessions of one switch at a time.
const MAX_SESSIONS: usize = 8;

/// The sessions of a switch.
#[derive(Debug)]
pub(crate) struct Tracing {
    sessions: Vec<Arc<Session>>,
    ids: Arc<AtomicU64>,
    /// The part of the time that all traces may take, if there is a limit.
    percent: Option<u32>,
    /// The rest of the time for tracing, for sessions that come and go.
    time: Arc<Mutex<Budget>>,
}

impl Tracing {
    pub fn new(percent: Option<u32>) -> Self {
        Self {
            sessions: Vec::new(),
            ids: Arc::default(),
            percent,
            time: Arc::new(Mutex::new(Budget::new(BURST_NS * MAX_SESSIONS as u64))),
        }
    }

    pub fn begin(&mut self, filter: Filter) -> ControlResult<Consumer> {
        self.sessions.retain(|session| !session.is_closed());
        if self.sessions.len() >= MAX_SESSIONS {
            let message = format!("{MAX_SESSIONS} trace sessions are open, which is the most");
            return Err(ControlError::new(ErrorCode::ResourceExhausted, message));
        }
        let session = Arc::new(Session::new(filter, Arc::clone(&self.time)));
        self.sessions.push(Arc::clone(&session));
        Ok(Consumer::of(session))
    }

    #[inline]
    pub fn is_on(&self) -> bool {
        !self.sessions.is_empty()
    }

    /// The record of a packet that arrives, if some session traces it.
    #[cold]
    #[inline(never)]
    pub fn arrival(&mut self, now_ns: u64, port: u32, packet_bytes: u32) -> Option<Box<Record>> {
        self.sessions.retain(|session| !session.is_closed());
        // Each session has the same part, whatever the others ask for.
        let share = self.percent.map(|percent| Share {
            percent,
            of: self.sessions.len() as u32,
        });
        let sessions = self.sessions.iter();
        let wanted = sessions
            .filter(|session| session.begins(port, now_ns, share))
            .cloned()
            .collect();
        Record::of_arrival(wanted, &self.ids, now_ns, port, packet_bytes)
    }
}

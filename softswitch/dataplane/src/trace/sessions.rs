// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The sessions of a switch, and the records of packets that arrive.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};

use super::record::Record;
use super::session::{Filter, Session, Share};
use crate::control::{ControlError, ControlResult, ErrorCode};

/// Sessions of one switch at a time.
const MAX_SESSIONS: usize = 8;

/// The sessions of a switch.
#[derive(Debug)]
pub(crate) struct Tracing {
    sessions: Vec<Weak<Session>>,
    ids: Arc<AtomicU64>,
    /// The part of the time that all traces may take, if there is a limit.
    percent: Option<u32>,
}

impl Tracing {
    pub fn new(percent: Option<u32>) -> Self {
        Self {
            sessions: Vec::new(),
            ids: Arc::default(),
            percent,
        }
    }

    pub fn begin(&mut self, filter: Filter) -> ControlResult<Arc<Session>> {
        self.sessions.retain(|session| session.strong_count() > 0);
        if self.sessions.len() >= MAX_SESSIONS {
            let message = format!("{MAX_SESSIONS} trace sessions are open, which is the most");
            return Err(ControlError::new(ErrorCode::ResourceExhausted, message));
        }
        let session = Arc::new(Session::new(filter));
        self.sessions.push(Arc::downgrade(&session));
        Ok(session)
    }

    #[inline]
    pub fn is_on(&self) -> bool {
        !self.sessions.is_empty()
    }

    /// The record of a packet that arrives, if some session traces it.
    #[cold]
    #[inline(never)]
    pub fn arrival(&mut self, now_ns: u64, port: u32, packet_bytes: u32) -> Option<Box<Record>> {
        self.sessions.retain(|session| session.strong_count() > 0);
        // Each session has the same part, whatever the others ask for.
        let share = self.percent.map(|percent| Share {
            percent,
            of: self.sessions.len() as u32,
        });
        let sessions = self.sessions.iter().filter_map(Weak::upgrade);
        let wanted = sessions
            .filter(|session| session.begins(port, now_ns, share))
            .collect();
        Record::of_arrival(wanted, &self.ids, now_ns, port, packet_bytes)
    }
}

// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The end of connections: they are freed when both ends are finished.

use super::connections::End;
use super::sockets::add_counts;
use super::state::Network;
use crate::time::{Ns, NS_PER_S};

/// The least time that a connection with one finished end is kept, since its source may still use the other end.
const LINGER_NS: Ns = 60 * NS_PER_S;

impl Network {
    /// Frees a connection if both ends are finished. If one is, the connection is looked at again later.
    pub(super) fn free_if_finished(&mut self, key: usize) {
        let Some(pair) = self.connections.get_mut(key) else {
            return;
        };
        if pair.ends.iter().all(finished) {
            self.free(key);
        } else if pair.ends.iter().any(finished) && !pair.lingers {
            pair.lingers = true;
            let id = pair.id;
            self.lingering.push_back((self.now, id));
        }
    }

    /// Frees connections of which one end has been finished for [`LINGER_NS`] and the other is idle.
    pub(super) fn free_lingering(&mut self) {
        while let Some(&(since, id)) = self.lingering.front() {
            // One that was freed goes at once: there may be millions of short ones within this time.
            let Some(key) = self.connections.find(id) else {
                self.lingering.pop_front();
                continue;
            };
            if since + LINGER_NS > self.now {
                return;
            }
            self.lingering.pop_front();
            let is_over = self
                .connections
                .get_mut(key)
                .is_some_and(|pair| pair.ends.iter().all(|end| finished(end) || idle(end)));
            if is_over {
                self.free(key);
            } else {
                self.lingering.push_back((self.now, id));
            }
        }
    }

    pub(super) fn free(&mut self, key: usize) {
        if let Some(pair) = self.connections.remove(key) {
            self.lanes.end(&pair);
            self.unbind(&pair);
            for (side, end) in pair.ends.iter().enumerate() {
                let turns = self.wires[end.host as usize].turns.as_mut();
                if let Some(turns) = turns.filter(|_| end.awaits_turn) {
                    turns.forget((key * 2 + side) as u32);
                }
            }
            let source = &mut self.sources[pair.source as usize];
            add_counts(&mut source.counts.transport, &pair);
        }
    }
}

/// An end that neither sends nor answers any more. One without a socket counts as such.
fn finished(end: &End) -> bool {
    end.socket
        .as_ref()
        .is_none_or(|socket| socket.is_finished())
}

/// An end with nothing in flight and no timer.
fn idle(end: &End) -> bool {
    end.socket
        .as_ref()
        .is_none_or(|socket| socket.flight_bytes() == 0 && socket.timer_ns().is_none())
}

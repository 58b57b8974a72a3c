// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Source quenches (ISQs) that quote a packet of the connection: the checks that need the connection, and the reaction.
//!
//! `../packet/quench.rs` makes the other checks. The reaction itself is the window algorithm's (`../cc/window.rs`).

use super::config::QuenchTiming;
use super::connection::{Connection, State};
use crate::cc::{Ack, QuenchKind};
use crate::packet::{Refusal, SourceQuench, Verdict};
use crate::time::Ns;

/// The fate of the quoted packet; none if the ISQ was refused.
fn kind_of(verdict: Verdict) -> Option<QuenchKind> {
    match verdict {
        Verdict::AcceptedMarked => Some(QuenchKind::Marked),
        Verdict::AcceptedDropped => Some(QuenchKind::Dropped),
        Verdict::Refused(_) => None,
    }
}

impl Connection {
    /// Handles an ISQ that quotes a packet of this connection, and counts the verdict. An ISQ never causes a
    /// transmission.
    pub(super) fn on_quench(&mut self, quench: &SourceQuench, now: Ns) -> Verdict {
        let verdict = self.check_quench(quench);

        self.counters.quench.count(verdict);
        if let Some(kind) = kind_of(verdict) {
            self.apply_quench(kind, quench.level, now);
        }
        verdict
    }

    /// The checks that need the connection, in the order of host_stack/bpf/q_isq.bpf.c.
    fn check_quench(&self, quench: &SourceQuench) -> Verdict {
        let quote = match quench.quote {
            Ok(quote) => quote,
            Err(refusal) => return Verdict::Refused(refusal),
        };
        let sender = &self.sender;

        if quote.source != self.local
            || quote.destination != self.remote
            || matches!(self.state, State::Closed | State::Failed)
        {
            return Verdict::Refused(Refusal::NoSocket);
        }
        if !self.stack.obeys_quench {
            return Verdict::Refused(Refusal::NotListening);
        }
        let in_flight = sender
            .position(quote.seq)
            .is_some_and(|position| position >= sender.una && position < sender.max);
        if !in_flight {
            return Verdict::Refused(Refusal::NotInFlight);
        }
        if quench.marked {
            Verdict::AcceptedMarked
        } else {
            Verdict::AcceptedDropped
        }
    }

    /// Gives an accepted ISQ to the window algorithm, now or with the next ACK.
    fn apply_quench(&mut self, kind: QuenchKind, level: u8, now: Ns) {
        match self.stack.quench {
            QuenchTiming::NextAck if self.sender.pending_isq.is_some() => {
                // The pending ISQ is about the same window of data, so this one would reduce nothing.
                self.counters.suppressed_isq += 1;
            }
            QuenchTiming::NextAck => self.sender.pending_isq = Some((kind, level)),
            QuenchTiming::AtOnce => {
                let ack = Ack {
                    quench: Some((kind, level)),
                    ..self.algorithm_input(now)
                };
                let was_at_one = self.sender.window.cwnd_pkts() <= 1.0;
                let outcome = self.sender.window.on_ack(&ack);
                self.after_reaction(&outcome, was_at_one);
            }
        }
    }
}

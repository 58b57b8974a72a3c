// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Source quenches that quote a packet of the connection.

use super::config::QuenchTiming;
use super::connection::{Connection, State};
use super::io::Io;
use crate::cc::{Ack, QuenchKind};
use crate::packet::{Refusal, SourceQuench, Verdict};
use crate::time::Ns;

/// What an ISQ that is believed says of the packet.
fn kind_of(verdict: Verdict) -> Option<QuenchKind> {
    match verdict {
        Verdict::AcceptedMarked => Some(QuenchKind::Marked),
        Verdict::AcceptedDropped => Some(QuenchKind::Dropped),
        Verdict::Refused(_) => None,
    }
}

impl Connection {
    /// An ISQ that quotes a packet of this connection, or that cannot be read. The verdict is counted here. An ISQ
    /// never makes a sender send.
    pub fn on_source_quench(&mut self, quench: &SourceQuench, now: Ns, _io: &mut Io) -> Verdict {
        let verdict = self.judge_quench(quench);

        self.counters.quench.count(verdict);
        if let Some(kind) = kind_of(verdict) {
            self.obey_quench(kind, quench.level, now);
        }
        verdict
    }

    /// The checks that need the connection, in the kernel program's order.
    fn judge_quench(&self, quench: &SourceQuench) -> Verdict {
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

    fn obey_quench(&mut self, kind: QuenchKind, level: u8, now: Ns) {
        match self.stack.quench {
            QuenchTiming::NextAck if self.sender.mailbox.is_some() => {
                // One that waits already is of the same window, so this one would not count anyway.
                self.counters.suppressed_isq += 1;
            }
            QuenchTiming::NextAck => self.sender.mailbox = Some((kind, level)),
            QuenchTiming::AtOnce => {
                let ack = Ack {
                    quench: Some((kind, level)),
                    ..self.facts(now)
                };
                let was_at_one = self.sender.window.cwnd_pkts() <= 1.0;
                let outcome = self.sender.window.on_ack(&ack);
                self.after_reaction(&outcome, was_at_one);
            }
        }
    }
}

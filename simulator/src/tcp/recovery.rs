// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Losses: duplicate ACKs, fast recovery (Reno, NewReno) and the retransmission timer.

use super::ack::AckSignals;
use super::config::{Recovery, SenderRules};
use super::connection::{Connection, State};
use super::echo::Marks;
use super::sender::LastCut;
use crate::time::Ns;
use crate::transport::Io;

/// RFC 5681's and ns-2's least threshold, in packets.
const MIN_SSTHRESH_PKTS: f64 = 2.0;

impl Connection {
    /// Does the sender follow ns-2's Reno and NewReno agents instead of the RFCs?
    fn follows_ns2(&self) -> bool {
        self.stack.sender == SenderRules::Ns2 && !self.sack
    }

    /// Is this a partial ACK (RFC 6582 section 3.2), after which fast recovery goes on?
    pub(super) fn is_partial(&self, ack: u64) -> bool {
        let sender = &self.sender;
        let recovering = if self.follows_ns2() {
            sender.last_cut == LastCut::Loss
        } else {
            sender.in_recovery
        };

        recovering
            && (self.sack || self.stack.recovery != Recovery::Reno)
            && sender.recover.is_some_and(|recover| ack < recover)
    }

    /// A partial ACK: the next lost segment is sent at once.
    pub(super) fn on_partial_ack(&mut self, acked_pkts: u32, now: Ns, io: &mut Io) {
        let first = !std::mem::replace(&mut self.sender.had_partial_ack, true);

        if !self.follows_ns2() {
            self.sender.dupacks = 0;
        }
        if first || !self.stack.impatient || self.sack {
            self.restart_timer(now);
        }
        if self.sack {
            return;
        }
        self.sender.inflation = if self.stack.partial_deflation {
            self.sender.inflation.saturating_sub(acked_pkts) + 1
        } else {
            0
        };
        self.resend_first(now, io);
    }

    /// An ACK of new data outside of fast recovery, or one that ends it.
    pub(super) fn on_full_ack(&mut self, now: Ns) {
        let sender = &mut self.sender;

        sender.dupacks = 0;
        sender.had_partial_ack = false;
        if sender.inflation > 0 && sender.last_cut == LastCut::Loss {
            sender.last_cut = LastCut::Recovered;
        }
        let left_recovery = std::mem::replace(&mut sender.in_recovery, false);
        sender.inflation = 0;
        if left_recovery && self.stack.bounded_exit && self.stack.recovery == Recovery::Newreno {
            // RFC 6582 section 3.2 step 3: no burst after recovery.
            let flight_pkts = self.sender.flight().div_ceil(self.mss()).max(1) as u32;
            self.sender.window.limit(flight_pkts + 1);
        }
        self.restart_timer(now);
    }

    pub(super) fn on_dupack(&mut self, newly_sacked: u64, marks: Marks, now: Ns, io: &mut Io) {
        self.counters.duplicate_acks_received += 1;
        self.sender.dupacks += 1;
        self.sender.counted_delivered += u32::from(!self.sack);
        let signals = AckSignals {
            delivered_pkts: if self.sack {
                newly_sacked.div_ceil(self.mss()) as u32
            } else {
                1
            },
            marks,
            ..AckSignals::default()
        };
        if self.follows_ns2() {
            self.on_dupack_of_ns2(&signals, now, io);
        } else {
            self.on_dupack_of_rfc(&signals, now, io);
        }
        self.transmit_after_ack(now, io);
    }

    /// RFC 6582, or RFC 6675 with SACK.
    fn on_dupack_of_rfc(&mut self, signals: &AckSignals, now: Ns, io: &mut Io) {
        let shows_loss = self.sender.dupacks >= self.stack.dupack_threshold
            || self.sack && self.is_lost(self.sender.una);
        let is_new = self.sender.recover.is_none_or(|recover| {
            self.sender.una > recover || self.sack && self.sender.una >= recover
        });
        let loss = !self.sender.in_recovery && shows_loss && is_new;
        let signals = AckSignals {
            loss,
            in_recovery: self.sender.in_recovery || loss,
            ..*signals
        };

        self.run_algorithm(&signals, now);
        if loss {
            self.sender.recover = Some(self.sender.max);
            self.sender.in_recovery = true;
            self.sender.had_partial_ack = false;
            self.sender.inflation = if self.sack {
                0
            } else {
                self.stack.dupack_threshold
            };
            self.sender.resent = self.sender.una;
            self.fast_retransmit(now, io);
        } else if self.sender.in_recovery && !self.sack {
            self.sender.inflation += 1;
        }
    }

    /// ns-2: duplicate ACKs inflate the window even if they start no fast retransmit. After a reduction for a mark or
    /// an ISQ the lost packet is sent again without another reduction.
    fn on_dupack_of_ns2(&mut self, signals: &AckSignals, now: Ns, io: &mut Io) {
        let threshold = self.stack.dupack_threshold;

        if self.sender.dupacks != threshold {
            if self.sender.dupacks > threshold {
                self.sender.inflation += 1;
            }
            self.run_algorithm(signals, now);
            return;
        }
        let is_new = self
            .sender
            .recover
            .is_none_or(|recover| self.sender.una > recover);
        let signals = AckSignals {
            loss: is_new,
            in_recovery: true,
            ..*signals
        };
        self.run_algorithm(&signals, now);
        if is_new {
            self.sender.recover = Some(self.sender.max);
        }
        if is_new || self.sender.last_cut == LastCut::Signal {
            self.sender.last_cut = LastCut::Loss;
            self.sender.timed = None;
            self.fast_retransmit(now, io);
        }
        self.sender.inflation = threshold;
    }

    fn fast_retransmit(&mut self, now: Ns, io: &mut Io) {
        self.counters.fast_retransmits += 1;
        self.start_timer(now);
        self.resend_first(now, io);
        if self.sack {
            self.sender.resent = self.sender.una + self.segment_at(self.sender.una);
        }
    }

    /// The retransmission timer has fired.
    pub(super) fn on_timeout(&mut self, now: Ns, io: &mut Io) {
        let outstanding = self.sender.flight() > 0;
        let waits = self.sender.next < self.sender.total_end();

        if !outstanding && !waits {
            return;
        }
        self.counters.timeouts += 1;
        self.sender.timeouts_in_row += 1;
        if self.stack.max_timeouts > 0 && self.sender.timeouts_in_row > self.stack.max_timeouts {
            return self.fail(io);
        }
        if self.state != State::Open {
            self.sender.estimator.back_off();
            return self.send_syn(now, io);
        }
        self.cut_for_timeout(outstanding, now);
        if outstanding {
            self.sender.estimator.back_off();
        }
        let sender = &mut self.sender;
        sender.recover = Some(sender.max);
        sender.in_recovery = false;
        sender.had_partial_ack = false;
        sender.dupacks = 0;
        sender.inflation = 0;
        sender.counted_delivered = 0;
        sender.last_cut = LastCut::Timeout;
        sender.timed = None;
        sender.next = sender.una;
        self.start_timer(now);
        self.transmit(None, now, io);
    }

    fn cut_for_timeout(&mut self, outstanding: bool, now: Ns) {
        let mut input = self.algorithm_input(now);
        let before = self.sender.window.clone();

        if self.stack.sender == SenderRules::Ns2 {
            // In ns-2 the next mark after a timeout reduces the window, even in the same window of data.
            input.snd_nxt = input.snd_una.wrapping_sub(1);
        }
        let outcome = self.sender.window.on_rto(&input);
        if self.stack.sender == SenderRules::Ns2 {
            // In ns-2 each timeout halves the threshold again, unless the last reduction was for a mark or an ISQ.
            let kept = if !outstanding || self.sender.last_cut == LastCut::Signal {
                before.ssthresh_pkts()
            } else {
                let window_pkts = before.whole_pkts().min(self.stack.max_window_pkts);
                f64::from(window_pkts / 2).max(MIN_SSTHRESH_PKTS)
            };
            self.sender.window.set_ssthresh_pkts(kept);
        }
        self.after_reaction(&outcome, false);
    }

    /// Sets the window back to the initial one after a pause of one RTO (RFC 5681 section 4.1).
    pub(super) fn restart_after_idle(&mut self, now: Ns) {
        let rto = self.sender.estimator.rto_ns();
        let idle = now.saturating_sub(self.sender.last_sent);

        if !self.stack.restart_after_idle
            || self.sender.flight() > 0
            || self.sender.una == 0
            || idle <= rto
            || self.sender.next < self.sender.end
        {
            return;
        }
        if self.stack.sender == SenderRules::Ns2 {
            // ns-2's timer goes on while the sender is idle, and fires with nothing to send.
            self.cut_for_timeout(false, now);
            self.sender.last_cut = LastCut::Timeout;
            self.sender.recover = Some(self.sender.max);
        } else {
            let rtos = u32::try_from(idle / rto).unwrap_or(u32::MAX);
            self.sender
                .window
                .on_idle(rtos, self.stack.initial_window_pkts);
        }
    }
}

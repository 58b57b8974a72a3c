// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! ACKs: the data that they acknowledge, and the signals of congestion that they carry to the window algorithm.

use super::config::{Growth, Recovery, SenderRules};
use super::connection::{Connection, State};
use super::echo::{Echo, Marks};
use super::sender::LastCut;
use crate::cc::{flag, signal, Ack, MarkLevel, Outcome};
use crate::packet::{Flags, Segment};
use crate::time::Ns;
use crate::transport::{ConnectionEvent, Io};

const NS_PER_US: u64 = 1000;
const MARKS: u32 = signal::ECE | signal::INCIPIENT | signal::MODERATE;

/// The signals of one ACK for the window algorithm.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AckSignals {
    /// Packets that this ACK is the first to report as delivered.
    pub delivered_pkts: u32,
    /// Bytes by which it moves SND.UNA.
    pub acked_bytes: u64,
    pub marks: Marks,
    /// It acknowledges new data.
    pub progress: bool,
    /// It has shown a loss, which starts fast recovery.
    pub loss: bool,
    pub in_recovery: bool,
}

impl Connection {
    pub(super) fn on_ack(&mut self, segment: &Segment, now: Ns, io: &mut Io) {
        let Some(ack) = self.sender.position(segment.ack) else {
            return;
        };
        if ack > self.sender.max || ack < self.sender.una {
            return;
        }
        let ends_handshake = self.state == State::SynReceived;
        if ends_handshake {
            if ack == 0 {
                return;
            }
            self.establish(now, io);
        }
        self.sender.peer_window = u64::from(segment.window) << self.window_shifts.0;
        let newly_sacked = self.note_sacks(segment, ack);
        let marks = self.read_marks(segment, ends_handshake, ack, newly_sacked);
        let is_pure = segment.payload_bytes == 0 && !segment.flags.has(Flags::FIN);

        if ack > self.sender.una {
            self.on_new_ack(ack, newly_sacked, marks, now, io);
        } else if is_pure && self.sender.flight() > 0 && (!self.sack || newly_sacked > 0) {
            self.on_dupack(newly_sacked, marks, now, io);
        } else {
            let signals = AckSignals {
                marks,
                in_recovery: self.sender.in_recovery,
                ..AckSignals::default()
            };
            self.run_algorithm(&signals, now);
            if self.sender.dupacks == 0 || self.stack.sender == SenderRules::Rfc {
                self.transmit(None, now, io);
            }
        }
    }

    /// The marks that an ACK reports. `ends_handshake`: it is the first for the SYN-ACK.
    fn read_marks(
        &mut self,
        segment: &Segment,
        ends_handshake: bool,
        ack: u64,
        newly_sacked: u64,
    ) -> Marks {
        if !matches!(self.echo, Echo::AccEcn(_)) {
            return self.echo.read_echo(segment, &mut self.counters);
        }
        let bare = segment.payload_bytes == 0 && segment.options.sack.as_slice().is_empty();
        let delivered_bytes = self.newly_delivered(ack, newly_sacked);
        let delivered_pkts = delivered_bytes.div_ceil(self.mss()) as u32;
        let marked_pkts = self.echo.accecn().map_or(0, |accecn| {
            if ends_handshake && bare {
                accecn.read_third_ack(segment).into()
            } else {
                accecn.read(segment, delivered_pkts)
            }
        });
        self.counters.ece_received += u64::from(marked_pkts > 0);
        Marks::counted(marked_pkts)
    }

    /// Bytes that this ACK is the first to report as delivered. Without SACK duplicate ACKs report none.
    fn newly_delivered(&self, ack: u64, newly_sacked: u64) -> u64 {
        let sender = &self.sender;

        ack - sender.una - sender.sacked.covered(sender.una, ack) + newly_sacked
    }

    fn on_new_ack(&mut self, ack: u64, newly_sacked: u64, marks: Marks, now: Ns, io: &mut Io) {
        let was = self.sender.una;
        let data_bytes = ack.min(self.sender.end) - was.clamp(self.sender.start, self.sender.end);
        let acked_pkts = (ack - was).div_ceil(self.mss()) as u32;
        let delivered_pkts = self.delivered_by_progress(ack, acked_pkts, newly_sacked);
        let is_partial = self.is_partial(ack);

        self.sender.una = ack;
        self.sender.next = self.sender.next.max(ack);
        self.sender.sacked.remove_before(ack);
        self.sender.resent = self.sender.resent.max(ack);
        self.sender.timeouts_in_row = 0;
        let signals = AckSignals {
            delivered_pkts,
            acked_bytes: ack - was,
            marks,
            progress: true,
            loss: false,
            in_recovery: is_partial,
        };
        if marks.level == MarkLevel::None && !is_partial {
            self.sender.ecn_backed_off = false;
        }
        self.run_algorithm(&signals, now);
        self.measure_rtt(ack, is_partial, marks.level, now);
        if is_partial {
            self.on_partial_ack(acked_pkts, now, io);
        } else {
            self.on_full_ack(now);
        }
        if data_bytes > 0 {
            self.counters.acked_bytes += data_bytes;
            io.events.push(ConnectionEvent::Acked { bytes: data_bytes });
        }
        self.transmit_after_ack(now, io);
    }

    /// Packets that this ACK reports as delivered, without those that earlier duplicate ACKs have reported.
    fn delivered_by_progress(&mut self, ack: u64, acked_pkts: u32, newly_sacked: u64) -> u32 {
        if self.stack.growth == Growth::Ack {
            return 1;
        }
        if self.sack {
            let delivered = self.newly_delivered(ack, newly_sacked);
            return delivered.div_ceil(self.mss()).max(1) as u32;
        }
        let counted = self.sender.counted_delivered;
        self.sender.counted_delivered = counted.saturating_sub(acked_pkts.saturating_sub(1));
        if acked_pkts > counted {
            self.sender.counted_delivered = 0;
        }
        acked_pkts.saturating_sub(counted).max(1)
    }

    /// Takes a sample of the round trip if the timed segment is acknowledged. ns-2 takes none from partial ACKs.
    fn measure_rtt(&mut self, ack: u64, is_partial: bool, level: MarkLevel, now: Ns) {
        let Some((_, sent)) = self.sender.timed.filter(|&(end, _)| ack >= end) else {
            return;
        };

        self.sender.timed = None;
        // ns-2 keeps the longer RTO while marks come at a window of one packet.
        if !(self.sender.ecn_backed_off && level == MarkLevel::Ece) {
            self.sender.estimator.end_back_off();
            self.sender.ecn_backed_off = false;
        }
        if !(is_partial && self.stack.sender == SenderRules::Ns2) {
            self.sender.estimator.sample(sent, now);
        }
    }

    /// The input of the window algorithm that does not depend on the event.
    pub(super) fn algorithm_input(&self, now: Ns) -> Ack {
        let sender = &self.sender;

        Ack {
            now_us: now / NS_PER_US,
            srtt_us: (sender.estimator.srtt_ns().unwrap_or(0) / NS_PER_US) as u32,
            snd_una: sender.seq(sender.una),
            snd_nxt: sender.seq(sender.max),
            ..Ack::default()
        }
    }

    /// Calls the window algorithm for an ACK, with the ISQ that waits for it.
    pub(super) fn run_algorithm(&mut self, signals: &AckSignals, now: Ns) -> Outcome {
        let limited =
            self.stack.grow_when_idle || self.sender.usage.is_limited(&self.sender.window);
        let mut flags = 0;

        for (is_so, bit) in [
            (signals.loss, flag::LOSS),
            (signals.in_recovery, flag::IN_RECOVERY),
            (limited, flag::CWND_LIMITED),
            (self.echo.accecn().is_some(), flag::ACCECN),
        ] {
            if is_so {
                flags |= bit;
            }
        }
        let marked = signals.marks.level != MarkLevel::None;
        let ack = Ack {
            acked_pkts: if signals.progress {
                signals.delivered_pkts
            } else {
                0
            },
            acked_bytes: signals.acked_bytes as u32,
            marked_pkts: match signals.marks.pkts {
                Some(pkts) => pkts,
                None if marked => signals.delivered_pkts,
                None => 0,
            },
            delivered_pkts: signals.delivered_pkts,
            quench: self.sender.pending_isq.take(),
            mark_level: signals.marks.level,
            flags,
            ..self.algorithm_input(now)
        };
        self.counters.pkts_marked += u64::from(ack.marked_pkts);
        self.counters.pkts_unmarked += u64::from(ack.acked_pkts.saturating_sub(ack.marked_pkts));
        let was_at_one = self.sender.window.cwnd_pkts() <= 1.0;
        // In ns-2 a reduction for a mark starts from the inflated window.
        let inflation = self.sender.inflation;
        let saved = (marked && inflation > 0 && self.stack.sender == SenderRules::Ns2).then(|| {
            self.sender
                .window
                .inflate(inflation, self.stack.max_window_pkts)
        });
        let outcome = self.sender.window.on_ack(&ack);
        if let Some(saved) = saved.filter(|_| outcome.reacted == 0) {
            self.sender.window.deflate(saved);
        }
        self.after_reaction(&outcome, was_at_one);
        outcome
    }

    /// Counts the reaction of the algorithm, and updates the state that depends on it.
    pub(super) fn after_reaction(&mut self, outcome: &Outcome, was_at_one: bool) {
        self.count(outcome);
        if outcome.reacted & (signal::LOSS | signal::RTO) != 0
            || outcome.queue_cwr
            || outcome.reacted & MARKS != 0
        {
            self.sender.cwr_due = true;
        }
        if self.stack.sender != SenderRules::Ns2 {
            return;
        }
        if outcome.reacted & MARKS != 0 {
            if was_at_one && self.sender.ecn_backed_off {
                self.sender.estimator.back_off();
            }
            self.sender.ecn_backed_off = was_at_one;
        }
        if outcome.reacted & (MARKS | signal::ISQ_MARKED | signal::ISQ_DROPPED) != 0 {
            self.sender.recover = Some(self.sender.max);
            self.sender.last_cut = LastCut::Signal;
        }
    }

    fn count(&mut self, outcome: &Outcome) {
        let counters = &mut self.counters;

        for (bit, counter) in [
            (signal::ISQ_MARKED, &mut counters.reactions_isq_marked),
            (signal::ISQ_DROPPED, &mut counters.reactions_isq_dropped),
            (signal::ECE, &mut counters.reactions_ece),
            (signal::LOSS, &mut counters.reactions_loss),
            (signal::RTO, &mut counters.reactions_rto),
            (signal::INCIPIENT, &mut counters.reactions_incipient),
            (signal::MODERATE, &mut counters.reactions_moderate),
        ] {
            *counter += u64::from(outcome.reacted & bit != 0);
        }
        for (bits, counter) in [
            (
                signal::ISQ_MARKED | signal::ISQ_DROPPED,
                &mut counters.suppressed_isq,
            ),
            (signal::ECE, &mut counters.suppressed_ece),
            (signal::LOSS, &mut counters.suppressed_loss),
            (signal::INCIPIENT, &mut counters.suppressed_incipient),
            (signal::MODERATE, &mut counters.suppressed_moderate),
        ] {
            *counter += u64::from(outcome.suppressed & bits != 0);
        }
        counters.cwr_queued += u64::from(outcome.queue_cwr);
    }

    /// Sends the segments that the ACK has made room for.
    pub(super) fn transmit_after_ack(&mut self, now: Ns, io: &mut Io) {
        let threshold = self.stack.dupack_threshold;

        if self.stack.sender == SenderRules::Rfc || self.sack || self.sender.dupacks == 0 {
            self.transmit(None, now, io);
        } else if self.sender.dupacks >= threshold {
            // ns-2 sends no new data for the first duplicate ACKs, and NewReno at most two for each later one.
            let burst = (self.stack.recovery == Recovery::Newreno).then_some(2);
            self.transmit(burst, now, io);
        }
    }
}

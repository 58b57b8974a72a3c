// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! DCQCN's rate machine (Zhu et al., SIGCOMM 2015), in the form of network cards that HPCC's ns-3 code has: notifications
//! only leave a note, and alpha, cuts and increases run on timers of their own. With `at_once` a notification cuts at
//! once, as in the paper.
//!
//! No timer needs an event: what the timers did up to now is worked out when somebody asks. A new rate counts from the next
//! packet on in any case. A pause that a switch asks for stops the sender, and none of the timers.

use crate::time::Ns;

/// The rules of a stack.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub full_bps: u64,
    pub min_bps: u64,
    pub alpha_ns: Ns,
    pub decrease_ns: Ns,
    pub increase_ns: Ns,
    /// The weight of the last interval in alpha.
    pub gain: f64,
    /// Increases that only return to the target.
    pub recovery_stages: u32,
    pub increase_bps: u64,
    pub hyper_increase_bps: u64,
    /// Bytes sent that raise the rate as the timer does; 0: only the timer does.
    pub byte_counter: u64,
    /// Each cut lowers the target, not only the first one after an increase.
    pub clamps_target: bool,
    pub at_once: bool,
}

/// The kind of signal that a reaction is due to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// A CNP of the receiver.
    Receiver,
    /// A CNP of a switch.
    Switch,
    QuenchOfMarked,
    QuenchOfDropped,
}

/// Rates are whole bits per second, rounded down.
#[derive(Debug)]
pub(super) struct RateMachine {
    rules: Rules,
    rate_bps: u64,
    /// The rate to which increases return.
    target_bps: u64,
    alpha: f64,
    /// The next ticks of alpha and of cuts; none before the first notification.
    ticks: Option<(Ns, Ns)>,
    /// There was a notification since alpha's last tick.
    alpha_noted: bool,
    /// There was one since the last tick of cuts.
    cut_noted: Option<Cause>,
    last_cut_ns: Option<Ns>,
    /// None before the first cut.
    increase_at: Option<Ns>,
    /// Increases since the last cut, by the timer and by the byte counter.
    time_stage: u32,
    byte_stage: u32,
    /// Bytes sent since the byte counter's last increase.
    bytes: u64,
    /// Nothing is to be sent before.
    paused_until: Ns,
    /// Cuts and pauses that nobody has asked for yet.
    reactions: Vec<Cause>,
}

impl RateMachine {
    /// A flow begins at the rate of its link.
    pub fn new(rules: &Rules) -> Self {
        Self {
            rules: *rules,
            rate_bps: rules.full_bps,
            target_bps: rules.full_bps,
            alpha: 1.0,
            ticks: None,
            alpha_noted: false,
            cut_noted: None,
            last_cut_ns: None,
            increase_at: None,
            time_stage: 0,
            byte_stage: 0,
            bytes: 0,
            paused_until: 0,
            reactions: Vec::new(),
        }
    }

    pub fn rate_bps(&self) -> u64 {
        self.rate_bps
    }

    #[cfg(test)]
    pub fn target_bps(&self) -> u64 {
        self.target_bps
    }

    #[cfg(test)]
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The causes of the cuts and pauses since the last call.
    pub fn take_reactions(&mut self) -> impl Iterator<Item = Cause> + '_ {
        self.reactions.drain(..)
    }

    /// Does everything that was due up to now. At one moment alpha comes first, then an increase, then a cut.
    pub fn advance(&mut self, now: Ns) {
        loop {
            let cut_at = match (self.cut_noted, self.ticks) {
                (Some(cause), Some((_, at))) if at <= now => Some((at, cause)),
                _ => None,
            };
            let increase_at = self.increase_at.filter(|&at| at <= now);
            match (increase_at, cut_at) {
                (Some(at), cut) if cut.is_none_or(|(cut_at, _)| at <= cut_at) => {
                    self.increase_at = Some(at.saturating_add(self.rules.increase_ns));
                    self.increase();
                    self.time_stage = self.time_stage.saturating_add(1);
                }
                (_, Some((at, cause))) => {
                    self.tick_alpha(at);
                    self.cut_noted = None;
                    if let Some((_, cut_at)) = &mut self.ticks {
                        *cut_at = at.saturating_add(self.rules.decrease_ns);
                    }
                    self.cut(at, self.alpha / 2.0, cause);
                }
                _ => break,
            }
        }
        self.tick_alpha(now);
    }

    /// Alpha's ticks up to now: the first after a notification raises it, all others lower it.
    fn tick_alpha(&mut self, now: Ns) {
        let Some((alpha_at, _)) = &mut self.ticks else {
            return;
        };
        if *alpha_at > now {
            return;
        }
        let ticks = (now - *alpha_at) / self.rules.alpha_ns + 1;
        *alpha_at = alpha_at.saturating_add(ticks.saturating_mul(self.rules.alpha_ns));
        self.alpha *= power(1.0 - self.rules.gain, ticks);
        if self.alpha_noted {
            self.alpha_noted = false;
            // The first tick adds this, which fades with those behind it.
            self.alpha += self.rules.gain * power(1.0 - self.rules.gain, ticks - 1);
        }
    }

    /// A notification. False: the cut that follows from it would follow without it.
    pub fn on_cnp(&mut self, now: Ns, cause: Cause) -> bool {
        self.advance(now);
        let rules = self.rules;
        if rules.at_once {
            if self.was_cut(now, rules.decrease_ns) {
                return false;
            }
            self.cut(now, self.alpha / 2.0, cause);
            self.alpha = (1.0 - rules.gain) * self.alpha + rules.gain;
            self.ticks = Some((now.saturating_add(rules.alpha_ns), Ns::MAX));
            return true;
        }
        match &mut self.ticks {
            // Alpha's tick is a nanosecond before that of cuts where both are due.
            ticks @ None => {
                let cut_at = now.saturating_add(rules.decrease_ns).saturating_add(1);
                *ticks = Some((now.saturating_add(rules.alpha_ns), cut_at));
            }
            Some((_, cut_at)) => {
                self.alpha_noted = true;
                if let Some(late) = now.checked_sub(*cut_at) {
                    let ticks = late / rules.decrease_ns + 1;
                    let more = ticks.saturating_mul(rules.decrease_ns);
                    *cut_at = cut_at.saturating_add(more);
                }
            }
        }
        if self.cut_noted.is_some() {
            return false;
        }
        self.cut_noted = Some(cause);
        true
    }

    /// A cut by a share of the rate, at once, whatever alpha is. False: there was a cut in the interval before.
    pub fn cut_by(&mut self, now: Ns, share: f64, interval_ns: Ns, cause: Cause) -> bool {
        self.advance(now);
        let is_early = self.was_cut(now, interval_ns);
        if !is_early {
            self.cut(now, share, cause);
        }
        !is_early
    }

    fn was_cut(&self, now: Ns, interval_ns: Ns) -> bool {
        let last = self.last_cut_ns;
        last.is_some_and(|last| now.saturating_sub(last) < interval_ns)
    }

    /// The least time between two cuts.
    pub fn decrease_ns(&self) -> Ns {
        self.rules.decrease_ns
    }

    /// False: the sender is to pause for as long without it.
    pub fn pause(&mut self, until: Ns, cause: Cause) -> bool {
        let is_longer = until > self.paused_until;
        if is_longer {
            self.paused_until = until;
            self.reactions.push(cause);
        }
        is_longer
    }

    pub fn paused_until(&self) -> Ns {
        self.paused_until
    }

    /// The flow sends so many bytes.
    pub fn on_sent(&mut self, bytes: u32) {
        if self.rules.byte_counter == 0 || self.increase_at.is_none() {
            return;
        }
        self.bytes += u64::from(bytes);
        while self.bytes >= self.rules.byte_counter {
            self.bytes -= self.rules.byte_counter;
            self.increase();
            self.byte_stage = self.byte_stage.saturating_add(1);
        }
    }

    fn cut(&mut self, at: Ns, share: f64, cause: Cause) {
        if self.rules.clamps_target || self.time_stage > 0 || self.byte_stage > 0 {
            self.target_bps = self.rate_bps;
        }
        let rate_bps = self.rate_bps as f64 * (1.0 - share);
        self.rate_bps = (rate_bps as u64).max(self.rules.min_bps);
        self.time_stage = 0;
        self.byte_stage = 0;
        self.bytes = 0;
        self.last_cut_ns = Some(at);
        self.increase_at = Some(at.saturating_add(self.rules.increase_ns));
        self.reactions.push(cause);
    }

    /// Fast recovery, then additive increase; hyper increase once both, timer and byte counter, are beyond them.
    fn increase(&mut self) {
        let time = self.time_stage;
        let bytes = match self.rules.byte_counter {
            0 => time,
            _ => self.byte_stage,
        };
        if time.max(bytes) >= self.rules.recovery_stages {
            let is_hyper = time.min(bytes) > self.rules.recovery_stages;
            let more = match is_hyper {
                true => self.rules.hyper_increase_bps,
                false => self.rules.increase_bps,
            };
            self.target_bps = (self.target_bps + more).min(self.rules.full_bps);
        }
        self.rate_bps = self.rate_bps / 2 + self.target_bps / 2;
    }
}

/// The standard library's may differ between machines in the last bit.
fn power(mut base: f64, mut exponent: u64) -> f64 {
    let mut product = 1.0;
    while exponent > 0 && product > 0.0 {
        if exponent & 1 == 1 {
            product *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    product
}

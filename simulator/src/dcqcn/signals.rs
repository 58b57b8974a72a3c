// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The signals that a sender hears, and what it does for each: the receiver's CNPs, and signals of switches, which are CNPs
//! and source quenches.
//!
//! However many come, forged ones among them, the rate is cut once per interval: by DCQCN's timer, or with `cut` by the
//! round trip. Pauses have no such limit: a forged one stops a flow for 33 ms at most, which is all that 15 bits of
//! microseconds hold, and a flood of them for as long as it lasts.

use serde::{Deserialize, Serialize};

use super::rate::{Cause, RateMachine};
use crate::error::Error;
use crate::packet::Advice;
use crate::time::{Ns, NS_PER_US};

/// The reaction to signals of switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SwitchSignals {
    Ignore,
    /// The same as to a CNP of the receiver.
    #[default]
    Dcqcn,
    /// A cut at once by a share of the rate, once per round trip, as BECN's of the window. The rate returns by DCQCN's
    /// increases.
    Cut,
    /// The reaction that the switch advises: a cut at once, once per interval of DCQCN's cuts, or a pause, which leaves the rate as it is. A
    /// signal without advice is as good as a CNP of the receiver.
    Advice,
}

/// Half of the rate, as BECN halves the window.
const USUAL_SHARE: f64 = 0.5;

#[derive(Debug, Clone, Copy)]
pub(super) struct Signals {
    reacts: bool,
    receiver: bool,
    pub switch: SwitchSignals,
    cut_share: f64,
}

impl Signals {
    pub fn new(
        reacts: bool,
        receiver: bool,
        switch: SwitchSignals,
        cut_share: Option<f64>,
    ) -> Result<Self, Error> {
        if cut_share.is_some() && switch != SwitchSignals::Cut {
            return Err(Error::at("cut_share", "is for switch_signals \"cut\" only"));
        }
        let cut_share = cut_share.unwrap_or(USUAL_SHARE);
        if !(0.001..=0.999).contains(&cut_share) {
            let problem = format!("must be from 0.001 to 0.999, not {cut_share}");
            return Err(Error::at("cut_share", problem));
        }
        Ok(Self {
            reacts,
            receiver,
            switch,
            cut_share,
        })
    }

    /// Tells the rate machine of a signal. False: the reaction would be the same without it, or the sender does not hear such
    /// signals.
    pub fn tell(
        &self,
        machine: &mut RateMachine,
        now: Ns,
        rtt_ns: Ns,
        cause: Cause,
        advice: Advice,
    ) -> bool {
        if !self.reacts {
            return false;
        }
        match (cause, self.switch) {
            (Cause::Receiver, _) => self.receiver && machine.on_cnp(now, cause),
            (_, SwitchSignals::Ignore) => false,
            (_, SwitchSignals::Dcqcn) => machine.on_cnp(now, cause),
            (_, SwitchSignals::Cut) => machine.cut_by(now, self.cut_share, rtt_ns, cause),
            (_, SwitchSignals::Advice) => match advice {
                Advice::None => machine.on_cnp(now, cause),
                Advice::Reduce(percent) => {
                    let share = f64::from(percent) / 100.0;
                    machine.cut_by(now, share, machine.decrease_ns(), cause)
                }
                Advice::Pause(us) => {
                    machine.pause(now.saturating_add(Ns::from(us) * NS_PER_US), cause)
                }
            },
        }
    }
}

// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The signals that a sender hears, and what it does for each: the receiver's CNPs, and signals of switches, which are CNPs
//! and, over IPv4, source quenches.
//!
//! However many come, forged ones among them, the rate is cut once per interval: by DCQCN's timer, or with `cut` by the
//! round trip.

use serde::{Deserialize, Serialize};

use super::rate::{Cause, RateMachine};
use crate::error::Error;
use crate::time::Ns;

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

    /// Tells the rate machine of a signal. False: the rate would be cut without it, or the sender does not hear such signals.
    pub fn tell(&self, machine: &mut RateMachine, now: Ns, rtt_ns: Ns, cause: Cause) -> bool {
        if !self.reacts {
            return false;
        }
        match (cause, self.switch) {
            (Cause::Receiver, _) => self.receiver && machine.on_cnp(now, cause),
            (_, SwitchSignals::Ignore) => false,
            (_, SwitchSignals::Dcqcn) => machine.on_cnp(now, cause),
            (_, SwitchSignals::Cut) => {
                machine.advance(now);
                let last = machine.last_cut_ns();
                let is_early = last.is_some_and(|last| now.saturating_sub(last) < rtt_ns);
                if !is_early {
                    machine.cut_by(now, self.cut_share, cause);
                }
                !is_early
            }
        }
    }
}

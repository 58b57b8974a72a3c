// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The questions of a sender by tags of CSIG, and the meaning of the answers.
//!
//! Packets ask in turn for the longest delay in a switch and for the least available bandwidth. The settings have the
//! units of the answers, which are those of the switches' tables.

use serde::{Deserialize, Serialize};

use super::config::share;
use crate::error::Error;
use crate::packet::csig::{about, Tag, TagForm};
use crate::time::NS_PER_S;
use crate::transport::settings::{rate, seconds};

/// `csig` of a stack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CsigConfig {
    pub form: TagForm,
    /// The width of a bucket of delays, or their unit in wide tags. None: 128 ns of wide tags; compact ones need it.
    #[serde(default)]
    pub delay_unit_s: Option<f64>,
    /// The same of bandwidths. None: 8 Mb/s of wide tags; compact ones need it, if `ramp_up` is more than 0.
    #[serde(default)]
    pub bandwidth_unit_bps: Option<f64>,
    /// The part of the available bandwidth that a flow takes at once, once per RTT; 0: it does not ask for it.
    #[serde(default = "ramp_up")]
    pub ramp_up: f64,
}

fn ramp_up() -> f64 {
    0.25
}

impl CsigConfig {
    pub(super) fn build(&self) -> Result<Csig, Error> {
        let is_wide = self.form == TagForm::Wide;
        let ramp_up = share("csig.ramp_up", self.ramp_up, 0.0, 1.0)?;
        let missing =
            |field| Error::at(field, "a compact tag has no unit: give the buckets' width");
        let delay_unit_s = self.delay_unit_s.or(is_wide.then_some(128e-9));
        let delay_unit_s = delay_unit_s.ok_or_else(|| missing("csig.delay_unit_s"))?;
        let bandwidth_unit_bps = match self.bandwidth_unit_bps.or(is_wide.then_some(8e6)) {
            Some(unit_bps) => rate("csig.bandwidth_unit_bps", unit_bps)? as f64,
            None if ramp_up > 0.0 => return Err(missing("csig.bandwidth_unit_bps")),
            None => 0.0,
        };
        Ok(Csig {
            form: self.form,
            delay_unit_ns: seconds("csig.delay_unit_s", delay_unit_s, 1.0)? as f64,
            bandwidth_unit_bps,
            ramp_up,
        })
    }
}

/// The settings, checked.
#[derive(Debug)]
pub(super) struct Csig {
    pub form: TagForm,
    delay_unit_ns: f64,
    bandwidth_unit_bps: f64,
    ramp_up: f64,
}

/// The meaning of a returned tag for the path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Said {
    /// No switch has written anything, or the tag answers nothing that was asked.
    Nothing,
    /// The longest delay in a switch is so long at least.
    DelayNs(f64),
    /// The available bandwidth is so much at least.
    BandwidthBps(f64),
}

impl Csig {
    /// The packet with this number, counted from 0. It begins with the best answer.
    pub fn tag(&self, packet: u64) -> Tag {
        let (about, number) = match packet % 2 == 1 && self.ramp_up > 0.0 {
            true => (about::BANDWIDTH, self.form.most()),
            false => (about::HOP_DELAY, 0),
        };
        Tag {
            form: self.form,
            about,
            number,
            locator: 0,
        }
    }

    pub fn said(&self, tag: &Tag) -> Said {
        let number = f64::from(tag.number);
        match tag.about {
            _ if tag.form != self.form => Said::Nothing,
            about::HOP_DELAY => Said::DelayNs(number * self.delay_unit_ns),
            about::BANDWIDTH if self.ramp_up > 0.0 && tag.number < self.form.most() => {
                Said::BandwidthBps(number * self.bandwidth_unit_bps)
            }
            _ => Said::Nothing,
        }
    }

    /// The bytes that a window grows at once, for an RTT: what the flow takes of the bandwidth, and a window at most.
    pub fn ramp_up_bytes(&self, bandwidth_bps: f64, rtt_ns: f64, window: f64) -> f64 {
        let bytes = self.ramp_up * bandwidth_bps / 8.0 * rtt_ns / NS_PER_S as f64;
        bytes.min(window)
    }
}

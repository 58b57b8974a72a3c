// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The settings that all stacks of the family have.

use crate::error::Error;
use crate::time::{Ns, NS_PER_S};
use crate::transport::settings::{between, check_segment_bytes, rate, seconds};

/// Bytes of an IPv4 header.
const IP_BYTES: u32 = 20;
/// No window has more, so that sequence numbers are told apart.
const MAX_WINDOW_BYTES: u64 = 1 << 30;
/// The highest window of Bolt's ns-3 code, 256 packets of 1460 bytes.
const USUAL_MAX_BYTES: u64 = 373_760;

/// The common settings, checked.
#[derive(Debug)]
pub(super) struct Common {
    pub rate_bps: u64,
    pub segment_bytes: u32,
    /// A full packet with its headers.
    pub mtu_bytes: u32,
    pub base_rtt_ns: Ns,
    pub initial_window_bytes: u64,
    pub timeout_ns: Ns,
    pub dscp: u8,
    pub ack_dscp: u8,
    pub reacts: bool,
    pub share_flows: bool,
}

/// The common settings as a scenario has them.
pub(super) struct Fields {
    pub rate_bps: f64,
    pub base_rtt_s: f64,
    pub segment_bytes: u32,
    pub initial_window_bytes: Option<u64>,
    pub timeout_s: f64,
    pub dscp: u8,
    pub ack_dscp: u8,
    pub reacts: bool,
    pub share_flows: bool,
}

/// A struct of settings with the common ones in it.
macro_rules! settings {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$each:meta])* pub $field:ident: $kind:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// The rate of the hosts' links: packets are paced at this rate at most.
            pub rate_bps: f64,
            /// The round trip without queues.
            pub base_rtt_s: f64,
            /// Payload of a full packet.
            pub segment_bytes: u32,
            /// None: what the link carries in the base RTT.
            #[serde(default)]
            pub initial_window_bytes: Option<u64>,
            /// Time without progress after which everything in flight is sent again. Bolt's ns-3 code has 10 ms.
            #[serde(default = "crate::paced::config::timeout_s")]
            pub timeout_s: f64,
            /// The DSCP of packets with data.
            #[serde(default)]
            pub dscp: u8,
            /// The DSCP of ACKs and NACKs.
            #[serde(default = "crate::paced::config::ack_dscp")]
            pub ack_dscp: u8,
            /// False: the window and the rate stay as they begin, whatever ACKs, signals and losses say.
            #[serde(default = "crate::paced::config::yes")]
            pub reacts: bool,
            /// Messages of a source from one host to another share a flow, or at least its window.
            #[serde(default)]
            pub share_flows: bool,
            $($(#[$each])* pub $field: $kind,)*
        }

        impl $name {
            fn common(
                &self,
                form: crate::paced::message::Form,
            ) -> Result<crate::paced::config::Common, crate::error::Error> {
                let fields = crate::paced::config::Fields {
                    rate_bps: self.rate_bps,
                    base_rtt_s: self.base_rtt_s,
                    segment_bytes: self.segment_bytes,
                    initial_window_bytes: self.initial_window_bytes,
                    timeout_s: self.timeout_s,
                    dscp: self.dscp,
                    ack_dscp: self.ack_dscp,
                    reacts: self.reacts,
                    share_flows: self.share_flows,
                };
                crate::paced::config::Common::new(&fields, form.header_bytes())
            }
        }
    };
}

pub(super) use settings;

pub(super) fn timeout_s() -> f64 {
    0.01
}

/// Expedited forwarding (RFC 3246).
pub(super) fn ack_dscp() -> u8 {
    46
}

pub(super) fn yes() -> bool {
    true
}

/// The lowest window of Bolt's ns-3 code, a hundredth of a packet.
pub(super) fn min_window_bytes() -> u64 {
    15
}

/// The lowest rate in the published configuration of HPCC's ns-3 code.
pub(super) fn min_rate_bps() -> f64 {
    1e9
}

impl Common {
    pub fn new(fields: &Fields, header_bytes: u32) -> Result<Self, Error> {
        let rate_bps = rate("rate_bps", fields.rate_bps)?;
        let base_rtt_ns = seconds("base_rtt_s", fields.base_rtt_s, 1.0)?;
        check_segment_bytes(fields.segment_bytes)?;
        between("dscp", fields.dscp.into(), 0, 63)?;
        between("ack_dscp", fields.ack_dscp.into(), 0, 63)?;
        let bits = u128::from(rate_bps) * u128::from(base_rtt_ns) / u128::from(NS_PER_S);
        let bdp_bytes = u64::try_from(bits / 8).unwrap_or(u64::MAX);
        let (field, initial) = match fields.initial_window_bytes {
            Some(bytes) => ("initial_window_bytes", bytes),
            None => ("base_rtt_s", bdp_bytes),
        };
        let least = u64::from(fields.segment_bytes);
        if !(least..=MAX_WINDOW_BYTES).contains(&initial) {
            let problem = format!(
                "the initial window must be from segment_bytes ({least}) to {MAX_WINDOW_BYTES} bytes, not {initial}"
            );
            return Err(Error::at(field, problem));
        }
        Ok(Self {
            rate_bps,
            segment_bytes: fields.segment_bytes,
            mtu_bytes: IP_BYTES + header_bytes + fields.segment_bytes,
            base_rtt_ns,
            initial_window_bytes: initial,
            timeout_ns: seconds("timeout_s", fields.timeout_s, 3600.0)?,
            dscp: fields.dscp,
            ack_dscp: fields.ack_dscp,
            reacts: fields.reacts,
            share_flows: fields.share_flows,
        })
    }
}

/// The least and the highest window of a control by windows, which may be less than a packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub min_bytes: u64,
    pub max_bytes: u64,
}

impl Bounds {
    pub fn new(common: &Common, min_bytes: u64, max_bytes: Option<u64>) -> Result<Self, Error> {
        let segment_bytes = u64::from(common.segment_bytes);
        if !(1..=segment_bytes).contains(&min_bytes) {
            let problem =
                format!("must be from 1 to segment_bytes ({segment_bytes}), not {min_bytes}");
            return Err(Error::at("min_window_bytes", problem));
        }
        let initial = common.initial_window_bytes;
        let max_bytes = max_bytes.unwrap_or(initial.max(USUAL_MAX_BYTES));
        if !(initial..=MAX_WINDOW_BYTES).contains(&max_bytes) {
            let problem = format!(
                "must be from the initial window ({initial}) to {MAX_WINDOW_BYTES}, not {max_bytes}"
            );
            return Err(Error::at("max_window_bytes", problem));
        }
        Ok(Self {
            min_bytes,
            max_bytes,
        })
    }
}

/// The least rate of a control by rates.
pub(super) fn checked_min_rate(common: &Common, min_rate_bps: f64) -> Result<f64, Error> {
    let least = rate("min_rate_bps", min_rate_bps)?;
    if least > common.rate_bps {
        let problem = format!(
            "must be rate_bps ({}) at most, not {least}",
            common.rate_bps
        );
        return Err(Error::at("min_rate_bps", problem));
    }
    Ok(least as f64)
}

/// A share from `min` to `max`.
pub(super) fn share(field: &str, value: f64, min: f64, max: f64) -> Result<f64, Error> {
    if (min..=max).contains(&value) {
        return Ok(value);
    }
    Err(Error::at(
        field,
        format!("must be from {min} to {max}, not {value}"),
    ))
}

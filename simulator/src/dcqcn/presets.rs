// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The settings that a preset gives where a stack does not name them.

use serde::{Deserialize, Serialize};

/// The source of all settings of DCQCN that are absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// `dcqcn` of HPCC's ns-3 code: a vendor's timers, increases by the rate of the link, a CNP for each mark.
    #[default]
    HpccNs3,
    /// `dcqcn_paper` of that code: the same with slower timers.
    HpccNs3Paper,
    /// The factory settings of ConnectX cards.
    Vendor,
    /// The algorithm of the paper.
    Paper,
}

/// The settings of a preset, as fields of a scenario have them.
pub(super) struct Values {
    pub alpha_interval_s: f64,
    pub decrease_interval_s: f64,
    pub increase_interval_s: f64,
    pub gain: f64,
    pub recovery_stages: u32,
    pub increase_bps: f64,
    pub hyper_increase_bps: f64,
    pub min_rate_bps: f64,
    pub byte_counter_bytes: u64,
    pub clamp_target: bool,
    pub cut_at_once: bool,
    pub cnp_interval_s: f64,
}

impl Preset {
    pub(super) fn values(self, rate_bps: f64) -> Values {
        let hpcc = Values {
            alpha_interval_s: 1e-6,
            decrease_interval_s: 4e-6,
            increase_interval_s: 300e-6,
            gain: 1.0 / 256.0,
            recovery_stages: 1,
            // 5 and 50 Mb/s at 25 Gb/s.
            increase_bps: rate_bps / 5000.0,
            hyper_increase_bps: rate_bps / 500.0,
            min_rate_bps: 1e9,
            byte_counter_bytes: 0,
            clamp_target: false,
            cut_at_once: false,
            cnp_interval_s: 0.0,
        };
        match self {
            Self::HpccNs3 => hpcc,
            Self::HpccNs3Paper => Values {
                alpha_interval_s: 50e-6,
                decrease_interval_s: 50e-6,
                increase_interval_s: 55e-6,
                ..hpcc
            },
            Self::Vendor => Values {
                gain: 5.0 / 1024.0,
                increase_bps: 5e6,
                hyper_increase_bps: 50e6,
                min_rate_bps: 1e6,
                // 32767 units of 64 bytes.
                byte_counter_bytes: 2_097_088,
                cnp_interval_s: 4e-6,
                ..hpcc
            },
            Self::Paper => Values {
                alpha_interval_s: 55e-6,
                decrease_interval_s: 50e-6,
                increase_interval_s: 55e-6,
                recovery_stages: 5,
                increase_bps: 40e6,
                // The paper names none: that of its first author's ns-3 code.
                hyper_increase_bps: 200e6,
                min_rate_bps: 1e6,
                byte_counter_bytes: 10_000_000,
                clamp_target: true,
                cut_at_once: true,
                cnp_interval_s: 50e-6,
                ..hpcc
            },
        }
    }
}

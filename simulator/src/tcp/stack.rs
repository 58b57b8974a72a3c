// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Settings of TCP, checked and complete.

use super::config::{
    EcnMode, Ect, Growth, Preset, QuenchTiming, Recovery, SenderRules, TcpConfig, Timer,
};
use crate::cc::{Algorithm, EcnNeed, EctNeed};
use crate::error::Error;
use crate::time::{from_s, Ns};
use crate::transport::settings::{between, check_segment_bytes, seconds};

/// RFC 7323 2.3.
const MAX_WINDOW_SHIFT: u8 = 14;

/// Settings of TCP, shared by the connections that use them.
#[derive(Debug)]
pub struct TcpStack {
    pub(super) algorithm: Algorithm,
    /// The algorithm obeys source quenches.
    pub(super) obeys_quench: bool,
    pub(super) recovery: Recovery,
    pub(super) ecn: EcnMode,
    /// The packets that are ECN-capable if that is agreed, or needs no agreement.
    pub(super) ect: Ect,
    /// The marks are for the routers only: the receiver's echo has no meaning.
    pub(super) ect_without_ecn: bool,
    /// With Accurate ECN its packets are ECT(1) (RFC 9331), and without it only new data is ECN-capable.
    pub(super) is_l4s: bool,
    pub(super) quench: QuenchTiming,
    pub(super) sender: SenderRules,
    pub(super) growth: Growth,
    pub(super) dscp: u8,
    pub(super) segment_bytes: u32,
    pub(super) handshake: bool,
    pub(super) fin: bool,
    pub(super) delayed_ack_ns: Option<Ns>,
    pub(super) max_window_pkts: u32,
    pub(super) window_shift: u8,
    pub(super) initial_window_pkts: u32,
    pub(super) timer: TimerSettings,
    pub(super) max_timeouts: u32,
    pub(super) dupack_threshold: u32,
    pub(super) limited_transmit: bool,
    pub(super) grow_when_idle: bool,
    pub(super) restart_after_idle: bool,
    pub(super) cwr_on_retransmissions: bool,
    pub(super) partial_deflation: bool,
    pub(super) impatient: bool,
    pub(super) bounded_exit: bool,
}

/// Settings of the retransmission timer.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimerSettings {
    pub kind: Timer,
    pub clock_ns: Ns,
    pub initial_ns: Ns,
    pub min_ns: Ns,
    pub max_ns: Ns,
}

/// The values of a preset, where they are more than a choice between two.
struct Defaults {
    recovery: Recovery,
    sender: SenderRules,
    segment_bytes: u32,
    delayed_ack: bool,
    delayed_ack_s: f64,
    max_window_pkts: u32,
    initial_window_pkts: u32,
    timer: Timer,
    clock_s: f64,
    initial_rto_s: f64,
    min_rto_s: f64,
    max_rto_s: f64,
    max_timeouts: u32,
}

const MODERN: Defaults = Defaults {
    recovery: Recovery::Sack,
    sender: SenderRules::Rfc,
    segment_bytes: 1448,
    delayed_ack: true,
    delayed_ack_s: 0.04,
    max_window_pkts: 4096,
    initial_window_pkts: 10,
    timer: Timer::Rfc6298,
    clock_s: 0.001,
    initial_rto_s: 1.0,
    min_rto_s: 0.2,
    max_rto_s: 60.0,
    max_timeouts: 15,
};

const NS2: Defaults = Defaults {
    recovery: Recovery::Newreno,
    sender: SenderRules::Ns2,
    segment_bytes: 960,
    delayed_ack: false,
    delayed_ack_s: 0.1,
    max_window_pkts: 100,
    initial_window_pkts: 1,
    timer: Timer::Ns2,
    clock_s: 0.1,
    initial_rto_s: 6.0,
    min_rto_s: 1.0,
    max_rto_s: 60.0,
    max_timeouts: 0,
};

const LINUX_PAPER: Defaults = Defaults {
    recovery: Recovery::Newreno,
    segment_bytes: 960,
    delayed_ack: false,
    max_window_pkts: 100,
    initial_window_pkts: 1,
    timer: Timer::Linux,
    min_rto_s: 1.0,
    max_rto_s: 120.0,
    ..MODERN
};

impl TcpStack {
    /// Checks the settings and fills in what is absent.
    pub fn new(config: &TcpConfig) -> Result<Self, Error> {
        let defaults = match config.preset {
            Preset::Modern => MODERN,
            Preset::Ns2 => NS2,
            Preset::LinuxPaper => LINUX_PAPER,
        };
        let is_ns2 = config.preset == Preset::Ns2;
        let name = config.algorithm.as_deref().unwrap_or("plain");
        let segment_bytes = config.segment_bytes.unwrap_or(defaults.segment_bytes);
        let max_window_pkts = config.max_window_pkts.unwrap_or(defaults.max_window_pkts);
        let algorithm = algorithm_for(name, config, max_window_pkts, is_ns2)?;

        check_segment_bytes(segment_bytes)?;
        between("max_window_pkts", max_window_pkts, 1, 1 << 20)?;
        let initial_window_pkts = config
            .initial_window_pkts
            .unwrap_or(defaults.initial_window_pkts);
        between("initial_window_pkts", initial_window_pkts, 1, 1 << 16)?;
        let dscp = config.dscp.unwrap_or(0);
        between("dscp", dscp.into(), 0, 63)?;
        let dupack_threshold = config.dupack_threshold.unwrap_or(3);
        between("dupack_threshold", dupack_threshold, 1, 1 << 16)?;
        let delayed_ack_ns = delayed_ack_for(config, &defaults)?;
        Ok(Self {
            algorithm,
            obeys_quench: algorithm.obeys_quench(),
            recovery: config.recovery.unwrap_or(defaults.recovery),
            ecn: config.ecn.unwrap_or(match algorithm.ecn() {
                EcnNeed::Nothing => EcnMode::Off,
                EcnNeed::Rfc3168 => EcnMode::Rfc3168,
                EcnNeed::Mecn => EcnMode::Mecn,
                EcnNeed::Accurate => EcnMode::Accurate,
                EcnNeed::AccEcn => EcnMode::AccEcn,
            }),
            ect: config.ect.unwrap_or(match algorithm.ect() {
                _ if is_ns2 => Ect::Data,
                EctNeed::NewData => Ect::NewData,
                EctNeed::All | EctNeed::Unagreed | EctNeed::L4s => Ect::All,
            }),
            ect_without_ecn: algorithm.ect() == EctNeed::Unagreed,
            is_l4s: algorithm.ect() == EctNeed::L4s,
            quench: config.quench.unwrap_or(if is_ns2 {
                QuenchTiming::AtOnce
            } else {
                QuenchTiming::NextAck
            }),
            sender: config.sender.unwrap_or(defaults.sender),
            growth: config
                .growth
                .unwrap_or(if is_ns2 { Growth::Ack } else { Growth::Packet }),
            dscp,
            segment_bytes,
            handshake: config.handshake.unwrap_or(!is_ns2),
            fin: config.fin.unwrap_or(!is_ns2),
            delayed_ack_ns,
            max_window_pkts,
            window_shift: window_shift(u64::from(max_window_pkts) * u64::from(segment_bytes))?,
            initial_window_pkts,
            timer: timer_for(config, &defaults)?,
            max_timeouts: config.max_timeouts.unwrap_or(defaults.max_timeouts),
            dupack_threshold,
            limited_transmit: config.limited_transmit.unwrap_or(!is_ns2),
            grow_when_idle: config.grow_when_idle.unwrap_or(is_ns2),
            restart_after_idle: config.restart_after_idle.unwrap_or(true),
            cwr_on_retransmissions: config.cwr_on_retransmissions.unwrap_or(is_ns2),
            partial_deflation: config.partial_deflation.unwrap_or(!is_ns2),
            impatient: config.impatient.unwrap_or(!is_ns2),
            bounded_exit: config.bounded_exit.unwrap_or(!is_ns2),
        })
    }

    pub(super) fn max_window_bytes(&self) -> u64 {
        u64::from(self.max_window_pkts) * u64::from(self.segment_bytes)
    }
}

fn algorithm_for(
    name: &str,
    config: &TcpConfig,
    max_window_pkts: u32,
    is_ns2: bool,
) -> Result<Algorithm, Error> {
    let mut algorithm = Algorithm::find(name).ok_or_else(|| {
        let known = Algorithm::names().join(", ");
        let problem = format!("there is no {name:?}; there are {known}");
        Error::at("algorithm", problem)
    })?;
    let set = |algorithm: &mut Algorithm, parameter: &str, value: &str| {
        algorithm
            .set(parameter, value)
            .map_err(|error| Error::at("parameters", error))
    };

    set(
        &mut algorithm,
        "max_cwnd_pkts",
        &max_window_pkts.to_string(),
    )?;
    for (parameter, value) in &config.parameters {
        set(&mut algorithm, parameter, &value.text())?;
    }
    algorithm
        .check()
        .map_err(|error| Error::at("parameters", error))?;
    let may_close = config
        .window_may_close
        .unwrap_or(is_ns2 && !config.parameters.contains_key("min_cwnd_pkts"));
    if may_close {
        algorithm.let_window_close();
    }
    Ok(algorithm)
}

fn delayed_ack_for(config: &TcpConfig, defaults: &Defaults) -> Result<Option<Ns>, Error> {
    let delay_ns = from_nothing(
        "delayed_ack_s",
        config.delayed_ack_s.unwrap_or(defaults.delayed_ack_s),
        0.5,
    )?;

    Ok(config
        .delayed_ack
        .unwrap_or(defaults.delayed_ack)
        .then_some(delay_ns))
}

fn timer_for(config: &TcpConfig, defaults: &Defaults) -> Result<TimerSettings, Error> {
    let settings = TimerSettings {
        kind: config.timer.unwrap_or(defaults.timer),
        // The simulation's own clock is the finest.
        clock_ns: from_nothing("clock_s", config.clock_s.unwrap_or(defaults.clock_s), 10.0)?.max(1),
        initial_ns: seconds(
            "initial_rto_s",
            config.initial_rto_s.unwrap_or(defaults.initial_rto_s),
            3600.0,
        )?,
        min_ns: seconds(
            "min_rto_s",
            config.min_rto_s.unwrap_or(defaults.min_rto_s),
            3600.0,
        )?,
        max_ns: seconds(
            "max_rto_s",
            config.max_rto_s.unwrap_or(defaults.max_rto_s),
            1e6,
        )?,
    };

    if settings.min_ns > settings.max_ns {
        return Err(Error::at("min_rto_s", "must not be more than max_rto_s"));
    }
    Ok(settings)
}

/// A time that may be 0.
fn from_nothing(name: &str, value: f64, max: f64) -> Result<Ns, Error> {
    if (0.0..=max).contains(&value) {
        return Ok(from_s(value));
    }
    let problem = format!("must be a time from 0 to {max} seconds, not {value}");
    Err(Error::at(name, problem))
}

/// The number of bits by which the window field must be shifted to hold so many bytes.
fn window_shift(bytes: u64) -> Result<u8, Error> {
    (0..=MAX_WINDOW_SHIFT)
        .find(|&shift| bytes >> shift <= u64::from(u16::MAX))
        .ok_or_else(|| {
            let problem = format!("times segment_bytes is {bytes}, more than TCP's window can say");
            Error::at("max_window_pkts", problem)
        })
}

// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The settings of a link's direction, as options of a router's port or of a host's link.

use quench_dataplane::control::PortOptions;
use quench_dataplane::tm::{Rate, SchedulerKind};

use crate::cells::Planned;
use crate::error::Error;
use crate::names::Names;
use crate::network::{LinkChange, WireConfig};
use crate::packet::layout::ETHERNET_BYTES;
use crate::scenario::{self, Scenario};
use crate::simulation::Simulation;
use crate::time::from_s;

/// The longest time in a scenario, in seconds: about 30 years.
const MAX_S: f64 = 1e9;

/// Refuses a time that is negative or too long.
pub fn check_duration(at: &str, seconds: f64) -> Result<(), Error> {
    if (0.0..=MAX_S).contains(&seconds) {
        return Ok(());
    }
    let problem = format!("must be 0 to {MAX_S:e} seconds, not {seconds}");
    Err(Error::at(at, problem))
}

/// Bits per second, at least one; none: unlimited.
pub fn checked_rate(at: &str, rate_bps: Option<f64>) -> Result<Option<u64>, Error> {
    match rate_bps {
        Some(rate) if !(1.0..=1e15).contains(&rate) => {
            let problem = format!("rate_bps: must be 1 to 1e15 bits per second, not {rate}");
            Err(Error::at(at, problem))
        }
        rate => Ok(rate.map(|rate| rate.round() as u64)),
    }
}

fn checked_loss(at: &str, loss: f64) -> Result<f64, Error> {
    if (0.0..=1.0).contains(&loss) {
        return Ok(loss);
    }
    let problem = format!("loss: must be a probability from 0 to 1, not {loss}");
    Err(Error::at(at, problem))
}

/// A limit of at least 1; 0 if there is none.
pub fn checked_buffer(at: &str, field: &str, limit: Option<u64>) -> Result<u64, Error> {
    match limit {
        Some(0) => {
            let problem = format!("{field}: must be 1 or more; left out there is no limit");
            Err(Error::at(at, problem))
        }
        limit => Ok(limit.unwrap_or(0)),
    }
}

pub fn port_options(
    at: &str,
    link: &scenario::Link,
    settings: &scenario::Direction,
) -> Result<PortOptions, Error> {
    if settings.urgent_dscp.is_some() {
        let problem = "urgent_dscp: it is for links out of hosts; a router's queues have classes";
        return Err(Error::at(at, problem));
    }
    if settings.turns {
        let problem = "turns: they are for links out of hosts; a router's queues have a scheduler";
        return Err(Error::at(at, problem));
    }
    let scheduler = settings.scheduler.as_deref().map(|name| {
        SchedulerKind::named(name).ok_or_else(|| {
            let known = SchedulerKind::ALL.map(SchedulerKind::name).join(", ");
            let problem = format!("scheduler: there is no \"{name}\", only {known}");
            Error::at(at, problem)
        })
    });
    Ok(PortOptions {
        rate_bps: Some(checked_rate(at, settings.rate_bps)?.unwrap_or(0)),
        capacity_pkts: Some(checked_buffer(at, "buffer_pkts", settings.buffer_pkts)?),
        capacity_bytes: Some(checked_buffer(at, "buffer_bytes", settings.buffer_bytes)?),
        queue_capacity_pkts: (0..)
            .zip(settings.queue_buffer_pkts.iter().copied())
            .collect(),
        queue_capacity_bytes: (0..)
            .zip(settings.queue_buffer_bytes.iter().copied())
            .collect(),
        scheduler: scheduler.transpose()?,
        weights: (0..).zip(settings.weights.iter().copied()).collect(),
        delay_ns: Some(from_s(link.delay_s)),
        loss: Some(checked_loss(at, settings.loss)?),
        overhead_bytes: Some(-(ETHERNET_BYTES as i32)),
        ..PortOptions::default()
    })
}

pub fn wire_config(
    at: &str,
    link: &scenario::Link,
    settings: &scenario::Direction,
) -> Result<WireConfig, Error> {
    let of_queues = [
        ("scheduler", settings.scheduler.is_some()),
        ("weights", !settings.weights.is_empty()),
        ("queue_buffer_pkts", !settings.queue_buffer_pkts.is_empty()),
        (
            "queue_buffer_bytes",
            !settings.queue_buffer_bytes.is_empty(),
        ),
    ];
    if let Some((field, _)) = of_queues.iter().find(|(_, given)| *given) {
        let problem = format!("{field}: the link out of a host has one queue");
        return Err(Error::at(at, problem));
    }
    if let Some(dscp @ 64..) = settings.urgent_dscp {
        let problem = format!("urgent_dscp: must be 0 to 63, not {dscp}");
        return Err(Error::at(at, problem));
    }
    Ok(WireConfig {
        rate: Rate::bps(checked_rate(at, settings.rate_bps)?.unwrap_or(0)),
        delay_ns: from_s(link.delay_s),
        loss: checked_loss(at, settings.loss)?,
        buffer_pkts: checked_buffer(at, "buffer_pkts", settings.buffer_pkts)?,
        buffer_bytes: checked_buffer(at, "buffer_bytes", settings.buffer_bytes)?,
        urgent_dscp: settings.urgent_dscp,
        turns: settings.turns,
    })
}

pub fn changes(scenario: &Scenario, names: &Names) -> Result<Vec<Planned>, Error> {
    let change = |(index, change): (usize, &scenario::Change)| {
        let at = format!("changes[{index}]");
        check_duration(&format!("{at}.at_s"), change.at_s)?;
        let direction = names
            .direction(&change.link, change.direction)
            .ok_or_else(|| {
                let problem = format!("there is no link \"{}\"", change.link);
                Error::at(format!("{at}.link"), problem)
            })?;
        if let Some(delay) = change.delay_s {
            check_duration(&format!("{at}.delay_s"), delay)?;
        }
        let buffer = |field, limit: Option<u64>| match limit {
            Some(_) => checked_buffer(&at, field, limit).map(Some),
            None => Ok(None),
        };
        let options = PortOptions {
            rate_bps: checked_rate(&at, change.rate_bps)?,
            capacity_pkts: buffer("buffer_pkts", change.buffer_pkts)?,
            capacity_bytes: buffer("buffer_bytes", change.buffer_bytes)?,
            delay_ns: change.delay_s.map(from_s),
            loss: change
                .loss
                .map(|loss| checked_loss(&at, loss))
                .transpose()?,
            ..PortOptions::default()
        };
        Ok(Planned {
            place: index,
            at: from_s(change.at_s),
            change: LinkChange { direction, options },
        })
    };
    scenario.changes.iter().enumerate().map(change).collect()
}

impl Simulation {
    /// Changes the rate of a direction such as "bottleneck.ab" from now on, in bits per second.
    pub fn set_rate(&mut self, direction: &str, rate_bps: f64) -> Result<(), Error> {
        let at = |problem: String| Error::at(direction, problem);
        let mut directions = 0..self.cells.directions();
        let index = directions.find(|&index| {
            let (network, place) = self.cells.beginning(index);
            network.directions[place].name == direction
        });
        let index = index.ok_or_else(|| at("there is no such direction".to_owned()))?;
        let options = PortOptions {
            rate_bps: checked_rate(direction, Some(rate_bps))?,
            ..PortOptions::default()
        };
        let (network, direction) = self.cells.beginning(index);
        let changed = network.change_link(&LinkChange { direction, options });
        changed.map_err(|error| at(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::to_s;

    #[test]
    fn times_are_neither_negative_nor_endless() {
        for seconds in [0.0, 1.5, MAX_S] {
            assert_eq!(check_duration("x", seconds), Ok(()));
            assert!((to_s(from_s(seconds)) - seconds).abs() < 1e-6);
        }
        for seconds in [-1.0, f64::NAN, f64::INFINITY, 2e9] {
            assert!(check_duration("x", seconds).is_err(), "{seconds}");
        }
    }
}

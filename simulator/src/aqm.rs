// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The registers and counters of the P4 program that are measured, by name: RED's average, and the counts of marked and
//! dropped packets.
//!
//! A program may lack them: then the results have no such value, rather than a zero. Those that it has are checked when
//! a simulation is made.

use quench_dataplane::control::{ArrayInfo, ProgramInfo};
use quench_dataplane::Switch;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The register of RED's average: a cell for each queue of each port, in packets with 28 fractional bits.
const AVERAGE: &str = "queue_average";
const AVERAGE_FRACTION: f64 = 268_435_456.0;
const QUEUES_PER_PORT: u64 = 8;

/// Counters of the P4 program with a cell for each port, by what they count. Those of a kind are added up; a kind
/// without a name is not counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterNames {
    #[serde(default)]
    pub marked: Vec<String>,
    /// Selected by a probability.
    #[serde(default)]
    pub dropped_early: Vec<String>,
    /// Dropped whatever the probability says.
    #[serde(default)]
    pub dropped_forced: Vec<String>,
}

/// An array of low-pass filters with a cell for each queue of each port.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilterName {
    pub filter: String,
    /// Its value for an average of one packet.
    pub per_pkt: f64,
}

/// The place of RED's average in a program.
#[derive(Debug, Clone)]
pub enum Average {
    /// The register of `quench.p4`, which programs may lack.
    Register,
    Filter(FilterName),
}

impl Average {
    pub fn new(filter: Option<&FilterName>) -> Result<Self, Error> {
        match filter {
            None => Ok(Self::Register),
            Some(filter) if filter.per_pkt > 0.0 => Ok(Self::Filter(filter.clone())),
            Some(filter) => {
                let problem = format!("must be more than 0, not {}", filter.per_pkt);
                Err(Error::at("average.per_pkt", problem))
            }
        }
    }

    fn check(&self, program: &ProgramInfo, router: &str, ports: u64) -> Result<(), String> {
        let needed = (ports + 1) * QUEUES_PER_PORT;
        let (what, size) = match self {
            Self::Register => {
                let mut registers = program.registers.iter();
                let Some(register) = registers.find(|register| register.name == AVERAGE) else {
                    return Ok(());
                };
                (format!("the register \"{AVERAGE}\""), register.size)
            }
            Self::Filter(FilterName { filter: name, .. }) => {
                let mut filters = program.filters.iter();
                let Some(filter) = filters.find(|filter| filter.name == *name) else {
                    return Err(format!(
                        "there is no filter \"{name}\", which the scenario names"
                    ));
                };
                (format!("the filter \"{name}\""), filter.size)
            }
        };
        if size < needed {
            return Err(format!(
                "{what} has {size} cells, too few for the {ports} ports of \"{router}\": give it {needed}, \
                 {QUEUES_PER_PORT} for each port from 0 on"
            ));
        }
        Ok(())
    }

    pub fn is_of(&self, switch: &Switch) -> bool {
        self.pkts(switch, 0, 0).is_some()
    }

    /// RED's average in packets; none if the program has none.
    pub fn pkts(&self, switch: &Switch, port: u32, queue: u64) -> Option<f64> {
        let cell = u64::from(port) * QUEUES_PER_PORT + queue;
        match self {
            Self::Register => {
                let bytes = switch.register_read(AVERAGE, cell).ok()?;
                let fixed_point = bytes
                    .iter()
                    .fold(0.0, |sum, &byte| sum * 256.0 + f64::from(byte));
                Some(fixed_point / AVERAGE_FRACTION)
            }
            Self::Filter(FilterName { filter, per_pkt }) => {
                let value = switch.filter_value(filter, cell).ok()?;
                Some(f64::from(value) / per_pkt)
            }
        }
    }
}

impl CounterNames {
    /// Those of `quench.p4`.
    pub fn of_quench() -> Self {
        Self {
            marked: vec!["port_marked".to_owned()],
            dropped_early: vec!["port_dropped_early".to_owned()],
            dropped_forced: vec!["port_dropped_forced".to_owned()],
        }
    }

    pub fn all(&self) -> impl Iterator<Item = &str> {
        let names = [&self.marked, &self.dropped_early, &self.dropped_forced];
        names.into_iter().flatten().map(String::as_str)
    }
}

/// Refuses a program whose register or counters have the wrong shape. The scenario's names of counters must be there;
/// without any, a program may have the counters of `quench.p4` or none of them.
pub fn check(
    program: &ProgramInfo,
    router: &str,
    ports: u64,
    named: Option<&CounterNames>,
    average: &Average,
) -> Result<(), Error> {
    average
        .check(program, router, ports)
        .and_then(|()| match named {
            Some(names) => check_named(program, names, router, ports),
            None => check_counters(program, router, ports),
        })
        .map_err(|problem| Error::at("program", problem))
}

fn find<'a>(program: &'a ProgramInfo, name: &str) -> Option<&'a ArrayInfo> {
    program.counters.iter().find(|counter| counter.name == name)
}

/// A program has all three counters of `quench.p4` or none: without one of them the measured loss would be too small.
fn check_counters(program: &ProgramInfo, router: &str, ports: u64) -> Result<(), String> {
    let names = CounterNames::of_quench();
    let Some(present) = names.all().find_map(|name| find(program, name)) else {
        return Ok(());
    };
    if let Some(missing) = names.all().find(|name| find(program, name).is_none()) {
        let wanted: Vec<&str> = names.all().collect();
        return Err(format!(
            "there is no counter \"{missing}\", but \"{}\": have all of {}, or none of them",
            present.name,
            wanted.join(", ")
        ));
    }
    check_named(program, &names, router, ports)
}

fn check_named(
    program: &ProgramInfo,
    names: &CounterNames,
    router: &str,
    ports: u64,
) -> Result<(), String> {
    for name in names.all() {
        let Some(counter) = find(program, name) else {
            return Err(format!(
                "there is no counter \"{name}\", which the scenario names"
            ));
        };
        if let Some(table) = &counter.direct_table {
            return Err(format!(
                "the counter \"{name}\" is a direct one of the table \"{table}\": declare a counter of {} cells, \
                 from port 0 on",
                ports + 1
            ));
        }
        if counter.size <= ports {
            return Err(format!(
                "the counter \"{name}\" has no cell for each of the {ports} ports of \"{router}\": give it {}, from \
                 port 0 on",
                ports + 1
            ));
        }
    }
    Ok(())
}

/// Packets of a port that counters have counted; none if there are no such counters.
pub fn counted_pkts(switch: &Switch, counters: &[String], port: u32) -> Option<u64> {
    let counters = counters.iter();
    let values = counters.filter_map(|name| switch.counter_read(name, u64::from(port)).ok());
    values
        .map(|value| value.packets)
        .reduce(|sum, each| sum + each)
}
